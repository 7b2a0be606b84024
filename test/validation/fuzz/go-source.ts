// Generates random Go packages: types with the markers of declarative validation. Most markers are right. Now and then one is in a place
// where it has no meaning, or has a wrong value, and the generator refuses the package.
import type { Random } from "../../fuzz/random.js"

/** The options that conditions refer to. */
const options = ["Fast", "Safe"]

type Kind = "string" | "bool" | "int" | "float" | "bytes" | "struct" | "slice" | "map"

interface Type {
  /** The type as Go writes it. */
  readonly text: string
  readonly kind: Kind
  readonly pointer: boolean
  readonly element?: Type
  readonly key?: Type
  readonly fields?: readonly Field[]
  /** Whether the type has a name, and so a comment of its own. */
  readonly named?: boolean
}

interface Field {
  /** Whether the type has rules for modes, which the generator does not find from outside the struct. */
  modal?: boolean
  readonly name: string
  readonly json: string
  readonly type: Type
}

type Scope = "type" | "field" | "item" | "key" | "value"

const formats = (
  "k8s-extended-resource-name k8s-label-key k8s-label-value k8s-long-name k8s-long-name-caseless k8s-path-segment-name " +
  "k8s-prefixed-label-key k8s-resource-fully-qualified-name k8s-resource-pool-name k8s-short-name k8s-uuid"
).split(" ")

const requests = ['k8s:supportsSubresource="/status"', 'k8s:supportsSubresource="/a/b"', 'k8s:isSubresource="/scale"']

const texts = ["a", "b", "x-y", "Fast"]

// Without int8: the generator takes it for byte, and its code does not compile.
const integers = ["int", "int16", "int32", "int64", "uint", "uint16", "uint32", "uint64"]

/** Returns the source of a package. `noise` is the probability of each wrong marker. */
export function randomPackage(random: Random, name: string, noise: number): string {
  return new Writer(random, noise).write(name)
}

/** Whether the generator can write a test of the field. Its code for named scalars does not compile. */
function isComparable({ type }: Field): boolean {
  if (type.pointer) return true
  return type.kind === "slice" || type.kind === "map" || (type.kind !== "struct" && !type.named)
}

class Writer {
  readonly #random: Random
  readonly #noise: number
  readonly #declarations: string[] = []
  readonly #scalars: Type[] = []
  readonly #structs: Type[] = []
  readonly #collections: Type[] = []
  #names = 0

  constructor(random: Random, noise: number) {
    this.#random = random
    this.#noise = noise
  }

  write(name: string): string {
    const random = this.#random
    for (let i = random.between(1, 2); i > 0; i--) this.#enum()
    for (let i = random.below(3); i > 0; i--) this.#namedScalar()
    for (let i = random.between(1, 2); i > 0; i--) this.#struct(random.between(2, 4), 0)
    for (let i = random.below(3); i > 0; i--) this.#collection()
    for (let i = random.between(1, 2); i > 0; i--) this.#struct(random.between(2, 5), 1)
    for (let i = random.between(1, 2); i > 0; i--) this.#struct(random.between(4, 8), 2)
    return `// +k8s:validation-gen=*
// +k8s:validation-gen-scheme-registry=k8s.io/code-generator/cmd/validation-gen/testscheme.Scheme
// +k8s:validation-gen-nolint
package ${name}

import "k8s.io/code-generator/cmd/validation-gen/testscheme"

var localSchemeBuilder = testscheme.New()

${this.#declarations.join("\n")}`
  }

