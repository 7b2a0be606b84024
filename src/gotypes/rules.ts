// Creates the rule document of a package (validation/rules/rules.ts): its types as Go declares them, with their `+k8s:` markers.
import type { Rule, RuleDocument, RuleField, RuleType, RuleValue } from "../validation/rules/rules.js"
import { didYouMean } from "../value/nearest.js"
import type { Value } from "../value/value.js"
import type { GoTypesPlace } from "./source/errors.js"
import type { GoField, GoNamedType, GoType } from "./source/go-file.js"
import { type Marker, Markers } from "./types/markers.js"
import { type Declared, type GoPackage, isRead, type Placed, suffixOf } from "./types/program.js"
import type { Shapes } from "./types/shape.js"

/** The markers that are rules. Other markers that begin with `k8s:` belong to other generators. */
const ruleTags = new Set(
  (
    "alpha beta customUnique customValidation dependentForbidden dependentRequired eachKey eachVal enum enumExclude forbidden format " +
    "ifDisabled ifEnabled ifMode ifOptionDisabled ifOptionEnabled immutable isSubresource item listMapKey listType maxBytes maxItems " +
    "maxLength maxProperties maximum minItems minLength minProperties minimum modeDiscriminator monotonic neq opaqueType optional " +
    "required subfield supportsSubresource unionDiscriminator unionMember unique update validateError validateFalse validateTrue " +
    "validateTrueAlpha validateTrueBeta zeroOrOneOfMember"
  ).split(" "),
)

/** The maximum nesting of lists, maps and pointers. */
const maxDepth = 500

/** A rule document, and the declarations of its types. */
export interface RulesOfPackage {
  readonly rules: RuleDocument
  /** The declarations of the types, by their names in the document. Anonymous structs have no declaration. */
  readonly declared: ReadonlyMap<string, Declared>
}

/** Returns the types of a package and all types that they use, with the rules of their markers. */
export function rulesOfPackage(shapes: Shapes, root: GoPackage): RulesOfPackage {
  const writer = new RuleWriter(shapes, root)
  for (const declared of root.types.values()) writer.add(declared)
  return { rules: { package: root.name, types: Object.fromEntries(writer.types) }, declared: writer.declared }
}

class RuleWriter {
  readonly types = new Map<string, RuleType>()
  readonly declared = new Map<string, Declared>()
  private readonly shapes: Shapes
  private readonly root: GoPackage
  /** The types that the current type uses. */
  private readonly used: Declared[] = []
  /** The qualifiers of other packages, by path. */
  private readonly qualifiers = new Map<string, string>()

  constructor(shapes: Shapes, root: GoPackage) {
    this.shapes = shapes
    this.root = root
    for (const { imports } of root.files) {
      for (const { alias, path } of imports) {
        const name = shapes.program.packages.get(path)?.name
        this.qualify(path, alias ?? name ?? path.split("/").at(-1) ?? path)
      }
    }
  }

