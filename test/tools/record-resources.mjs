// Records which resources an API server serves:
//
//   node test/tools/record-resources.mjs ../shared/apiserver
//
// reads the discovery documents of a real server (FOLDER/openapi) and writes src/kinds/resource/built-in-data.ts. Groups of
// example.org, which were custom resources there, are left out.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("node test/tools/record-resources.mjs FOLDER")

const letters = {
  create: "c",
  delete: "d",
  deletecollection: "D",
  get: "g",
  list: "l",
  patch: "p",
  update: "u",
  watch: "w",
}

const groups = [...read("discovery-aggregated-api.json").items, ...read("discovery-aggregated-apis.json").items]
const builtIn = groups.filter(({ metadata }) => !/(^|\.)example\.(org|com)$/.test(metadata.name ?? ""))
const lines = builtIn.flatMap(({ metadata, versions }) =>
  versions.map(({ version, resources }) =>
    JSON.stringify([metadata.name ?? "", version, resources.map(resource => rowOf(resource))]),
  ),
)
const { gitVersion } = read("version.json")
const text = `// Written by test/tools/record-resources.mjs from what a kube-apiserver ${gitVersion} says in discovery.

/** The release of the server that was asked. */
export const recordedVersion = ${JSON.stringify(gitVersion)}

/**
 * JSON: [group, version, resources] in the order of preference. A resource is [plural, kind, singular, scope ("N" or "C"), verbs,
 * short names, categories, subresources], and a subresource [name, kind, apiVersion ("" for that of the resource), verbs]. Verbs
 * are letters: ${Object.entries(letters)
   .map(([verb, letter]) => `${letter} ${verb}`)
   .join(", ")}.
 */
export const resourceData = \`[
${lines.join(",\n")}
]\`
`
writeFileSync(join(root, "src/kinds/resource/built-in-data.ts"), text)
console.log(`${lines.length} versions of groups, ${text.length} characters`)

function read(file) {
  return JSON.parse(readFileSync(join(folder, "openapi", file), "utf8"))
}

function rowOf({ resource, responseKind, singularResource, scope, verbs, shortNames, categories, subresources }) {
  return [
    resource,
    responseKind.kind,
    singularResource,
    scope === "Namespaced" ? "N" : "C",
    lettersOf(verbs),
    shortNames ?? [],
    categories ?? [],
    (subresources ?? []).map(sub => [
      sub.subresource,
      sub.responseKind.kind,
      apiVersionOf(sub.responseKind),
      lettersOf(sub.verbs),
    ]),
  ]
}

function apiVersionOf({ group, version }) {
  return group === "" ? version : `${group}/${version}`
}

function lettersOf(verbs) {
  return verbs.map(verb => letters[verb]).join("")
}
