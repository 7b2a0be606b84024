// Compiles rule documents to validators.
import { SchemaError } from "../errors.js"
import { anObject, aString, optional, requireArgument, requireOptions } from "../value/argument.js"
import { compareStrings } from "../value/compare.js"
import { didYouMean } from "../value/nearest.js"
import { addSteps, type CompiledChecks, stepsOf } from "./rules/checks.js"
import * as each from "./rules/each-rules.js"
import { type GoType, GoTypes, isNilable } from "./rules/go-type.js"
import { goValue } from "./rules/go-value.js"
import * as lists from "./rules/list-rules.js"
import type { ListFacts, RulePlace } from "./rules/place.js"
import { Run, type StabilityLevel, type Validator } from "./rules/report.js"
import { type CompileRule, type RuleUse, ruleError } from "./rules/rule-use.js"
import { type Rule, type RuleDocument, type RuleField, type RuleType, requireRuleTypes } from "./rules/rules.js"
import * as unions from "./rules/union-rules.js"
import { update } from "./rules/update-rules.js"
import * as values from "./rules/value-rules.js"
import * as wrapping from "./rules/wrapping-rules.js"
import { partsOf, TypeNode, type TypeNodes } from "./type-node.js"

/**
 * Returns the validator of a type of the document. Throws a SchemaError that names the first rule, type or field that makes no sense: a
 * rule that does not exist or does not fit the type, or a type that does not exist.
 *
 * @example
 * ```ts
 * import { compileRules } from "structured-merge-diff/validation"
 *
 * const document = {
 *   types: { Widget: { fields: [{ name: "Size", json: "size", type: "int32", rules: [{ tag: "minimum", value: 1 }] }] } },
 * }
 * const [error] = compileRules(document, "Widget").validate({ size: 0 })
 * console.log(`${error?.field}: ${error?.detail}`)
 * // size: must be greater than or equal to 1
 * ```
 */
export function compileRules(document: RuleDocument, typeName: string): Validator {
  requireRuleTypes("document", document)
  requireArgument("typeName", typeName, aString)
  const nodes = new Nodes(document)
  const type = nodes.types.parse(typeName, "the type to validate")
  nodes.add(type)
  const root = nodes.nodeOf(type)
  if (root === null) throw new SchemaError(`the document does not declare the type ${typeName}`)
  nodes.requireFinite()
  nodes.activate()
  const served = subresourcesOf(nodes.types.declaration(typeName) as RuleType)
  const printed = `${isNilable(type) ? "" : "*"}${document.package === undefined ? "" : `${document.package}.`}${typeName}`
  return {
    validate(next, old, given = {}) {
      requireOptions("options", given, { options: optional(anObject), subresource: optional(aString) })
      const { options, subresource = "" } = given
      const isUpdate = old !== undefined && old !== null
      if (!root.active) return []
      const path = `/${subresource.replace(/^\//, "")}`
      if (!served.has(path)) {
        const run = new Run(isUpdate, options)
        run.fail("InternalError", {}, `no validation found for ${printed}, subresource: ${path}`)
        return run.errors
      }
      const [value, oldValue] = [goValue(type, next), isUpdate ? goValue(type, old) : undefined]
      // Most objects are valid, and a run that only finds out whether anything is wrong is faster.
      const quick = new Run(isUpdate, options, true)
      root.check(quick, value, oldValue)
      if (quick.errors.length === 0) return quick.errors
      const run = new Run(isUpdate, options)
      root.check(run, value, oldValue)
      return run.errors
    },
  }
}

/** The subresource paths that the type may be validated for, according to its markers. */
function subresourcesOf({ rules = [] }: RuleType): Set<string> {
  const named = (wanted: string) => rules.filter(({ tag }) => tag === wanted).map(({ value }) => String(value))
  const [own = "/"] = named("isSubresource")
  return new Set([own, ...named("supportsSubresource")])
}

/** The nodes of the types that a document declares. */
class Nodes implements TypeNodes {
  readonly types: GoTypes
  /** The fields that any rule calls opaque. Upstream does not remember the place of the rule. */
  readonly opaqueFields = new Set<RuleField>()
  readonly inherited = new Set<string>()
  private readonly nodes = new Map<string, TypeNode>()

  constructor(document: RuleDocument) {
    this.types = new GoTypes(document)
  }

  nodeOf(type: GoType): TypeNode | null {
    return type.name === null ? null : (this.nodes.get(type.name) ?? null)
  }

