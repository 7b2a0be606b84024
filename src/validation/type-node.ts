// Named types with all checks of their values.
import { own } from "../value/object.js"
import type { MapValue, Side } from "../value/value.js"
import { type Check, type CompiledChecks, type Step, sequence, settle } from "./rules/checks.js"
import { eachKeyStep, eachStep, noNils } from "./rules/each-rules.js"
import { type GoField, type GoType, isNilable } from "./rules/go-type.js"
import { equalGo, fieldValue, goValue } from "./rules/go-value.js"
import { type RuleCompiler, RulePlace } from "./rules/place.js"
import type { Run } from "./rules/report.js"
import type { RuleType } from "./rules/rules.js"

/** Finds the node of a named type. */
export interface TypeNodes extends RuleCompiler {
  /** Null for types that have no name or are opaque. */
  nodeOf(type: GoType): TypeNode | null
}

/** A field and its checks. */
interface FieldNode {
  readonly field: GoField
  readonly steps: Step[]
  /** The node of the field's type, unless that is opaque. */
  readonly node: TypeNode | null
  readonly items: Items
}

/** The nodes whose checks apply to the items, keys or values of a place. */
interface Items {
  readonly place: RulePlace
  readonly key: TypeNode | null
  readonly value: TypeNode | null
}

/** The checks of a type's values, ready to run. */
interface TypeChecks {
  readonly first: Check | null
  readonly items: Check | null
  /** All fields in the order of the source, which is also the order of errors. */
  readonly fields: readonly FieldChecks[]
  /** The same fields by their keys in JSON, without embedded structs. */
  readonly byKey: ReadonlyMap<string, FieldChecks>
  /** The number of fields that are `always` checked. */
  readonly certain: number
}

/** The checks of a field, ready to run. */
interface FieldChecks {
  readonly field: GoField
  /** The step that the field adds to a path. */
  readonly step: string
  /** Whether nil never gives an error. */
  readonly skipsNil: boolean
  /** Whether the field is checked even if the object does not have its key. */
  readonly always: boolean
  /** The rules of the field for a value; `firstAtNil` has those for nil. */
  readonly first: Check | null
  readonly firstAtNil: Check | null
  readonly node: TypeNode | null
  readonly items: Check | null
}

/** A named type. */
export class TypeNode {
  readonly place: RulePlace
  /** Whether values of the type have anything to check. Set once all nodes are made. */
  active = false
  /** Whether the rules of the type skip those of its parts. Set by `compile`. */
  private opaque = false
  private nodes: TypeNodes
  private steps: Step[] = []
  private fields: FieldNode[] = []
  private items: Items
  private checks: TypeChecks | null = null

  constructor(nodes: TypeNodes, type: GoType, declared: RuleType) {
    this.nodes = nodes
    this.place = new RulePlace({
      scope: "type definitions",
      type,
      label: type.text,
      constants: declared.constants ?? [],
    })
    this.items = { place: this.place, key: null, value: null }
  }

  /** Compiles the rules of the type and of its fields. Yields the types in them; their nodes must exist when it goes on. */
  *compile(declared: RuleType): Generator<GoType, void> {
    const { type } = this.place
    const fields: (FieldNode & { readonly compiled: CompiledChecks })[] = []
    for (const field of type.fields()) {
      yield field.type
      fields.push(this.compileField(field))
    }
    for (const { steps, field, node, items, compiled } of fields) {
      steps.push(...settle(compiled, step => this.steps.push(step)))
      this.fields.push({ field, steps, node, items })
    }
    yield* partsOf(type)
    const compiled = this.nodes.compile(this.place, ownRules(declared))
    this.opaque = compiled.opaque
    this.items = { place: this.place, ...visible(this.partsOf(type), compiled) }
    this.steps.push(...settle(compiled, step => this.steps.push(step)))
  }

  private compileField(field: GoField): FieldNode & { readonly compiled: CompiledChecks } {
    const { type, source } = field
    const nodes = this.nodes
    const node = nodes.nodeOf(type)
    // An unnamed list has no node, so the field checks its items.
    const parts = type.name === null ? this.partsOf(type) : none
    const label = field.json || field.name
    const place = new RulePlace({ scope: "struct fields", type, label, field, parent: this.place })
    const compiled = nodes.compile(place, source.rules ?? [])
    const items = { place, ...visible(parts, compiled) }
    return { field, steps: [], node: compiled.opaque ? null : node, items, compiled }
  }

  private partsOf({ key, element }: GoType): Omit<Items, "place"> {
    return { key: key && this.nodes.nodeOf(key), value: element && this.nodes.nodeOf(element) }
  }

  /** Whether the type's own rules, or those of types that are known to be active, check anything. */
  isActive(): boolean {
    if (this.steps.length > 0) return true
    if (this.opaque) return false
    return isAnyActive(this.items) || this.fields.some(isFieldActive)
  }

