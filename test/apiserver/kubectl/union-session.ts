// A session in which people edit objects with unions with kubectl. It can be played, recorded and replayed.
//
// kubectl computes its requests from the objects that it reads, so they are recorded for each policy. The recorded responses are reduced to
// the unions, their owners, refusals and warnings.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listen } from "../../../src/apiserver/node/listen.js"
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js"
import { formatPath } from "../../../src/fieldpath/path.js"
import { decodeManagedFields } from "../../../src/managedfields/entries/managed.js"
import type { ManagedFieldsEntry } from "../../../src/managedfields/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { choiceOf, textOf, unionDefinition } from "../union-server.js"
import { run } from "./build.js"

export const policies = ["extended", "kep-2022"] as const
export type Policy = (typeof policies)[number]

/** A command, its standard input, and the expected result: the stored union, or the status and the fields of the refusal. */
export interface SessionStep {
  readonly command: string
  readonly input?: string
  /** The editor of `kubectl edit`: a sed script. */
  readonly editor?: string
  readonly expect: Readonly<Record<Policy, string>>
}

/** A union in the notation of `choiceOf`, in a widget. */
const widget = (name: string, choice: string): string =>
  JSON.stringify({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name },
    spec: { choice: choiceOf(choice) },
  })

const deployment = (name: string, spec: MapValue): string => {
  const labels = { app: name }
  const { volumes, ...rest } = spec
  const pod = { containers: [{ name: "c", image: "nginx" }], ...(volumes !== undefined && { volumes }) }
  const template = { metadata: { labels }, spec: pod }
  const whole = { ...rest, selector: { matchLabels: labels }, template }
  return JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec: whole })
}

const rolling = { rollingUpdate: { maxSurge: 1 } }
const serverSide = (manager: string, force = "") => `apply --server-side --field-manager=${manager}${force} -f -`
const forced = " --force-conflicts"
const both = (text: string) => ({ extended: text, "kep-2022": text })

