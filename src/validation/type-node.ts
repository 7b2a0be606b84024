// Named types with all checks of their values, and the walk over a value.
import { type Check, type Sequence, type Step, type Steps, sequence, settle } from "./checks.js"
import { eachKeyStep, eachStep, noNils } from "./each-rules.js"
import { equalGo, fieldValue, type GoField, type GoType } from "./go-type.js"
import { Place, type RuleCompiler } from "./place.js"
import type { Run } from "./report.js"
import type { RuleType } from "./rules.js"

/** Finds the node of a named type. */
export interface TypeNodes extends RuleCompiler {
  /** Null for types without a name, and those that are opaque. */
  nodeOf(type: GoType | null): TypeNode | null
}

/** What is checked of a field. */
interface FieldNode {
  readonly field: GoField
  readonly steps: Step[]
  /** The node of the field's type, unless it is opaque. */
  readonly node: TypeNode | null
  readonly items: Items
}

/** The checks of the items, keys or values that their type brings along. */
interface Items {
  readonly place: Place
  readonly key: TypeNode | null
  readonly value: TypeNode | null
}

/** A named type. */
export class TypeNode {
  readonly place: Place
  /** Whether anything is checked in values of the type. Set once all nodes are made. */
  active = false
  #nodes: TypeNodes
  #steps: Step[] = []
  #opaque = false
  #fields: FieldNode[] = []
  #items: Items
  #walk: Check | null = null

  constructor(nodes: TypeNodes, type: GoType, declared: RuleType) {
    this.#nodes = nodes
    this.place = new Place({ scope: "type definitions", type, label: type.text, constants: declared.constants ?? [] })
    this.#items = { place: this.place, key: null, value: null }
  }

  /** Compiles the rules of the type and of its fields, and makes the nodes of all types in them. */
  compile(declared: RuleType): void {
    const { type } = this.place
    const fields = type.fields().map(field => this.#compileField(field))
    for (const { steps, field, node, items, made } of fields) {
      steps.push(...settle(made, step => this.#steps.push(step)))
      this.#fields.push({ field, steps, node, items })
    }
    const nodes = this.#nodes
    const found = { key: nodes.nodeOf(type.key), value: nodes.nodeOf(type.element) }
    const made = nodes.compile(this.place, ownRules(declared))
    this.#opaque = made.opaque
    this.#items = { place: this.place, ...visible(found, made) }
    this.#steps.push(...settle(made, step => this.#steps.push(step)))
  }

  #compileField(field: GoField): FieldNode & { readonly made: Steps } {
    const { type, source } = field
    const nodes = this.#nodes
    const node = nodes.nodeOf(type)
    // Of a list without a name of its own, the items are checked where the field is.
    const found = type.name === null ? { key: nodes.nodeOf(type.key), value: nodes.nodeOf(type.element) } : none
    const label = field.json || field.name
    const place = new Place({ scope: "struct fields", type, label, field, parent: this.place })
    const made = nodes.compile(place, source.rules ?? [])
    const items = { place, ...visible(found, made) }
    return { field, steps: [], node: made.opaque ? null : node, items, made }
  }

  /** Whether values of the type leave out what it says of its parts. */
  get opaque(): boolean {
    return this.#opaque
  }

  /** Whether the rules of the type itself, or of types that are known to be active, check anything. */
  isActive(): boolean {
    if (this.#steps.length > 0) return true
    if (this.#opaque) return false
    return isAnyActive(this.#items) || this.#fields.some(isFieldActive)
  }

  /** Checks a value. */
  walk(run: Run, next: Parameters<Check>[1], old: Parameters<Check>[2]): boolean {
    this.#walk ??= this.#makeWalk()
    return this.#walk(run, next, old)
  }

  #makeWalk(): Check {
    const first = sequence(this.#steps)
    const items = this.#itemSteps(this.#items)
    const fields = this.#opaque ? [] : this.#fields.filter(isFieldActive).map(field => this.#fieldWalk(field))
    return (run, next, old) => {
      const before = run.errors.length
      if (first.run(run, next, old)) {
        if (items.size > 0) items.run(run, next, old)
        // Go would stop here with a panic where a pointer that is nil has fields to check.
        if (next !== undefined) for (const walk of fields) walk(run, next, old)
      }
      return run.errors.length === before
    }
  }

  #fieldWalk({ field, steps, node, items }: FieldNode): Check {
    const { type, json } = field
    const pointers = type.kind === "slice" && type.element?.pointer === true
    const active = node?.active ? node : null
    const first = sequence(pointers && (steps.length > 0 || active !== null) ? [noNils, ...steps] : steps)
    const then = this.#itemSteps(items)
    const named = `.${json || type.text.replace(/^\*/, "")}`
    return (run, next, old) => {
      const value = fieldValue(field, next)
      const oldValue = fieldValue(field, old)
      if (value === undefined && first.skipsNil) return true
      // What did not change is not checked again.
      if (run.update && old !== undefined && equalGo(type, value, oldValue)) return true
      // Upstream names an embedded struct only where nothing else would name the place.
      const stepped = json !== "" || run.path.length === 0
      if (stepped) run.path.push(named)
      if (first.run(run, value, oldValue)) {
        active?.walk(run, value, oldValue)
        if (then.size > 0) then.run(run, value, oldValue)
      }
      if (stepped) run.path.pop()
      return true
    }
  }

  #itemSteps({ place, key, value }: Items): Sequence {
    const steps: Step[] = []
    const walk = (node: TypeNode): Step => ({ check: (run, next, old) => node.walk(run, next, old) })
    if (key?.active) steps.push(eachKeyStep(walk(key)))
    if (value?.active) steps.push(eachStep(this.#nodes, place, walk(value)))
    return sequence(steps)
  }
}

const none = { key: null, value: null }

function visible({ key, value }: Omit<Items, "place">, { opaqueKeys, opaqueValues }: Steps): Omit<Items, "place"> {
  return { key: opaqueKeys ? null : key, value: opaqueValues ? null : value }
}

function isAnyActive({ key, value }: Items): boolean {
  return key?.active === true || value?.active === true
}

function isFieldActive({ steps, node, items }: FieldNode): boolean {
  return steps.length > 0 || node?.active === true || isAnyActive(items)
}

/** The rules of a type, without those about its requests. */
function ownRules({ rules = [] }: RuleType) {
  return rules.filter(({ tag }) => tag !== "isSubresource" && tag !== "supportsSubresource")
}