  /** Adds a type, and all types that it uses. */
  add(declared: Declared): void {
    // Chains of types may be long, so use a stack. It may contain a type several times; the type is added once.
    const waiting = [declared]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { decl, args } = next
      const name = this.declaredName(next)
      if ((decl.params.length > 0 && args === undefined) || decl.alias || this.types.has(name)) continue
      this.types.set(name, {})
      this.declared.set(name, next)
      this.used.length = 0
      this.types.set(name, this.type(next, name))
      waiting.push(...this.used.toReversed())
    }
  }

  private type(declared: Declared, name: string): RuleType {
    const { decl, markers } = declared
    if (this.shapes.hasOwnForm(declared)) return { zero: null }
    const rules = rulesOf([...inheritedMarkers(declared), ...markers.written])
    this.warnOfSlips(markers, declared.place)
    const constants = this.shapes.program.constants(declared).map(({ name: constant, value, markers: own }) => {
      const excluded = rulesOf(own.written)
      return { name: constant, value, ...(excluded.length > 0 && { rules: excluded }) }
    })
    const what =
      decl.type.kind === "struct"
        ? { fields: this.fields(decl.type.fields, declared, name) }
        : { type: this.text(decl.type, declared, name) }
    return { ...what, ...(rules.length > 0 && { rules }), ...(constants.length > 0 && { constants }) }
  }

  private fields(fields: readonly GoField[], from: Declared, name: string): RuleField[] {
    return fields.filter(isRead).map(field => this.field(field, from, name))
  }

  private field(field: GoField, from: Declared, parent: string): RuleField {
    const [json = "", ...options] = (field.tags.get("json") ?? "").split(",")
    const markers = new Markers(field.doc)
    const said = markers.named("default")[0]?.text
    const fallback = said === undefined ? undefined : this.shapes.defaultOf(said, { from })
    const rules = rulesOf(markers.written)
    this.warnOfSlips(markers, { ...from.place, line: field.line, field: field.name })
    return {
      name: field.name,
      ...(json !== "" && { json }),
      ...(field.embedded && json === "" && { embedded: true }),
      ...((options.includes("omitempty") || options.includes("omitzero")) && { omitempty: true }),
      type: this.text(field.type, from, `${parent}_${field.name}`),
      ...(fallback !== undefined && { default: fallback as Value }),
      ...(rules.length > 0 && { rules }),
    }
  }

  /** Warns about markers whose names resemble those of rules. Other markers belong to other generators. */
  private warnOfSlips({ written }: Markers, place: GoTypesPlace): void {
    for (const marker of written) {
      for (let inner: Marker | undefined = marker; inner !== undefined; inner = inner.payload) {
        const [, tag = "", colon = ""] = /^k8s:(\w+)(:?)$/.exec(inner.name) ?? []
        const isKnown = ruleTags.has(tag)
        const hint =
          tag === "" || (isKnown && colon === "") ? "" : isKnown ? `; did you mean ${tag}=?` : didYouMean(tag, ruleTags)
        if (hint === "") continue
        const message = `no generator reads +k8s:${tag}${colon}${hint}`
        this.shapes.findings.warn({ ...place, line: marker.line }, message)
      }
    }
  }

  /** Returns a type as Go spells it, with the names of the document. An anonymous struct gets the name `place`. */
  private text(type: GoType, from: Declared, place: string, depth = 0): string {
    const here = this.withoutAliases({ type, from }, depth)
    const inner = (part: GoType) => this.text(part, here.from, place, depth + 1)
    switch (here.type.kind) {
      case "pointer":
        return `*${inner(here.type.element)}`
      case "slice":
      case "array":
        return `[]${inner(here.type.element)}`
      case "map":
        return `map[${inner(here.type.key)}]${inner(here.type.element)}`
      case "struct":
        this.types.set(place, { fields: this.fields(here.type.fields, here.from, place) })
        return place
      case "interface":
        return "any"
      case "other":
        return here.type.text
      case "named":
        return this.named(here.type, here.from)
    }
  }

  /** Returns the type behind aliases and parameters of generic types. */
  private withoutAliases(placed: Placed, depth: number): Placed {
    const passed = new Set<Declared>()
    let here = placed
    while (here.type.kind === "named") {
      const meaning = this.shapes.program.meaning(here.from, here.type)
      if (meaning.kind === "argument") here = meaning
      else if (meaning.kind !== "declared" || !meaning.declared.decl.alias) return here
      else {
        const { declared } = meaning
        if (passed.has(declared)) return this.endless(declared)
        passed.add(declared)
        here = { type: declared.decl.type, from: declared }
      }
    }
    return depth > maxDepth ? this.endless(here.from) : here
  }

  private endless(from: Declared): Placed {
    this.shapes.findings.error(from.place, "the type contains itself, or too many others")
    return { type: { kind: "interface" }, from }
  }

  private named(type: GoNamedType, from: Declared): string {
    const meaning = this.shapes.program.meaning(from, type)
    if (meaning.kind === "declared") {
      this.used.push(meaning.declared)
      return this.declaredName(meaning.declared)
    }
    if (meaning.kind === "basic") return type.name
    const known = meaning.kind === "known" ? meaning.type.rules : undefined
    if (known !== undefined && "type" in known) return known.type
    const qualified = `${type.package || this.qualifiers.get(from.package.path) || from.package.name}.${type.name}`
    if (known !== undefined) this.types.set(qualified, known)
    return qualified
  }

  private declaredName({ package: home, decl, args }: Declared): string {
    const name = `${decl.name}${suffixOf(args)}`
    return home === this.root ? name : `${this.qualify(home.path, home.name)}.${name}`
  }

  /** Returns the qualifier of a package. A new package gets `wanted`, with a suffix if another package has it. */
  private qualify(path: string, wanted: string): string {
    const known = this.qualifiers.get(path)
    if (known !== undefined) return known
    const taken = new Set(this.qualifiers.values())
    const before = path.split("/").at(-2) ?? ""
    let qualifier = taken.has(wanted) ? before + wanted : wanted
    while (taken.has(qualifier)) qualifier += "_"
    this.qualifiers.set(path, qualifier)
    return qualifier
  }
}

const aboutSubresources = /^k8s:(is|supports)Subresource$/

/**
 * Returns the markers about subresources that apply to a type but are not in its comment: markers in a comment that a blank line separates
 * from the type, and markers of the package. The type's own `+k8s:isSubresource` replaces the package's.
 */
function inheritedMarkers({ decl, markers, package: home }: Declared): Markers["written"] {
  const detached = new Markers(decl.detached).written.filter(({ name }) => aboutSubresources.test(name))
  const isOne = [...detached, ...markers.written].some(({ name }) => name === "k8s:isSubresource")
  const ofPackage = home.markers.written.filter(({ name }) => {
    return aboutSubresources.test(name) && !(isOne && name === "k8s:isSubresource")
  })
  return [...detached, ...ofPackage]
}

function rulesOf(markers: Markers["written"]): Rule[] {
  return markers.flatMap(marker => ruleOf(marker) ?? [])
}

function ruleOf({ name, args, value, payload }: Markers["written"][number]): Rule | undefined {
  const tag = name.replace(/^k8s:/, "")
  if (tag === name || !ruleTags.has(tag)) return undefined
  const inner = payload === undefined ? undefined : ruleOf(payload)
  // A marker that wraps one of another generator isn't a rule either.
  if (payload !== undefined && inner === undefined) return undefined
  const unnamed = args.get("")
  const named: Record<string, RuleValue> = Object.fromEntries([...args].filter(([key]) => key !== ""))
  return {
    tag,
    ...(unnamed !== undefined && { arg: unnamed }),
    ...(Object.keys(named).length > 0 && { args: named }),
    ...(value !== undefined && { value }),
    ...(inner !== undefined && { payload: inner }),
  }
}