/** Each topic has an object of its own. */
export const session: Readonly<Record<string, readonly SessionStep[]>> = {
  "kubectl create": [
    {
      command: "create -f -",
      input: widget("created", "B a b"),
      expect: { extended: "422 spec.choice", "kep-2022": "422 spec.choice.a" },
    },
    { command: "create -f -", input: widget("created", "B"), expect: both("422 spec.choice.b") },
    { command: "create -f -", input: widget("created", "B b"), expect: both("B b") },
  ],
  "client-side apply": [
    { command: "apply -f -", input: widget("csa", "A a"), expect: both("A a") },
    // The last configuration had `a`, so the patch removes it.
    { command: "apply -f -", input: widget("csa", "B b"), expect: both("B b") },
    {
      command: "apply -f -",
      input: widget("csa", "B a b"),
      expect: { extended: "A a", "kep-2022": "422 spec.choice.a" },
    },
    { command: "apply -f -", input: widget("csa", "A a"), expect: both("A a") },
    { command: "apply -f -", input: widget("csa", "A"), expect: both("422 spec.choice.a") },
    { command: serverSide("kubectl"), input: widget("csa", "B b"), expect: both("B b") },
  ],
  "patches of a custom resource": [
    { command: "create -f -", input: widget("patched", "A a"), expect: both("A a") },
    {
      command: 'patch widget patched --type=merge -p {"spec":{"choice":{"b":{"x":1}}}}',
      expect: { extended: "B b", "kep-2022": "422 spec.choice.b" },
    },
    {
      command: 'patch widget patched --type=merge -p {"spec":{"choice":{"type":"A","a":{"x":1}}}}',
      expect: both("A a"),
    },
    {
      command:
        'patch widget patched --type=json -p [{"op":"replace","path":"/spec/choice/type","value":"B"},{"op":"add","path":"/spec/choice/b","value":{"x":1}}]',
      expect: both("B b"),
    },
    {
      command: 'patch widget patched --type=merge -p {"spec":{"choice":{"type":"A"}}}',
      expect: both("422 spec.choice.a"),
    },
  ],
  "kubectl replace": [
    { command: "create -f -", input: widget("replaced", "A a"), expect: both("A a") },
    { command: "replace -f -", input: widget("replaced", "B a b"), expect: both("B b") },
    {
      command: "replace -f -",
      input: widget("replaced", "B a b"),
      expect: { extended: "A a", "kep-2022": "422 spec.choice.a" },
    },
    { command: "replace -f -", input: widget("replaced", "A"), expect: both("422 spec.choice.a") },
    { command: "replace -f -", input: widget("replaced", "A a"), expect: both("A a") },
  ],
  "kubectl edit": [
    { command: "create -f -", input: widget("edited", "A a"), expect: both("A a") },
    // Changes only the discriminator and the new member; the old member stays in the text.
    { command: "edit widget edited", editor: "s/^    type: A$/    type: B\\n    b: {x: 1}/", expect: both("B b") },
    { command: "edit widget edited", editor: "s/^    type: B$/    type: A/; s/^    b:/    a:/", expect: both("A a") },
  ],
  "server-side apply": [
    { command: serverSide("p"), input: widget("ssa", "A a"), expect: both("A a") },
    {
      command: serverSide("q"),
      input: widget("ssa", "b"),
      expect: { extended: "409 .spec.choice.type", "kep-2022": "422 spec.choice.b" },
    },
    { command: serverSide("q"), input: widget("ssa", "B b"), expect: both("409 .spec.choice.type") },
    {
      command: serverSide("q"),
      input: widget("ssa", "A a b"),
      expect: { extended: "422 spec.choice", "kep-2022": "422 spec.choice.b" },
    },
    { command: serverSide("q", forced), input: widget("ssa", "B"), expect: both("422 spec.choice.b") },
    {
      command: serverSide("q", forced),
      input: widget("ssa", "b"),
      expect: { extended: "B b", "kep-2022": "422 spec.choice.b" },
    },
    { command: serverSide("q", forced), input: widget("ssa", "B b"), expect: both("B b") },
    { command: serverSide("p"), input: widget("ssa", "A a"), expect: both("409 .spec.choice.type") },
    { command: serverSide("p", forced), input: widget("ssa", "A a"), expect: both("A a") },
    {
      command: serverSide("p"),
      input: '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"ssa"},"spec":{"note":"n"}}',
      expect: both("none"),
    },
  ],
  "a Deployment's strategy, client-side": [
    {
      command: "apply -f -",
      input: deployment("csd", { strategy: rolling }),
      expect: both("RollingUpdate rollingUpdate"),
    },
    { command: "apply -f -", input: deployment("csd", { strategy: { type: "Recreate" } }), expect: both("Recreate") },
    {
      command: 'patch deployment csd -p {"spec":{"strategy":{"type":"RollingUpdate"}}}',
      expect: both("RollingUpdate rollingUpdate"),
    },
    { command: 'patch deployment csd -p {"spec":{"strategy":{"type":"Recreate"}}}', expect: both("Recreate") },
    {
      command: "replace -f -",
      input: deployment("csd", { strategy: rolling }),
      expect: both("RollingUpdate rollingUpdate"),
    },
  ],
  "a Deployment's strategy, server-side": [
    {
      command: serverSide("p"),
      input: deployment("ssd", { strategy: rolling }),
      expect: both("RollingUpdate rollingUpdate"),
    },
    {
      command: serverSide("q"),
      input: deployment("ssd", { strategy: { type: "Recreate" } }),
      expect: { extended: "409 .spec.strategy.type", "kep-2022": "Recreate" },
    },
    {
      command: serverSide("q", forced),
      input: deployment("ssd", { strategy: { type: "Recreate" } }),
      expect: both("Recreate"),
    },
  ],
  "the source of a volume, which nothing selects": [
    {
      command: "apply -f -",
      input: deployment("vol", { volumes: [{ name: "v", emptyDir: {} }] }),
      expect: both("emptyDir"),
    },
    {
      command:
        'patch deployment vol -p {"spec":{"template":{"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}}}}',
      expect: {
        extended: "hostPath",
        "kep-2022": "422 spec.template.spec.volumes[0].hostPath spec.template.spec.volumes[0]",
      },
    },
    {
      command: serverSide("q"),
      input: deployment("vol", { volumes: [{ name: "v", configMap: { name: "c" } }] }),
      expect: {
        extended: '409 .spec.template.spec.volumes[name="v"].hostPath',
        "kep-2022": "422 spec.template.spec.volumes[0].configMap spec.template.spec.volumes[0]",
      },
    },
    {
      command: serverSide("q", forced),
      input: deployment("vol", { volumes: [{ name: "v", configMap: { name: "c" } }] }),
      expect: {
        extended: "configMap",
        "kep-2022": "422 spec.template.spec.volumes[0].configMap spec.template.spec.volumes[0]",
      },
    },
  ],
}

