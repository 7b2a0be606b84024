// Records the patches with which kubectl migrates from client-side to server-side apply:
//
//   node scripts/record-migrations.mjs FOLDER
//
// FOLDER has requests of kubectl to a real kube-apiserver, with the answers. These recordings are kept next to the repository, not in it.
//
// The script writes test/vectors/kubectl-migrations.json: for each JSON Patch in the recorded requests of kubectl, the object before the patch, the
// text of the patch, and the server's answer.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("node scripts/record-migrations.mjs FOLDER")

const recorded = []
for (const file of readdirSync(folder).sort()) {
  if (!/^\d.*\.json$/.test(file)) continue
  const { command, requests } = JSON.parse(readFileSync(join(folder, file), "utf8"))
  requests.forEach(({ headers, path, body, status, responseBody }, i) => {
    if (headers["content-type"] !== "application/json-patch+json" || !body.text.includes("/metadata/managedFields"))
      return
    const [place] = path.split("?")
    const before = requests.slice(0, i).findLast(other => other.path.split("?")[0] === place && other.status < 300)
    recorded.push({
      name: file.replace(/\.json$/, ""),
      command: command.join(" "),
      live: JSON.parse(before.responseBody.text),
      patch: body.text,
      status,
      answer: JSON.parse(responseBody.text),
    })
  })
}
writeFileSync(join(root, "test/vectors/kubectl-migrations.json"), `${JSON.stringify(recorded, null, 1)}\n`)
console.log(`${recorded.length} patches`)
