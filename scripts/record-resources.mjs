// Records which resources an API server serves:
//
//   node scripts/record-resources.mjs
//
// It reads the discovery documents in the Go module k8s.io/kubernetes, at the version of oracle/reset-fields/go.mod, and writes
// src/kinds/resource/built-in-data.ts. The documents have all versions of all groups. By default, a server serves only stable versions.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"

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

const options = { cwd: join(root, "oracle/reset-fields"), encoding: "utf8" }
const module = JSON.parse(execFileSync("go", ["mod", "download", "-json", "k8s.io/kubernetes"], options))
const isStable = ({ version }) => /^v\d+$/.test(version)
const groups = [coreGroup(), ...read("aggregated_v2.json").items]
const lines = groups.flatMap(({ metadata, versions }) =>
  versions
    .filter(isStable)
    .map(({ version, resources }) =>
      JSON.stringify([metadata.name, version, resources.map(resource => rowOf(resource))]),
    ),
)
const text = `// Written by scripts/record-resources.mjs from the discovery documents in k8s.io/kubernetes (Apache-2.0).

/** The release that serves these resources. */
export const recordedVersion = ${JSON.stringify(module.Version)}

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

function read(file) {
  return JSON.parse(readFileSync(join(module.Dir, "api/discovery", file), "utf8"))
}

/** Reads the core group, whose document has an older form: a list of resources and subresources with names such as `pods/status`. */
function coreGroup() {
  const all = read("api__v1.json").resources.map(
    ({ name, kind, group = "", version = "", singularName, namespaced, ...rest }) => {
      const [resource, subresource] = name.split("/")
      const scope = namespaced ? "Namespaced" : "Cluster"
      return {
        ...rest,
        resource,
        subresource,
        responseKind: { kind, group, version },
        singularResource: singularName,
        scope,
      }
    },
  )
  const resources = all
    .filter(({ subresource }) => subresource === undefined)
    .map(found => ({
      ...found,
      subresources: all.filter(other => other.resource === found.resource && other.subresource !== undefined),
    }))
  return { metadata: { name: "" }, versions: [{ version: "v1", resources }] }
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