/** A request to an object and its response. */
export interface Exchange {
  readonly method: string
  readonly path: string
  /** The content type of the body. */
  readonly type?: string
  readonly body?: string
  readonly answer: Answer
}

/** The parts of a response about unions. */
export interface Answer {
  readonly status: number
  readonly warning?: string
  /** The message of a Status and the fields of its causes. */
  readonly message?: string
  readonly fields?: readonly string[]
  /** The unions of an object. */
  readonly unions?: MapValue
  /** The fields of the unions that each manager owns. */
  readonly owners?: readonly string[]
}

/** A step with the requests that kubectl sent. */
interface PlayedStep {
  readonly command: string
  readonly output: string
  readonly exit: number | null
  readonly requests: readonly Exchange[]
}

/** The recorded steps by topic. */
export type PlayedSession = Readonly<Record<string, readonly PlayedStep[]>>

const start = Date.parse("2026-01-01T00:00:00Z")

/** Creates a server whose clock stands still until the test moves it. Except for uids, its responses depend on the requests only. */
function sessionServer(policy: Policy): { readonly server: ApiServer; readonly nextMinute: () => void } {
  let now = start
  const server = createApiServer({
    crds: [unionDefinition("fieldMembers")],
    unions: policy,
    clock: () => new Date(now),
  })
  return {
    server,
    nextMinute() {
      now += 60_000
    },
  }
}

/** Plays the session with kubectl, and returns the recording. */
export async function play(kubectl: string, policy: Policy): Promise<PlayedSession> {
  const { server, nextMinute } = sessionServer(policy)
  let requests: Exchange[] = []
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    if (!pathname.includes("/namespaces/")) return server.fetch(request)
    const body = await request.clone().text()
    const response = await server.fetch(request)
    const type = request.headers.get("content-type") ?? ""
    const sent = { method: request.method, path: pathname + search, ...(body !== "" && { type, body }) }
    requests.push({ ...sent, answer: await answerOf(request.method, response.clone()) })
    return response
  }
  const folder = mkdtempSync(join(tmpdir(), "kubectl-"))
  const listening = await listen({ server, fetch })
  const played: Record<string, PlayedStep[]> = {}
  try {
    const config = join(folder, "kubeconfig")
    writeFileSync(config, listening.kubeconfig)
    const base = { KUBECONFIG: config, HOME: folder, TMPDIR: folder, KUBECACHEDIR: join(folder, "cache"), LC_ALL: "C" }
    for (const [topic, steps] of Object.entries(session)) {
      played[topic] = []
      for (const { command, input = "", editor } of steps) {
        nextMinute()
        requests = []
        const env = { ...base, ...(editor !== undefined && { KUBE_EDITOR: editorOf(editor, folder) }) }
        const ran = await run(kubectl, command.split(" "), { cwd: folder, env, input, seconds: 60 })
        const output = `${ran.stdout}${ran.stderr}`.replaceAll(listening.url, "SERVER").replaceAll(folder, "FOLDER")
        played[topic].push({ command, output, exit: ran.exit, requests })
      }
    }
    return played
  } finally {
    await listening.close()
    rmSync(folder, { recursive: true })
  }
}

