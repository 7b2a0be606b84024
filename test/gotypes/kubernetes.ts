/**
 * Reads the Go types of Kubernetes itself, from the modules that `oracle` names. Compares them with the bundled schema, type by type, and
 * their unions with the recorded ones, which the tests compare with the bundled table. Needs Go and its modules. Prints the differences, and
 * fails if there are any.
 *
 *     npm run --silent gotypes
 *     npm run --silent gotypes -- --save    records the unions again
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type GoSources, type GoTypes, readGoTypes } from "../../src/gotypes/index.js"
import { kubernetesSchema } from "../../src/kubernetes/index.js"
import type { TypeDef } from "../../src/schema/schema.js"
import type { TypeUnions } from "../../src/schema/union.js"
import { projectRoot } from "../support/entries.js"
import { goModule, goModuleFolder } from "../support/go.js"
import { declaredUnions, differences } from "./differences.js"

const home = join(projectRoot, "oracle")
/** The modules that have kinds. */
const withKinds = ["k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator"]
const modules = new Map([...withKinds, "k8s.io/apimachinery"].map(path => [path, goModuleFolder(path, home)]))

/** The files of a package of these modules. Generated files declare no types of an API. */
function sourcesOf(path: string): GoSources | undefined {
  const module = [...modules.keys()].find(name => path.startsWith(`${name}/`))
  const folder = module === undefined ? undefined : join(modules.get(module) ?? "", path.slice(module.length))
  if (folder === undefined || !existsSync(folder)) return undefined
  const names = readdirSync(folder).filter(name => name.endsWith(".go") && !/^(generated|zz_generated)\./.test(name))
  const files = names.filter(name => !/_test\.go$|_fuzz\.go$/.test(name))
  return files.length === 0
    ? undefined
    : Object.fromEntries(files.map(name => [name, readFileSync(join(folder, name), "utf8")]))
}

function packagesOf(module: string): string[] {
  const top = modules.get(module) ?? ""
  const folders = readdirSync(top, { recursive: true, encoding: "utf8" }).filter(name =>
    statSync(join(top, name)).isDirectory(),
  )
  return (
    folders
      // The types of packages without a version are not in JSON.
      .filter(name => /\/v\d\w*$/.test(name) && existsSync(join(top, name, "types.go")))
      .map(name => `${module}/${name}`)
      .sort()
  )
}

const bundled = new Map(kubernetesSchema().types.map(type => [type.name, type]))
const found = new Map<string, TypeDef>()
const unions = new Map<string, TypeUnions>()
const problems: string[] = []
let warnings = 0

for (const path of withKinds.flatMap(packagesOf)) {
  let read: GoTypes
  try {
    read = await readGoTypes(sourcesOf(path) ?? {}, { path, resolve: sourcesOf })
  } catch (error) {
    problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`)
    continue
  }
  for (const type of read.schema.types) found.set(type.name, type)
  for (const type of read.unions.types) unions.set(type.name, type)
  warnings += read.warnings.length
  if (process.argv.includes("--warnings")) for (const warning of read.warnings) console.log(path, warning)
}

let equal = 0
for (const [name, type] of bundled) {
  // Upstream never refers to this type: it writes raw JSON as the untyped type everywhere.
  if (name === "io.k8s.apimachinery.pkg.runtime.RawExtension") continue
  const read = found.get(name)
  if (read === undefined) {
    if (name.startsWith("io.k8s.api.")) problems.push(`${name} is not among the types that were read`)
    continue
  }
  const different = differences(type, read)
  if (different.length === 0) equal++
  problems.push(...different)
}
// k8s.io/api v0.37.2 belongs to Kubernetes 1.37.2.
const release = goModule("k8s.io/api", home).version.replace("v0.", "1.")
const recording = join(projectRoot, "test", "vectors", "declared-unions.json")
const lines = Object.entries(declaredUnions({ types: [...unions.values()] }))
  .map(([name, declared]) => `${JSON.stringify(name)}:${JSON.stringify(declared)}`)
  .join(",\n")
const declared = `{"release":"${release}","types":{\n${lines}\n}}\n`
if (process.argv.includes("--save")) writeFileSync(recording, declared)
else if (readFileSync(recording, "utf8") !== declared) {
  problems.push(`${recording} is not what the types declare: npm run gotypes -- --save`)
}
for (const problem of problems) console.log(problem)
console.log(`${equal} types equal, ${unions.size} types with unions, ${warnings} warnings, ${problems.length} problems`)
// Without this check, a missing table would have no differences.
if (problems.length > 0 || equal < 900 || unions.size < 30) process.exitCode = 1
