// The tables of a Kubernetes release, and the programs that write them, in the order in which they run: some read earlier tables.
import { gunzipSync } from "node:zlib"

const node = (...args) => ["node", ...args]
const program = (path, ...args) => node("scripts/run.mjs", `dist-test/test/${path}.js`, ...args)
const go = (folder, ...args) => ({ cwd: folder, run: ["go", "run", ...args] })
const printed = (folder, ...args) => ({ ...go(folder, ...args), prints: true })

/**
 * `run` is a command and its arguments, `cwd` the folder it runs in, `input` the file it reads from standard input. It prints its table if
 * `prints` is set, and writes it otherwise. If `compares` is set, status 1 means that the program found differences between our code and Go's.
 *
 * `tables` has the files, and for each a function from its text to its entries: {noun: {name: entry}}.
 */
export const steps = [
  {
    ...go("oracle/reset-fields", "./packages"),
    tables: {
      "oracle/reset-fields/install/install.go": packages,
      "oracle/reset-fields/providers.go": packages,
      "oracle/reset-fields/rules/packages.go": packages,
    },
  },
  { run: node("scripts/record-resources.mjs"), tables: { "src/kinds/resource/built-in-data.ts": resources } },
  {
    run: node("scripts/record-openapi-texts.mjs"),
    tables: { "src/apiserver/discovery/custom-openapi-data.ts": leavesAs("texts") },
  },
  { ...printed("oracle", "./cmd/kubernetes-schema"), tables: { "src/kubernetes/schema-data.ts": schema } },
  {
    ...printed("oracle", "./cmd/removed-versions"),
    tables: { "src/kubernetes/removed-versions-data.ts": leavesAs("kinds") },
  },
  {
    ...printed("oracle", "./cmd/patch-keys"),
    tables: { "src/apiserver/strategic-merge/patch-keys-data.ts": leavesAs("fields") },
  },
  { ...printed("oracle", "./cmd/go-zeros"), tables: { "src/kinds/shape/go-zeros-data.ts": leavesAs("types") } },
  { ...printed("oracle", "./cmd/go-types"), tables: { "src/kinds/shape/go-types-data.ts": leavesAs("types") } },
  {
    ...printed("oracle", "./cmd/protobuf-fields"),
    tables: { "src/apiserver/protobuf/fields-data.ts": protobufFields },
  },
  { ...printed("oracle/reset-fields", "."), tables: { "src/kubernetes/reset-fields-data.ts": resetFields } },
  {
    ...printed("oracle/reset-fields", "./struct-layout"),
    tables: { "src/kinds/validation/struct-layout-data.ts": structLayout },
  },
  {
    ...printed("oracle/reset-fields", "./rbac"),
    tables: { "src/apiserver/authorization/bootstrap-data.ts": bootstrapRoles },
  },
  {
    ...printed("oracle/reset-fields", "./rbac", "-vectors", "24", "-seed", "1"),
    tables: { "test/vectors/rbac.json": text => ({ cases: { ...JSON.parse(text) } }) },
  },
  {
    ...printed("oracle/reset-fields", "./columns"),
    tables: { "src/kinds/families/column-descriptions-data.ts": columns },
  },
  {
    ...printed("oracle/reset-fields", "./tables"),
    input: "test/vectors/table-objects.json",
    tables: {
      "test/vectors/tables.json": text => ({ objects: numbered(JSON.parse(text), shown => shown.object.kind) }),
    },
  },
  {
    ...printed("oracle/reset-fields", "./unions"),
    input: "test/vectors/union-objects.json",
    tables: {
      "test/vectors/union-values.json": text => ({ values: numbered(JSON.parse(text), answer => answer.type) }),
    },
  },
  {
    run: node("node_modules/vitest/vitest.mjs", "run", "test/tools/controller/list-keys.test.ts", "-u"),
    tables: { "src/tools/controller/list-keys.ts": text => ({ lists: namesOf(text.match(/^ {2}\| .*$/gm) ?? []) }) },
  },
  {
    run: program("gotypes/kubernetes", "--save"),
    compares: true,
    tables: { "test/vectors/declared-unions.json": text => ({ types: JSON.parse(text).types }) },
  },
  {
    run: program("vectors/record", "kubernetes-documents"),
    tables: { "test/vectors/kubernetes-documents.json.gz": documents },
  },
  {
    run: program("vectors/record", "protobuf"),
    tables: {
      "test/vectors/protobuf.json.gz": text => ({ objects: numbered(JSON.parse(text), object => object.kind) }),
    },
  },
  {
    run: program("vectors/record", "shadow"),
    tables: { "test/vectors/shadow.json.gz": text => ({ cases: { ...text.trim().split("\n") } }) },
  },
  {
    run: program("validation/fuzz/kinds", "--cases", "5", "--seed", "7", "--write", "test/vectors/kind-rules.json.gz"),
    compares: true,
    tables: { "test/vectors/kind-rules.json.gz": kindRules },
  },
  {
    run: node("scripts/record-declared-rules.mjs"),
    tables: { "src/kinds/validation/declared-data.ts": leavesAs("types") },
  },
]

