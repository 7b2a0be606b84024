// Finds and requires Go modules at a release of Kubernetes.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The reference itself. It must not become older than the releases that our code follows. */
const reference = "sigs.k8s.io/structured-merge-diff/"

/**
 * Finds the modules of Kubernetes 1.`version`: k8s.io/kubernetes, and the modules that are published from its repository under other
 * names, such as k8s.io/api. Their versions are v1.x.y and v0.x.y.
 */
export function findRelease(version) {
  const [kubernetes, staging] = [`v1.${version}`, `v0.${version}`]
  const { GoMod } = download(`k8s.io/kubernetes@${kubernetes}`)
  download(`k8s.io/api@${staging}`)
  const replaced = readFileSync(GoMod, "utf8").matchAll(/^\t(k8s\.io\/\S+) => \.\/staging\//gm)
  return { kubernetes, staging, published: new Set([...replaced].map(([, name]) => name)) }
}

/**
 * Makes the Go module in a folder require the release. Drops requirements that Kubernetes brings along, because `go mod tidy` finds them
 * again at the versions of the release. The replacements of k8s.io/kubernetes refer to its own repository, and become releases here.
 */
export function requireRelease(folder, { kubernetes, staging, published }) {
  const file = join(folder, "go.mod")
  const kept = []
  let isWhole = false
  const withoutReplacements = readFileSync(file, "utf8").replace(/^replace \([^)]*\)\n/m, "")
  for (const line of withoutReplacements.split("\n")) {
    const [, name] = /^\t(\S+) v/.exec(line) ?? []
    if (name === "k8s.io/kubernetes") isWhole = true
    if (name === undefined || name.startsWith(reference)) kept.push(line)
    else if (name === "k8s.io/kubernetes") kept.push(`\t${name} ${kubernetes}`)
    else if (published.has(name) && !line.endsWith("// indirect")) kept.push(`\t${name} ${staging}`)
  }
  const replaced = [...published].map(name => `\t${name} => ${name} ${staging}\n`).join("")
  writeFileSync(file, kept.join("\n") + (isWhole ? `\nreplace (\n${replaced})\n` : ""))
  // `go mod tidy` fails if the module imports a package that this release lacks.
  if (isWhole) go(folder, "run", "-mod=mod", "./packages")
  go(folder, "mod", "tidy")
}

function go(folder, ...args) {
  const { status, stderr } = spawnSync("go", args, { cwd: folder, encoding: "utf8" })
  if (status !== 0) throw new Error(`go ${args.join(" ")} failed in ${folder}:\n${stderr}`)
}

/** Downloads a Go module if it is missing, and returns its description as Go prints it. */
function download(module) {
  const { status, stdout, error } = spawnSync("go", ["mod", "download", "-json", module], { encoding: "utf8" })
  if (error !== undefined) throw new Error(`this needs Go: ${error.message}`)
  const answer = JSON.parse(stdout)
  if (status !== 0) throw new Error(`${module} can't be had: ${answer.Error}`)
  return answer
}
