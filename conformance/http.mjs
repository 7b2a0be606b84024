// Plays the stories of the level `http` on a server. README.md describes them.

/** Members of metadata that each server chooses. */
const chosen = ["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "managedFields"]

/**
 * Sends the requests of a story and returns the answer in the form of its `expect`. `read` reads JSON; `timeout` is for each request, in
 * seconds.
 */
export async function playStory({ setup, cleanup, requests }, { url, token, timeout, read }) {
  const send = request => sendTo(url, token, timeout, request)
  if (!(await prepare(setup, send, timeout))) return { unsupported: true }
  for (const path of cleanup) await remove(path, send)
  const bodies = []
  const responses = []
  for (const request of requests) {
    const { status, text } = await send({ ...request, body: withReferences(request.body, bodies) })
    const body = readBody(text, read)
    bodies.push(body)
    responses.push(responseOf(request, status, body))
  }
  for (const path of cleanup) await remove(path, send)
  return { responses }
}

async function sendTo(url, token, timeout, { method, path, contentType, userAgent = "recorder", body }) {
  const headers = { accept: "application/json", "user-agent": userAgent }
  if (contentType !== undefined) headers["content-type"] = contentType
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  const init = { method, headers, signal: AbortSignal.timeout(timeout * 1000) }
  if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body)
  const response = await fetch(url.replace(/\/$/, "") + path, init)
  return { status: response.status, text: await response.text() }
}

/** Creates the objects that a story needs. Returns whether the server has them. A server may do without namespaces. */
async function prepare(setup, send, timeout) {
  for (const object of setup) {
    const isNamespace = object.kind === "Namespace"
    const path = isNamespace ? "/api/v1/namespaces" : definitionsPath
    const { status } = await send({ method: "POST", path, contentType: "application/json", body: object })
    if (isNamespace) continue
    if ((status >= 300 && status !== 409) || !(await isServed(object.spec, send, timeout))) return false
  }
  return true
}

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

async function isServed({ group, names, versions }, send, timeout) {
  const end = Date.now() + timeout * 1000
  for (const { name, served } of versions) {
    if (!served) continue
    const path = `/apis/${group}/${name}/${names.plural}`
    while ((await send({ method: "GET", path })).status !== 200) {
      if (Date.now() > end) return false
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  return true
}

/** Deletes an object, even if finalizers hold it. */
async function remove(path, send) {
  const { status } = await send({ method: "GET", path })
  if (status === 404) return
  const body = { metadata: { finalizers: null } }
  await send({ method: "PATCH", path, contentType: "application/merge-patch+json", body })
  await send({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` })
}

/** Replaces `{{N.uid}}` and the like by members of the metadata in the Nth response. */
function withReferences(body, bodies) {
  if (!isMap(body?.metadata)) return body
  const metadata = Object.entries(body.metadata).map(([name, value]) => {
    const [, index, member] = /^\{\{(\d+)\.(\w+)\}\}$/.exec(value) ?? []
    return [name, index === undefined ? value : (bodies[index - 1]?.metadata?.[member] ?? "absent")]
  })
  return { ...body, metadata: Object.fromEntries(metadata) }
}

function readBody(text, read) {
  try {
    return read(text)
  } catch {
    return undefined
  }
}

function responseOf({ method }, status, body) {
  if (status >= 500) return { status }
  if (!isMap(body)) return { status, problem: "the body is no JSON object" }
  if (status >= 300) return { status, reason: body.reason ?? "", causes: causesOf(body) }
  if (method === "DELETE" || body.kind === "Status") return { status }
  const metadata = isMap(body.metadata) ? body.metadata : {}
  const kept = Object.entries(metadata).filter(([name]) => !chosen.includes(name))
  const entries = Array.isArray(metadata.managedFields) ? metadata.managedFields : []
  return {
    status,
    object: { ...body, metadata: Object.fromEntries(kept) },
    owners: inOrder(entries.filter(isMap).map(({ time: _, ...entry }) => entry)),
  }
}

function causesOf({ details }) {
  const causes = Array.isArray(details?.causes) ? details.causes : []
  return inOrder(causes.map(cause => ({ reason: cause?.reason ?? "", field: cause?.field ?? "" })))
}

/** Sorts objects by their texts: the order of owners depends on times, and that of conflicts is random. */
export function inOrder(list) {
  const sorted = value => {
    if (Array.isArray(value)) return value.map(sorted)
    if (!isMap(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, item]) => [key, sorted(item)])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  }
  const text = new Map(list.map(item => [item, JSON.stringify(sorted(item))]))
  return [...list].sort((a, b) => (text.get(a) < text.get(b) ? -1 : 1))
}

function isMap(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