  #name(prefix: string): string {
    return `${prefix}${this.#names++}`
  }

  #comment(rules: readonly string[], indent = ""): string {
    const random = this.#random
    const lines = random.shuffled([
      ...rules.map(rule => `// +${rule}`),
      ...(random.chance(0.2) ? ["// A remark."] : []),
    ])
    return lines.map(line => `${indent}${line}\n`).join("")
  }

  #enum(): void {
    const random = this.#random
    const name = this.#name("Mode")
    const type: Type = { text: name, kind: "string", pointer: false, named: true }
    const values = random.sample(["Fast", "Safe", "a", "b", "Zed"], random.between(0, 4))
    const constants = values.map((value, i) => {
      const excludes = random.chance(0.3)
        ? [random.chance(0.3) ? "k8s:enumExclude" : `${this.#condition()}=+k8s:enumExclude`]
        : []
      if (excludes.length > 0 && random.chance(0.3)) excludes.push(`${this.#condition()}=+k8s:enumExclude`)
      return `${this.#comment(excludes, "\t")}\t${name}${"ABCDE"[(i * 2) % 5]} ${name} = ${JSON.stringify(value)}\n`
    })
    const rules = [...this.#rules(type, "type", 0.15), ...(random.chance(0.9) ? ["k8s:enum"] : [])]
    this.#declarations.push(`${this.#comment(rules)}type ${name} string\n`)
    if (constants.length > 0) this.#declarations.push(`const (\n${constants.join("")})\n`)
    this.#scalars.push(type)
  }

  #namedScalar(): void {
    const base = this.#basic()
    if (base.kind === "bytes") return
    const name = this.#name(base.kind === "string" ? "Text" : "Value")
    const type: Type = { ...base, text: name, named: true }
    this.#declarations.push(`${this.#comment(this.#rules(type, "type", 0.5))}type ${name} ${base.text}\n`)
    this.#scalars.push(type)
  }

  #collection(): void {
    const inner = this.#collectionType(1)
    const name = this.#name("List")
    const type: Type = { ...inner, text: name, named: true }
    this.#declarations.push(`${this.#comment(this.#rules(type, "type", 0.5))}type ${name} ${inner.text}\n`)
    this.#collections.push(type)
  }

  #struct(count: number, level: number): void {
    const random = this.#random
    const name = this.#name(level === 2 ? "Root" : "Part")
    const fields: Field[] = []
    const lines: string[] = []
    const plan: { readonly field: Field; readonly embedded: boolean }[] = []
    const embeds = level > 0 && random.chance(0.15)
    // Some fields hide fields of the embedded struct.
    const first = embeds && random.chance(0.8) ? 65 + 8 * level : 65
    for (let i = 0; i < count; i++) {
      const letter = String.fromCharCode(first + i)
      const embedded = embeds && i === 0
      const type = embedded ? random.pick(this.#structs) : this.#fieldType(level, name)
      const field = { name: embedded ? type.text : letter, json: embedded ? "" : letter.toLowerCase(), type }
      if (!embedded) fields.push(field)
      plan.push({ field, embedded })
    }
    const unions = this.#unions(fields)
    for (const { field, embedded } of plan) {
      const own = embedded ? [] : this.#fieldRules(field, fields, unions)
      const tag = embedded ? ",inline" : `${field.json}${random.chance(0.6) ? ",omitempty" : ""}`
      const rules = this.#comment(own, "\t")
      const declared = embedded ? field.type.text : `${field.name} ${field.type.text}`
      const detached = random.chance(0.05) ? "\t// +k8s:maxLength=1\n\n" : ""
      lines.push(`${detached}${rules}\t${declared} \`json:"${tag}"\`\n`)
    }
    const type: Type = { text: name, kind: "struct", pointer: false, fields, named: true }
    const own = this.#rules(type, "type", 0.15)
    if (level === 2 && random.chance(0.2)) own.push(...random.sample(requests, 2))
    this.#declarations.push(`${this.#comment(own)}type ${name} struct {\n${lines.join("")}}\n`)
    this.#structs.push(type)
  }

  #fieldType(level: number, self: string): Type {
    const random = this.#random
    const kind = random.weighted<"scalar" | "struct" | "collection" | "self">([
      [50, "scalar"],
      [level > 0 ? 30 : 0, "struct"],
      [level > 0 ? 40 : 10, "collection"],
      [level > 0 ? 3 : 0, "self"],
    ])
    if (kind === "struct") return this.#maybePointer(random.pick(this.#structs))
    if (kind === "self") return { text: `*${self}`, kind: "struct", pointer: true }
    if (kind === "collection") {
      return random.chance(0.3) && this.#collections.length > 0
        ? random.pick(this.#collections)
        : this.#collectionType(level)
    }
    return this.#maybePointer(this.#scalar())
  }

  #maybePointer(type: Type): Type {
    if (!this.#random.chance(0.35) || type.kind === "bytes") return type
    return { ...type, text: `*${type.text}`, pointer: true }
  }

  #scalar(bytes = true): Type {
    return this.#random.chance(0.4) && this.#scalars.length > 0 ? this.#random.pick(this.#scalars) : this.#basic(bytes)
  }

  #basic(bytes = true): Type {
    const random = this.#random
    const kind = random.weighted<Kind>([
      [10, "string"],
      [7, "int"],
      [3, "bool"],
      [1, "float"],
      [bytes ? 1 : 0, "bytes"],
    ])
    const text = { string: "string", bool: "bool", float: "float64", bytes: "[]byte" }[kind as string]
    return { text: text ?? random.pick(integers), kind, pointer: false }
  }

  #collectionType(level: number): Type {
    const random = this.#random
    const structs = level > 0 && this.#structs.length > 0
    if (random.chance(0.35)) {
      const strings = this.#scalars.filter(({ kind }) => kind === "string")
      const key: Type =
        random.chance(0.3) && strings.length > 0
          ? random.pick(strings)
          : { text: "string", kind: "string", pointer: false }
      const element = structs && random.chance(0.5) ? random.pick(this.#structs) : this.#scalar(random.chance(0.02))
      return { text: `map[${key.text}]${element.text}`, kind: "map", pointer: false, key, element }
    }
    const element =
      structs && random.chance(0.7)
        ? this.#maybePointer(random.pick(this.#structs))
        : this.#maybePointer(this.#scalar())
    return { text: `[]${element.text}`, kind: "slice", pointer: false, element }
  }

  /** The members of each union, and the discriminators. */
  #unions(fields: readonly Field[]): Map<Field, string[]> {
    const random = this.#random
    const found = new Map<Field, string[]>()
    const settable = fields.filter(isComparable)
    const add = (field: Field, rule: string) => found.set(field, [...(found.get(field) ?? []), rule])
    for (const union of ["", "other"]) {
      const free = settable.filter(field => !found.has(field) || random.chance(0.03))
      if (!random.chance(union === "" ? 0.35 : 0.1) || free.length < 2) continue
      const quoted = union === "" ? "" : `union: ${JSON.stringify(union)}`
      const kind = random.chance(0.7) ? "unionMember" : "zeroOrOneOfMember"
      const discriminator = fields.find(
        ({ type }) => type.kind === "string" && !type.pointer && (!type.named || random.chance(0.1)),
      )
      const discriminated = kind === "unionMember" && discriminator !== undefined && random.chance(0.4)
      if (discriminated) add(discriminator, `k8s:unionDiscriminator${quoted === "" ? "" : `(${quoted})`}`)
      for (const field of random.sample(free, random.between(2, 3))) {
        if (discriminated && field === discriminator) continue
        const args = [
          quoted,
          random.chance(0.3) ? `memberName: ${JSON.stringify(`${field.json}-${random.pick(texts)}`)}` : "",
        ].filter(Boolean)
        add(field, this.#wrapped(`k8s:${kind}${args.length > 0 ? `(${args.join(", ")})` : ""}`, 0.1))
      }
    }
    const mode = fields.find(({ type }) => !type.pointer && (type.kind === "string" || type.kind === "bool"))
    if (mode !== undefined && random.chance(0.2)) {
      const modality = random.chance(0.2) ? 'modality: "m"' : ""
      add(mode, `k8s:modeDiscriminator${modality === "" ? "" : `(${modality})`}`)
      for (const field of random.sample(
        settable.filter(field => field !== mode),
        2,
      )) {
        for (let i = random.between(1, 2); i > 0; i--) {
          const value = mode.type.kind === "bool" ? random.pick(["true", "false"]) : random.pick(texts)
          const args =
            modality === "" && random.chance(0.5)
              ? JSON.stringify(value)
              : [`mode: ${JSON.stringify(value)}`, modality].filter(Boolean).join(", ")
          const inner = random.chance(0.4) ? "k8s:required" : this.#rule(field.type, "field", 0)
          field.modal = true
          if (inner !== undefined) add(field, this.#leveled(`k8s:ifMode(${args})=+${inner}`))
        }
      }
    }
    return found
  }

  #fieldRules(field: Field, fields: readonly Field[], unions: Map<Field, string[]>): string[] {
    const random = this.#random
    const { type } = field
    const rules = [...(unions.get(field) ?? [])]
    const settable = type.pointer || type.kind !== "struct"
    if (settable && random.chance(0.6)) {
      const kind = random.weighted([
        [6, "optional"],
        [4, "required"],
        [1, "forbidden"],
      ])
      // The generated code for conditions on named lists and maps does not compile.
      const conditional = type.pointer || !type.named || (type.kind !== "slice" && type.kind !== "map")
      rules.push(this.#wrapped(`k8s:${kind}`, conditional ? 0.08 : 0))
      if (kind === "optional" && !type.named && random.chance(0.2)) {
        const value = { string: '"a"', bool: "true", int: "1" }[type.kind as string]
        const zero = { string: '""', bool: "false", int: "0" }[type.kind as string]
        if (value !== undefined) rules.push(`default=${random.chance(0.6) ? value : zero}`)
      }
    }
    if (random.chance(0.08)) rules.push(this.#wrapped("k8s:immutable", 0.3))
    if (random.chance(0.15)) rules.push(...this.#updates(type))
    const others = fields.filter(other => other !== field && isComparable(other))
    if (isComparable(field) && others.length > 0 && random.chance(0.1)) {
      const kind = random.pick(["dependentRequired", "dependentForbidden"])
      rules.push(this.#wrapped(`k8s:${kind}(${JSON.stringify(random.pick(others).json)})`, 0.15))
    }
    rules.push(...this.#rules(type, "field", 0.5))
    return rules
  }

  #updates(type: Type): string[] {
    const random = this.#random
    const collection = type.kind === "slice" || type.kind === "map"
    const names = collection
      ? ["NoSet", "NoUnset", ...(type.kind === "map" ? ["NoAddItem", "NoRemoveItem"] : [])]
      : type.pointer || type.kind !== "struct"
        ? ["NoSet", "NoUnset", "NoModify"]
        : ["NoModify"]
    return random.sample(names, random.between(1, 2)).map(name => this.#wrapped(`k8s:update=${name}`, 0.15))
  }

  /** Returns rules of a value, or none with probability 1 - `p`. */
  #rules(type: Type, scope: Scope, p: number): string[] {
    const random = this.#random
    const rules: string[] = []
    // A field must not repeat the rules of a named list about its items.
    const elsewhere = scope !== "type" && type.named === true && !random.chance(0.02)
    if (type.kind === "slice" && !elsewhere && random.chance(0.6)) rules.push(...this.#listRules(type, scope))
    for (let i = random.below(3); i >= 0; i--) {
      if (!random.chance(p)) continue
      const rule = this.#rule(type, scope, 0)
      if (rule !== undefined) rules.push(this.#wrapped(rule, 0.15))
    }
    if (random.chance(this.#noise)) rules.push(this.#nonsense())
    return rules
  }

  #listRules(type: Type, scope: Scope): string[] {
    const random = this.#random
    const element = type.element as Type
    const keys = (element.fields ?? []).filter(({ type: { kind } }) => ["string", "bool", "int"].includes(kind))
    if (element.kind === "struct" && keys.length > 0 && random.chance(0.8)) {
      const chosen = random.sample(keys, random.chance(0.8) ? 1 : 2)
      const rules = random.chance(0.85) ? ["k8s:listType=map"] : ["k8s:listType=atomic", "k8s:unique=map"]
      if (random.chance(0.1)) rules[0] = this.#leveled(rules[0] as string, 1)
      rules.push(...chosen.map(({ json }) => `k8s:listMapKey=${json}`))
      if (random.chance(0.5)) rules.push(...this.#items(type, chosen))
      if (random.chance(0.05)) rules.push("k8s:customUnique")
      if (scope === "field" && random.chance(0.2))
        rules.push(`k8s:update=${random.pick(["NoAddItem", "NoRemoveItem"])}`)
      return rules
    }
    const rules = random.weighted([
      [3, ["k8s:listType=set"]],
      [2, ["k8s:listType=atomic"]],
      [1, ["k8s:listType=atomic", "k8s:unique=set"]],
    ])
    const updated = scope === "field" && random.chance(0.15) && rules.some(rule => rule.endsWith("set"))
    return updated ? [...rules, `k8s:update=${random.pick(["NoAddItem", "NoRemoveItem"])}`] : rules
  }

  #items(type: Type, keys: readonly Field[]): string[] {
    const random = this.#random
    const element = type.element as Type
    const select = (n: number) =>
      keys
        .map(({ json, type: { kind } }) => {
          return `${json}: ${kind === "string" ? JSON.stringify(texts[n]) : kind === "int" ? n : n % 2 === 0}`
        })
        .join(", ")
    const union = random.chance(0.5) && keys.every(({ type: { kind } }) => kind === "string")
    const kind = random.pick(["unionMember", "zeroOrOneOfMember"])
    return [0, 1].slice(0, random.between(1, 2)).flatMap(n => {
      const inner = union ? `k8s:${kind}` : this.#rule({ ...element, pointer: false }, "item", 1)
      return inner === undefined ? [] : [this.#wrapped(`k8s:item(${select(n)})=+${inner}`, 0.1)]
    })
  }

  /** Returns one rule that fits; undefined if no rule fits. */
  #rule(type: Type, scope: Scope, depth: number): string | undefined {
    const random = this.#random
    const count = random.below(4)
    const common = [`k8s:validateFalse=${JSON.stringify(`${scope} ${random.below(9)}`)}`]
    if (scope !== "key" && random.chance(0.3)) common.push("k8s:immutable")
    switch (type.kind) {
      case "string":
        return random.pick([
          ...common,
          `k8s:format=${random.pick(formats)}`,
          `k8s:format=${random.pick(formats)}`,
          `k8s:maxLength=${count}`,
          `k8s:maxBytes=${count}`,
          `k8s:minLength=${count}`,
          `k8s:neq=${JSON.stringify(random.pick(texts))}`,
        ])
      case "int":
        return random.pick([
          ...common,
          `k8s:minimum=${count}`,
          `k8s:maximum=${count + 2}`,
          `k8s:neq=${count}`,
          ...(scope === "type" || scope === "field" ? ["k8s:monotonic"] : []),
        ])
      case "bool":
        return random.pick([...common, `k8s:neq=${random.pick(["true", "false"])}`])
      case "slice":
        return this.#collectionRule(type, scope, depth, common, `k8s:maxItems=${count}`, `k8s:minItems=${count}`)
      case "map":
        return this.#collectionRule(
          type,
          scope,
          depth,
          common,
          `k8s:maxProperties=${count}`,
          `k8s:minProperties=${count}`,
        )
      case "struct":
        return this.#structRule(type, scope, depth, common)
      default:
        return random.pick(common)
    }
  }

  #collectionRule(
    type: Type,
    scope: Scope,
    depth: number,
    common: string[],
    most: string,
    least: string,
  ): string | undefined {
    const random = this.#random
    const choices = [...common]
    if (scope === "type" || scope === "field") choices.push(most, least)
    if (depth < 2 && type.element !== undefined) {
      const inner = this.#rule(type.element, type.kind === "map" ? "value" : "item", depth + 1)
      const opaque = type.element.named === true && random.chance(0.08)
      if (inner !== undefined)
        choices.push(...Array(3).fill(`k8s:eachVal=+${opaque ? "k8s:opaqueType" : this.#wrapped(inner, 0.05, false)}`))
    }
    if (depth < 2 && type.key !== undefined) {
      const inner = this.#rule(type.key, "key", depth + 1)
      if (inner !== undefined) choices.push(`k8s:eachKey=+${inner}`)
    }
    return random.pick(choices)
  }

  #structRule(type: Type, scope: Scope, depth: number, common: string[]): string | undefined {
    const random = this.#random
    const choices = [...common]
    if (scope === "field" && random.chance(0.15)) choices.push("k8s:opaqueType")
    if ((scope === "item" || scope === "value") && random.chance(0.3)) choices.push("k8s:update=NoModify")
    const { fields = [] } = type
    if (depth < 2 && fields.length > 0) {
      const field = random.pick(fields)
      if (field.modal || (scope === "type" && field.type.kind === "slice")) return random.pick(choices)
      const settable = field.type.pointer || field.type.kind !== "struct"
      const inner =
        settable && random.chance(0.4)
          ? `k8s:${random.pick(["required", "optional", "forbidden"])}`
          : this.#rule(field.type, "field", depth + 1)
      const nested = inner?.includes("k8s:subfield")
      if (inner !== undefined && !nested)
        choices.push(...Array(3).fill(`k8s:subfield(${JSON.stringify(field.json)})=+${inner}`))
    }
    return random.pick(choices)
  }

  #condition(): string {
    const random = this.#random
    return `k8s:${random.pick(["ifEnabled", "ifDisabled"])}(${JSON.stringify(random.pick(options))})`
  }

  #wrapped(rule: string, p: number, levels = true): string {
    const random = this.#random
    const inner = random.chance(p) ? `${this.#condition()}=+${rule}` : rule
    return levels ? this.#leveled(inner, p / 2) : inner
  }

  #leveled(rule: string, p = 0.1): string {
    const random = this.#random
    if (!random.chance(p)) return rule
    return `k8s:${random.pick(["alpha", "beta"])}${random.chance(0.5) ? '(since: "1.35")' : ""}=+${rule}`
  }

  #nonsense(): string {
    return this.#random.pick([
      "k8s:maxLength=3",
      "k8s:maxLength=-1",
      "k8s:maxLength=many",
      "k8s:minimum=1",
      "k8s:minimum=100000000000000000000",
      "k8s:maxItems=2",
      "k8s:maxProperties=1000000",
      "k8s:format=k8s-ip",
      "k8s:format=none",
      "k8s:format=k8s-short-name",
      "k8s:required",
      "k8s:optional",
      "k8s:enum",
      "k8s:listType=set",
      "k8s:listType=map",
      "k8s:listType=bag",
      "k8s:listMapKey=a",
      "k8s:listMapKey=none",
      "k8s:unique=set",
      "k8s:eachVal=+k8s:required",
      "k8s:eachVal=+k8s:maxLength=1",
      "k8s:eachKey=+k8s:maxLength=1",
      "k8s:subfield(none)=+k8s:required",
      'k8s:subfield("a")=+k8s:subfield("b")=+k8s:required',
      'k8s:item(a: "a")=+k8s:immutable',
      "k8s:update=Never",
      "k8s:update=NoModify",
      "k8s:update=NoAddItem",
      'k8s:dependentRequired("none")',
      'k8s:ifEnabled("Fast")',
      'k8s:ifMode("a")=+k8s:required',
      "k8s:monotonic",
      "k8s:neq=none",
      "k8s:neq=1",
      "k8s:alpha=k8s:required",
      "k8s:unionMember",
      "k8s:unionDiscriminator",
      "k8s:zeroOrOneOfMember",
      "k8s:enumExclude",
      "k8s:customUnique",
      'k8s:beta(since: "next")=+k8s:immutable',
      "k8s:alpha=+k8s:beta=+k8s:immutable",
    ])
  }
}