/** Returns the text of a table from the bytes of its file. */
export function textOf(file, bytes) {
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
}

/** Compares two texts of a table: {noun: {added, removed, changed}}, each a list of names. Nouns without a difference are absent. */
export function differences(entriesOf, before, after) {
  const [old, next] = [entriesOf(before), entriesOf(after)]
  const found = {}
  for (const noun of Object.keys(next)) {
    const [oldTexts, newTexts] = [textsOf(old[noun]), textsOf(next[noun])]
    const added = [...newTexts.keys()].filter(name => !oldTexts.has(name))
    const removed = [...oldTexts.keys()].filter(name => !newTexts.has(name))
    const changed = [...newTexts.keys()].filter(name => oldTexts.has(name) && oldTexts.get(name) !== newTexts.get(name))
    if (added.length + removed.length + changed.length > 0) found[noun] = { added, removed, changed }
  }
  return found
}

function textsOf(entries) {
  return new Map(Object.entries(entries ?? {}).map(([name, value]) => [name, JSON.stringify(value)]))
}

/** Returns the template literals that a TypeScript module exports, by name. */
function constants(text) {
  const found = text.matchAll(/export const (\w+) = (String\.raw)?`((?:[^`\\]|\\.)*)`/gs)
  return Object.fromEntries(
    [...found].map(([, name, raw, literal]) => [name, raw === undefined ? literal.replace(/\\(.)/gs, "$1") : literal]),
  )
}

/** Returns the first constant of a module. */
function only(text) {
  return Object.values(constants(text))[0]
}

function namesOf(names) {
  return Object.fromEntries(names.map(name => [name.trim(), ""]))
}

/** Returns a list as a map. Items with the same name are numbered, so that a new name does not change the entries of later names. */
function numbered(list, nameOf) {
  const counts = {}
  return Object.fromEntries(
    list.map(item => {
      const name = nameOf(item)
      counts[name] = (counts[name] ?? 0) + 1
      return [`${name} ${counts[name]}`, item]
    }),
  )
}

/** Returns a function from the text of a table, whose only constant is nested maps, to its leaves. */
function leavesAs(noun) {
  return text => ({ [noun]: leaves(JSON.parse(only(text))) })
}

/** Flattens nested maps; the keys are the names on the way to a value. */
function leaves(value, name = "", out = {}) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) out[name] = value
  else
    for (const key of Object.keys(value))
      leaves(value[key], name === "" || name.endsWith(".") ? name + key : `${name}.${key}`, out)
  return out
}

function packages(text) {
  return { packages: namesOf([...text.matchAll(/"(k8s\.io\/kubernetes\/[^"]*)"/g)].map(match => match[1])) }
}

function resources(text) {
  const rows = JSON.parse(only(text)).flatMap(([group, version, list]) =>
    list.map(row => [`${group === "" ? version : `${group}/${version}`} ${row[0]}`, row]),
  )
  return { resources: Object.fromEntries(rows) }
}

/** Reads the types; src/kubernetes/expand.ts describes the spelling. */
function schema(text) {
  const { schemaData, emptyData, kindData } = constants(text)
  const empty = JSON.parse(emptyData)
  const fields = {}
  for (const [type, atom] of Object.entries(leavesOfGroups(JSON.parse(schemaData)))) {
    const { f = {}, d = {}, ...rest } = typeof atom === "string" || Array.isArray(atom) ? { atom } : atom
    fields[type] = rest
    for (const [name, ref] of Object.entries(f)) fields[`${type}.${name}`] = [ref, d[name]]
  }
  const kinds = Object.entries(JSON.parse(kindData)).flatMap(([version, types]) =>
    Object.entries(types).map(([kind, [type, number]]) => [`${version} ${kind}`, [type, empty[number]]]),
  )
  return { "types and fields": fields, kinds: Object.fromEntries(kinds) }
}

function leavesOfGroups(groups) {
  const types = Object.entries(groups).flatMap(([group, atoms]) =>
    Object.entries(atoms).map(([name, atom]) => [group + name, atom]),
  )
  return Object.fromEntries(types)
}

/** Names fields by the first path that leads to their type, because types have numbers instead of names. */
function protobufFields(text) {
  const { kindsData, typesData } = constants(text)
  const types = typesData.split("\n")
  const [kinds, fields, seen] = [{}, {}, new Set()]
  const visit = (number, path) => {
    if (seen.has(number)) return
    seen.add(number)
    for (const field of types[number].split(" ").filter(Boolean)) {
      const [, tag, name, omits, type] = /^(\d+)([^=?]*)([=?])(.*)$/.exec(field)
      const place = name === "" ? path : `${path}.${name}`
      fields[place] = tag + omits + type.replace(/\d+$/, "")
      const child = /\d+$/.exec(type)
      if (child !== null) visit(Number(child[0]), place)
    }
  }
  for (const line of kindsData.split("\n")) {
    const [version, ...entries] = line.split(" ")
    for (const [kind, number] of entries.map(entry => entry.split(":"))) {
      kinds[`${version} ${kind}`] = ""
      visit(Number(number), `${version} ${kind}`)
    }
  }
  return { kinds, fields }
}

function resetFields(text) {
  const { sets, created, kinds } = JSON.parse(only(text))
  const withSets = rows =>
    rows.map(([versions, numbers]) => [versions, Object.entries(numbers).map(([name, number]) => [name, sets[number]])])
  return {
    kinds: Object.fromEntries(
      Object.entries(kinds).map(([kind, rows]) => [kind, [withSets(rows), created.includes(kind)]]),
    ),
  }
}

function bootstrapRoles(text) {
  const tables = Object.values(JSON.parse(only(text))).flat()
  return { "roles and bindings": numbered(tables, ({ name, namespace = "" }) => `${namespace} ${name}`.trim()) }
}

function columns(text) {
  const { descriptions, kinds } = JSON.parse(only(text))
  const entries = Object.entries(kinds).flatMap(([kind, numbers]) =>
    Object.entries(numbers).map(([column, number]) => [`${kind} ${column}`, descriptions[number]]),
  )
  return { columns: Object.fromEntries(entries) }
}

function structLayout(text) {
  const fields = Object.entries(JSON.parse(only(text))).flatMap(([type, list]) =>
    list.map(field => [`${type}.${field[0]}`, field]),
  )
  return { fields: Object.fromEntries(fields) }
}

function documents(text) {
  const recorded = JSON.parse(text)
  const v3 = Object.entries(recorded.documents).flatMap(([file, numbers]) =>
    Object.entries(numbers).map(([name, number]) => [`${file} ${name}`, recorded.definitions[number]]),
  )
  return { definitions: { ...Object.fromEntries(v3), ...recorded.swagger } }
}

function kindRules(text) {
  const { documents, answers } = JSON.parse(text)
  const rules = Object.entries(documents).flatMap(([path, { types }]) =>
    Object.entries(types).map(([name, type]) => [`${path}.${name}`, type]),
  )
  return { types: Object.fromEntries(rules), answers: numbered(answers, ({ tag, type }) => `${tag}.${type}`) }
}
