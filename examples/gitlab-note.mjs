// Writes a report of smd as a note on a merge request of GitLab, and replaces the note that it wrote before:
//   smd plan ... -o markdown --out note.md; node gitlab-note.mjs note.md
// SMD_TOKEN is a token with the scope api. GitLab sets the other variables in jobs of merge requests.
import { readFileSync } from "node:fs"

const { CI_API_V4_URL: api, CI_PROJECT_ID: project, CI_MERGE_REQUEST_IID: request, SMD_TOKEN: token = "" } = process.env
const notes = `${api}/projects/${project}/merge_requests/${request}/notes`
const headers = { "PRIVATE-TOKEN": token, "Content-Type": "application/json" }

/** Returns the response. Throws an Error unless GitLab answers with success. */
async function send(method, url, body) {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify({ body }) }) })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status}`)
  return response
}

/** Returns the note of the token's own user that has this first line. Notes of others don't count, because anybody can copy the line. */
async function findNote(firstLine) {
  const user = await (await send("GET", `${api}/user`)).json()
  for (let page = "1"; page !== ""; ) {
    const response = await send("GET", `${notes}?per_page=100&page=${page}`)
    const found = (await response.json()).find(
      ({ author, body }) => author.id === user.id && body.startsWith(firstLine),
    )
    if (found !== undefined) return found
    page = response.headers.get("x-next-page") ?? ""
  }
  return undefined
}

const text = readFileSync(process.argv[2], "utf8")
const note = await findNote(text.split("\n", 1)[0])
await (note === undefined ? send("POST", notes, text) : send("PUT", `${notes}/${note.id}`, text))