  /** Adds the nodes of a type and of all types that it uses. Works with a stack, since chains of types may be long. */
  add(root: GoType): void {
    const stack = [this.visit(root)]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { done, value } = top.next()
      if (done) stack.pop()
      else stack.push(this.visit(value))
    }
  }

  /** Adds the node of a type. Yields the types whose nodes must be added first. */
  private *visit(type: GoType): Generator<GoType, void> {
    if (type.name === null) {
      // An unnamed list or map gets no node, but its parts may be named types.
      yield* partsOf(type)
      return
    }
    if (this.nodes.has(type.name)) return
    const declared = this.types.declaration(type.name) as RuleType
    const node = new TypeNode(this, this.types.parse(type.name, `type ${type.name}`), declared)
    this.nodes.set(type.name, node)
    yield* node.compile(declared)
  }

  /** Throws a SchemaError for a struct that contains itself, embedded or as a value: its zero value would be infinite. */
  requireFinite(): void {
    const finite = new Set<string>()
    for (const { place } of this.nodes.values()) {
      const around: { readonly name: string; readonly inner: Iterator<GoType> }[] = []
      const enter = (type: GoType): void => {
        const { kind, name } = type
        if (kind !== "struct" || name === null || finite.has(name)) return
        const names = around.map(struct => struct.name)
        if (names.includes(name)) {
          const way = [...names.slice(names.indexOf(name)), name].join(" has ")
          throw new SchemaError(`type ${name}: a struct can't contain itself: ${way}`)
        }
        around.push({ name, inner: heldBy(type).values() })
      }
      enter(place.type)
      for (let top = around.at(-1); top !== undefined; top = around.at(-1)) {
        const { done, value } = top.inner.next()
        if (done) {
          finite.add(top.name)
          around.pop()
        } else enter(value)
      }
    }
  }

  /** Finds the types that have anything to check, at any depth. */
  activate(): void {
    // `nodes` lists users before the types they use, so the reverse order needs the fewest passes.
    const nodes = [...this.nodes.values()].reverse()
    for (let changed = true; changed; ) {
      changed = false
      for (const node of nodes) {
        if (node.active || !node.isActive()) continue
        node.active = true
        changed = true
      }
    }
  }

  compile(place: RulePlace, rules: readonly Rule[], level?: StabilityLevel): CompiledChecks {
    const { type, field, parent } = place
    if (type.unruled !== null && rules.length > 0) {
      const where = field === null ? place.where : `field ${parent?.label}.${field.name}`
      throw new SchemaError(`${where}: ${type.unruled}`)
    }
    const all = stepsOf()
    const sorted = rules.map(current).sort((a, b) => compareStrings(a.tag, b.tag))
    for (const rule of sorted) {
      const use: RuleUse = { compiler: this, place, rule, level }
      const compileRule = compilers.get(rule.tag)
      if (compileRule === undefined) {
        throw ruleError(use, `there is no such rule${didYouMean(rule.tag, compilers.keys())}`)
      }
      addSteps(all, compileRule(use))
    }
    return all
  }

  listFacts(place: RulePlace): ListFacts | null {
    return place.list ?? this.typeFacts(place)
  }

  typeFacts(place: RulePlace): ListFacts | null {
    const { name } = place.type
    return (name === null ? undefined : this.nodes.get(name)?.place.list) ?? null
  }

  isOpaque(place: RulePlace): boolean {
    const { name } = place.type
    if (place.opaque || (place.field !== null && this.opaqueFields.has(place.field.source))) return true
    return name !== null && this.nodes.get(name)?.place.opaque === true
  }
}

/** The types that a value of the struct always contains: those of fields that are embedded or not pointers. */
function heldBy(struct: GoType): GoType[] {
  return struct.fields().flatMap(({ type, json }) => (json === "" || !type.pointer ? type : []))
}

/** Rules that upstream has renamed: the old name and the new one. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["ifOptionEnabled", "ifEnabled"],
  ["ifOptionDisabled", "ifDisabled"],
])

function current(rule: Rule): Rule {
  const tag = renamed.get(rule.tag)
  return tag === undefined ? rule : { ...rule, tag }
}

function opaqueType({ compiler, place }: RuleUse): CompiledChecks {
  place.opaque = true
  if (place.field !== null) compiler.opaqueFields.add(place.field.source)
  return { ...stepsOf(), opaque: true }
}

/** All rules by name. */
const compilers: ReadonlyMap<string, CompileRule> = new Map<string, CompileRule>([
  ["alpha", wrapping.stability],
  ["beta", wrapping.stability],
  ["customUnique", lists.customUnique],
  // Custom validation is handwritten Go, which is not run here.
  ["customValidation", () => stepsOf()],
  ["dependentForbidden", unions.dependent],
  ["dependentRequired", unions.dependent],
  ["eachKey", each.eachKey],
  ["eachVal", each.eachVal],
  ["enum", values.enumeration],
  ["forbidden", values.forbidden],
  ["format", values.format],
  ["ifDisabled", wrapping.ifOption],
  ["ifEnabled", wrapping.ifOption],
  ["ifMode", unions.ifMode],
  ["immutable", values.immutable],
  ["item", each.item],
  ["listMapKey", lists.listMapKey],
  ["listType", lists.listType],
  ["modeDiscriminator", unions.modeDiscriminator],
  ["monotonic", values.monotonic],
  ["neq", values.neq],
  ["opaqueType", opaqueType],
  ["optional", values.optional],
  ["required", values.required],
  ["subfield", wrapping.subfield],
  ["unionDiscriminator", unions.unionDiscriminator],
  ["unionMember", unions.unionMember],
  ["unique", lists.unique],
  ["update", update],
  ["validateFalse", values.fixed],
  ["validateTrue", values.fixed],
  ["validateTrueAlpha", values.fixed],
  ["validateTrueBeta", values.fixed],
  ["zeroOrOneOfMember", unions.zeroOrOneOfMember],
  ...values.limitTags.map(tag => [tag, values.limit] as const),
])
