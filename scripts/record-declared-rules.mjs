// Records the validation that Kubernetes declares for its own kinds in markers:
//
//   node scripts/record-declared-rules.mjs
//
// It reads the rule documents of all Go types in test/vectors/kind-rules.json.gz, which `npm run fuzz -- kinds` writes, and writes
// src/kinds/validation/declared-data.ts: the served kinds, what a server enforces by default, and the rules that it only compares with its
// handwritten checks (`alpha`). Rules of level `beta` are written without their level: the server has no handwritten twins of them.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { root } from "./install.mjs"

/** Markers of rules that are not enforced by data: Go code, and names, which are checked for every kind. */
const ignored = ["customValidation", "opaqueType", "subfield"]

/** Shared types and fields whose rules of level `alpha` are left out: src/kinds/validation/metadata.ts checks metadata, nothing checks conditions. */
const isUncompared = (type, field) => type.startsWith("metav1.") || field === "conditions"

/** Rules that report nothing by themselves. */
const passive = ["isSubresource", "listMapKey", "listType", "optional", "supportsSubresource"]

const recorded = JSON.parse(gunzipSync(readFileSync(join(root, "test/vectors/kind-rules.json.gz"))))
const lines = Object.entries(recorded.documents)
  .filter(([path]) => /\/v\d+$/.test(path) && !path.includes("/authorization/"))
  .flatMap(([path, document]) => {
    const [name, version] = path.split("/").slice(-2)
    const types = enforced(document.types)
    return Object.keys(types).length === 0 ? [] : [`${JSON.stringify(`${name}/${version}`)}:${JSON.stringify(types)}`]
  })
const text = `// Written by scripts/record-declared-rules.mjs from the markers in the Go types of Kubernetes (Apache-2.0).

/**
 * JSON: the types of a rule document by the group, up to its first dot, and the version: \`node/v1\`. Rules of level \`alpha\` are not enforced,
 * but compared with handwritten checks. Everything without rules is left out. The type of a field is \`any\` if only its equality matters.
 */
export const declaredData = \`{
${lines.join(",\n")}
}\`
`
writeFileSync(join(root, "src/kinds/validation/declared-data.ts"), text.replaceAll("\\", "\\\\"))

/** Returns the kinds with enforced rules, and the types that they lead to. */
function enforced(all) {
  const types = Object.fromEntries(Object.entries(all).map(([name, type]) => [name, withKeptRules(name, type)]))
  const active = activeTypes(types)
  const kept = {}
  const keep = (name, compared) => {
    const type = types[name]
    if (type === undefined || kept[name]?.compared >= compared) return
    const named = (type.fields ?? []).flatMap(({ rules }) => rules.map(rule => checked(rule)).flatMap(siblingOf))
    const fields = type.fields?.flatMap(field => {
      const inner = nameOf(field.type)
      const isActive = hasRules(field) || active.has(inner)
      const isKept = isActive || compared || named.includes(field.json)
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

function withKeptRules(name, type) {
  const kept = (rules, field) => keptRules(rules, !isUncompared(name, field))
  const fields = type.fields?.map(field => ({ ...field, rules: kept(field.rules, field.json) }))
  return { ...type, rules: kept(type.rules, ""), ...(fields && { fields }) }
}

function keptRules(rules = [], compared = true) {
  return rules.flatMap(rule => {
    if (rule.tag === "beta") return keptRules([rule.payload], compared)
    if (ignored.includes(rule.tag) || (rule.tag === "alpha" && !compared)) return []
    if (typeof rule.payload !== "object") return [rule]
    const { args, ...kept } = rule
    return keptRules([rule.payload], compared).map(payload => ({
      ...kept,
      ...(args !== undefined && rule.tag !== "alpha" && { args }),
      payload,
    }))
  })
}

function hasRules({ rules = [] }) {
  return rules.some(rule => !passive.includes(checked(rule).tag))
}

/** Returns the rule without its level. */
function checked(rule) {
  return rule.tag === "alpha" ? rule.payload : rule
}

/** Returns the name of the other field that the rule is about. */
function siblingOf({ tag, arg }) {
  return tag.startsWith("dependent") ? [arg] : []
}

/** Rules that compare whole values. */
function isComparing(rule) {
  const { tag, value } = checked(rule)
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
    ...(rules.some(rule => checked(rule).tag === "enum") && { constants }),
  }
}