  /** Checks a value. Returns true if there are no errors. */
  check(run: Run, next: Side, old: Side): boolean {
    this.checks ??= this.typeChecks()
    const before = run.errors.length
    const { first, items, fields } = this.checks
    if (first === null || first(run, next, old)) {
      items?.(run, next, old)
      // Go panics here if a nil pointer has fields to check.
      if (next !== undefined && fields.length > 0) checkFields(run, this.checks, next as MapValue, old)
    }
    return run.errors.length === before
  }

  private typeChecks(): TypeChecks {
    const fields = this.opaque ? [] : this.fields.filter(isFieldActive).map(field => this.fieldChecks(field))
    return {
      first: sequence(this.steps).run,
      items: this.itemCheck(this.items),
      fields,
      byKey: new Map(fields.filter(({ field }) => field.json !== "").map(checks => [checks.field.json, checks])),
      certain: fields.filter(({ always }) => always).length,
    }
  }

  private fieldChecks({ field, steps, node, items }: FieldNode): FieldChecks {
    const { type, json } = field
    const pointers = type.kind === "slice" && type.element?.pointer === true
    const active = node?.active ? node : null
    const all = pointers && (steps.length > 0 || active !== null) ? [noNils, ...steps] : steps
    const { run, atNil } = sequence(all)
    const skipsNil = atNil === "stops" || (atNil === "passes" && (active === null || active.skipsNil))
    return {
      field,
      step: `.${json || type.text.replace(/^\*/, "")}`,
      skipsNil,
      always: json === "" || !skipsNil || !isNilable(type),
      first: sequence(all.filter(({ onlyNil }) => !onlyNil)).run,
      firstAtNil: run,
      node: active,
      items: this.itemCheck(items),
    }
  }

  /** Whether nil never gives an error. It has no fields or items to check. */
  private get skipsNil(): boolean {
    return sequence(this.steps).atNil !== null
  }

  private itemCheck({ place, key, value }: Items): Check | null {
    const steps: Step[] = []
    const stepOf = (node: TypeNode): Step => ({ check: (run, next, old) => node.check(run, next, old) })
    if (key?.active) steps.push(eachKeyStep(stepOf(key)))
    if (value?.active) steps.push(eachStep(this.nodes, place, stepOf(value)))
    return sequence(steps).run
  }
}

/**
 * Checks the fields of a struct. A quick run first checks the keys that the object has, which are few of the many fields of Kubernetes'
 * types. Then it checks the absent fields that are `always` checked.
 */
function checkFields(run: Run, { fields, byKey, certain }: TypeChecks, next: MapValue, old: Side): void {
  const { quick } = run
  if (quick) {
    let met = 0
    for (const key in next) {
      const checks = byKey.get(key)
      if (checks === undefined) continue
      if (checks.always) met++
      checkField(run, checks, goValue(checks.field.type, next[key]), old)
    }
    if (met === certain) return
  }
  for (let i = 0; i < fields.length; i++) {
    const checks = fields[i] as FieldChecks
    const { json } = checks.field
    if (quick && (!checks.always || (json !== "" && own(next, json) !== undefined))) continue
    checkField(run, checks, fieldValue(checks.field, next), old)
  }
}

function checkField(run: Run, checks: FieldChecks, value: Side, old: Side): void {
  const { field, step, node, items } = checks
  if (value === undefined && checks.skipsNil) return
  const oldValue = fieldValue(field, old)
  // An unchanged field is not checked again.
  if (run.update && old !== undefined && equalGo(field.type, value, oldValue)) return
  // Upstream includes the name of an embedded struct in a path only at the root of the object.
  const stepped = field.json !== "" || run.atRoot
  if (stepped) run.enter(step)
  const first = value === undefined ? checks.firstAtNil : checks.first
  if (first === null || first(run, value, oldValue)) {
    node?.check(run, value, oldValue)
    items?.(run, value, oldValue)
  }
  if (stepped) run.leave()
}

/** The types of the keys and values of a map, and of the items of a list. */
export function partsOf({ key, element }: GoType): GoType[] {
  return [key, element].filter(part => part !== null)
}

const none = { key: null, value: null }

function visible(
  { key, value }: Omit<Items, "place">,
  { opaqueKeys, opaqueValues }: CompiledChecks,
): Omit<Items, "place"> {
  return { key: opaqueKeys ? null : key, value: opaqueValues ? null : value }
}

function isAnyActive({ key, value }: Items): boolean {
  return key?.active === true || value?.active === true
}

function isFieldActive({ steps, node, items }: FieldNode): boolean {
  return steps.length > 0 || node?.active === true || isAnyActive(items)
}

/** The rules of a type, without those about its subresources. */
function ownRules({ rules = [] }: RuleType) {
  return rules.filter(({ tag }) => tag !== "isSubresource" && tag !== "supportsSubresource")
}