/** Creates a program that edits a file with a sed script, which may contain spaces. */
function editorOf(script: string, folder: string): string {
  const file = join(folder, "editor.sed")
  writeFileSync(file, `${script}\n`)
  return `sed -i -f ${file}`
}

/** Sends all requests again. Returns the responses by topic and step. */
export async function replay(policy: Policy, played: PlayedSession): Promise<Record<string, Answer[][]>> {
  const { server, nextMinute } = sessionServer(policy)
  const answers: Record<string, Answer[][]> = {}
  for (const [topic, steps] of Object.entries(played)) {
    const ofTopic: Answer[][] = []
    for (const { requests } of steps) {
      nextMinute()
      const given: Answer[] = []
      for (const { method, path, type, body } of requests) {
        const headers = { accept: "application/json", ...(type !== undefined && { "content-type": type }) }
        const request = new Request(`http://test${path}`, { method, headers, ...(body !== undefined && { body }) })
        given.push(await answerOf(method, await server.fetch(request)))
      }
      ofTopic.push(given)
    }
    answers[topic] = ofTopic
  }
  return answers
}

/** Returns the result of a step: the stored union, or the refusal of the last request that writes. */
export function outcomeOf(requests: readonly Exchange[]): string {
  const last = requests.findLast(({ method }) => method !== "GET")?.answer
  if (last === undefined) return "nothing was sent"
  if (last.unions === undefined) return [last.status, ...(last.fields ?? [])].join(" ")
  return Object.values(last.unions).map(textOfUnion).join("; ") || "none"
}

function textOfUnion(union: Value): string {
  const [volume] = Array.isArray(union) ? (union as MapValue[]) : []
  if (volume === undefined) return textOf(union)
  const { name: _, ...sources } = volume
  return Object.keys(sources).sort().join(" ")
}

async function answerOf(method: string, response: Response): Promise<Answer> {
  const { status } = response
  if (method === "GET") return { status }
  const warning = response.headers.get("warning")
  const said = { status, ...(warning !== null && { warning }) }
  const body = JSON.parse(await response.text()) as MapValue
  if (body.kind === "Status") {
    const causes = ((body.details as MapValue | undefined)?.causes ?? []) as unknown as readonly { field: string }[]
    return { ...said, message: String(body.message), fields: causes.map(({ field }) => field) }
  }
  return { ...said, unions: unionsIn(body), owners: ownersIn(body) }
}

/** The paths of unions in the objects of the session. */
const places = [["choice"], ["strategy"], ["template", "spec", "volumes"]]

function unionsIn({ spec }: MapValue): MapValue {
  const found = places.flatMap(place => {
    const value = place.reduce<Value | undefined>((at, key) => (at as MapValue | undefined)?.[key], spec)
    return value === undefined ? [] : [[place.join("."), value] as const]
  })
  return Object.fromEntries(found.some(([name]) => name.endsWith("volumes")) ? found.slice(1) : found)
}

function ownersIn({ metadata }: MapValue): string[] {
  const entries = ((metadata as MapValue).managedFields ?? []) as unknown as ManagedFieldsEntry[]
  return entries.map(entry => {
    const [owner] = decodeManagedFields([entry]).fields.values()
    const paths = Array.from(owner?.set ?? [], formatPath)
    const inUnions = paths.filter(path => /^\.spec\.(choice|strategy|template\.spec\.volumes)\b/.test(path))
    return `${entry.manager} ${entry.operation}: ${inUnions.join(" ")}`
  })
}
