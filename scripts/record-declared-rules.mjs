// Records the validation that Kubernetes declares for its own kinds in markers:
//
//   node scripts/record-declared-rules.mjs
//
// It reads the rule documents of all Go types in test/vectors/kind-rules.json.gz, which `npm run fuzz -- kinds` writes, and writes
// src/kinds/validation/declared-data.ts: the served kinds, and only what a server enforces by default.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { root } from "./install.mjs"

/** Markers of rules that are not enforced by data: Go code, and names, which are checked for every kind. */
const ignored = ["alpha", "customValidation", "opaqueType", "subfield"]

/** Rules that report nothing by themselves. */
const passive = ["isSubresource", "listMapKey", "listType", "optional", "supportsSubresource"]

const recorded = JSON.parse(gunzipSync(readFileSync(join(root, "test/vectors/kind-rules.json.gz"))))
const lines = Object.entries(recorded.documents)
  .filter(([path]) => /\/v\d+$/.test(path))
  .flatMap(([path, document]) => {
    const [name, version] = path.split("/").slice(-2)
    const types = enforced(document.types)
    return Object.keys(types).length === 0 ? [] : [`${JSON.stringify(`${name}/${version}`)}:${JSON.stringify(types)}`]
  })
const text = `// Written by scripts/record-declared-rules.mjs from the markers in the Go types of Kubernetes (Apache-2.0).

/**
 * JSON: the types of a rule document by the group, up to its first dot, and the version: \`node/v1\`. Rules of level \`alpha\`, which no server
 * enforces, are left out, and so is everything in which no rule is left. The type of a field is \`any\` if only its equality matters.
 */
export const declaredData = \`{
${lines.join(",\n")}
}\`
`
writeFileSync(join(root, "src/kinds/validation/declared-data.ts"), text.replaceAll("\\", "\\\\"))

/** Returns the kinds with enforced rules, and the types that they lead to. */
function enforced(all) {
  const types = Object.fromEntries(Object.entries(all).map(([name, type]) => [name, withoutAlpha(type)]))
  const active = activeTypes(types)
  const kept = {}
  const keep = (name, compared) => {
    const type = types[name]
    if (type === undefined || kept[name]?.compared >= compared) return
    const fields = type.fields?.flatMap(field => {
      const inner = nameOf(field.type)
      const isActive = hasRules(field) || active.has(inner)
      const isKept = isActive || compared
      return isKept ? { ...field, type: isActive ? field.type : plain(field.type, types) } : []
    })
    kept[name] = { compared, type: { ...type, ...(fields && { fields }) } }
    for (const { type: text, rules = [] } of fields ?? []) {
      if (text !== "any") keep(nameOf(text), compared || rules.some(isComparing) ? 1 : 0)
    }
    if (type.type !== undefined) keep(nameOf(type.type), compared)
  }
  for (const name of active) if (isKind(types[name]) && types[name].fields !== undefined) keep(name, 0)
  return Object.fromEntries(Object.entries(kept).map(([name, { type }]) => [name, bare(type)]))
}

function withoutAlpha(type) {
  const fields = type.fields?.map(field => ({ ...field, rules: enforcedRules(field.rules) }))
  return { ...type, rules: enforcedRules(type.rules), ...(fields && { fields }) }
}

function enforcedRules(rules = []) {
  return rules.flatMap(rule => {
    if (rule.tag === "beta") return enforcedRules([rule.payload])
    if (ignored.includes(rule.tag)) return []
    if (typeof rule.payload !== "object") return [rule]
    return enforcedRules([rule.payload]).map(payload => ({ ...rule, payload }))
  })
}

function hasRules({ rules = [] }) {
  return rules.some(({ tag }) => !passive.includes(tag))
}

/** Rules that compare whole values. */
function isComparing({ tag, value }) {
  return ["immutable", "unique", "update"].includes(tag) || (tag === "listType" && value !== "atomic")
}

/** Returns the names of the types with rules at any depth. */
function activeTypes(types) {
  const active = new Set(Object.keys(types).filter(name => hasRules(types[name])))
  for (let size = -1; size !== active.size; ) {
    size = active.size
    for (const [name, { type, fields = [] }] of Object.entries(types)) {
      const inner = [...(type === undefined ? [] : [type]), ...fields.map(field => field.type)]
      if (fields.some(hasRules) || inner.some(text => active.has(nameOf(text)))) active.add(name)
    }
  }
  return active
}

/** Whether the type is a kind with a resource of its own. */
function isKind({ rules, fields = [] }) {
  if (rules.some(({ tag }) => tag === "isSubresource")) return false
  return fields.some(({ name }) => name === "TypeMeta") && fields.some(({ name }) => name === "ObjectMeta")
}

/** Returns the name in a type such as `[]*Port`. */
function nameOf(text) {
  return text.replace(/^(\*|\[\]|map\[[^\]]*\])*/, "")
}

/** Returns the type of a field in which nothing is checked: a struct is `any`, and other names stand for their types. */
function plain(text, types) {
  const name = nameOf(text)
  const type = types[name]
  if (type === undefined) return text
  return type.type === undefined ? "any" : plain(text.slice(0, -name.length) + type.type, types)
}

/** Returns the type without what nothing reads: empty lists of rules, and constants that no enum lists. */
function bare({ rules, fields, constants, ...type }) {
  return {
    ...type,
    ...(fields && {
      fields: fields.map(({ rules, ...field }) => ({ ...field, ...(rules.length > 0 && { rules }) })),
    }),
    ...(rules.length > 0 && { rules }),
    ...(rules.some(({ tag }) => tag === "enum") && { constants }),
  }
}
