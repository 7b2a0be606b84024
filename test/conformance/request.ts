// Requests of the conformance protocol: operands, sets, paths and types by name.
import type { PathElement } from "../../src/fieldpath/element.js"
import type { Managers, VersionedSet } from "../../src/fieldpath/managers.js"
import { anyElement, excludeFilter, type Filter, includeFilter } from "../../src/fieldpath/matcher.js"
import type { Path } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { parseYaml } from "../../src/io/index.js"
import { formatJson, writeJson } from "../../src/json/json.js"
import { deducedType } from "../../src/typed/deduced.js"
import { parseTypeRef, parseTypes } from "../../src/typed/parser.js"
import type { CompiledSchema, Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { type UnionPolicy, type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { own } from "../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { elementText, readElementText, readSetText, setText } from "./parity.js"

export type Answer = Record<string, Value>

/** The reason why a request can't be answered. Its message is the answer. */
export class RequestError extends Error {}

export class Request {
  readonly fields: MapValue
  constructor(fields: Value) {
    if (!isMap(fields)) throw new RequestError("a request must be an object")
    this.fields = fields
  }

  get(name: string): Value | undefined {
    return own(this.fields, name)
  }

  text(name: string): string {
    const value = this.get(name)
    return typeof value === "string" ? value : value === undefined ? "" : formatJson(value)
  }

  flag(name: string): boolean {
    return this.get(name) === true
  }

  list(name: string): readonly Value[] {
    const value = this.get(name) ?? []
    if (!isList(value)) throw new RequestError(`${name} must be a list`)
    return value
  }

  entries(name: string): [string, Value][] {
    const value = this.get(name) ?? {}
    if (!isMap(value)) throw new RequestError(`${name} must be an object`)
    return Object.entries(value)
  }

  /** An operand, given as JSON under `name` or as YAML text under `nameYAML`. */
  value(name: string): Value {
    const yaml = this.get(`${name}YAML`)
    return typeof yaml === "string" ? parseYaml(yaml, { lenient: true }) : (this.get(name) ?? null)
  }

  typed(name: string, type: Type): TypedValue {
    const value = this.value(name)
    return this.flag("unvalidated")
      ? TypedValue.unvalidated(value, type)
      : TypedValue.of(value, type, { allowDuplicates: this.allowsDuplicates(name) })
  }

  allowsDuplicates(name: string): boolean {
    return this.flag("allowDuplicates") || this.flag(`${name}AllowDuplicates`)
  }

  set(name: string): FieldSet {
    return readSet(this.get(name) ?? null)
  }

  path(name: string): Path {
    return readPath(this.list(name))
  }

  type(): Type {
    if (this.flag("deduced")) return deducedType()
    const types = readSchema(this.text("schema"))
    const ref = this.get("typeRef")
    if (ref === undefined) return types.typeOf({ namedType: this.text("type") })
    return parseTypeRef(types, typeof ref === "string" ? parseYaml(ref, { lenient: true }) : ref)
  }

  /** Returns the union policy of the request, by default `otherwise`. */
  policy(otherwise: UnionPolicyName): UnionPolicy {
    const name = this.text("unions") || (this.flag("enableUnions") ? "v4" : otherwise)
    if (!Object.hasOwn(unionPolicies, name)) throw new RequestError(`unknown union policy "${name}"`)
    return unionPolicies[name as UnionPolicyName]
  }

  managers(name: string): Managers {
    return new Map(
      this.entries(name).map(([manager, value]): [string, VersionedSet] => {
        const entry = new Request(value)
        return [
          manager,
          { set: entry.set("fields"), apiVersion: entry.text("apiVersion"), applied: entry.flag("applied") },
        ]
      }),
    )
  }
}

export function readSet(value: Value): FieldSet {
  return value === null ? FieldSet.empty : readSetText(typeof value === "string" ? value : writeJson(value))
}

export function readPath(elements: readonly Value[]): Path {
  return elements.map(readElement)
}

export function readElement(value: Value): PathElement {
  const element = readElementText(String(value))
  if (element === undefined) throw new RequestError("unknown path element type")
  return element
}

export function readFilter(value: Value): Filter {
  const filter = new Request(value)
  if (filter.get("exclude") !== undefined) return excludeFilter(filter.set("exclude"))
  const patterns = filter.list("include").map(pattern => {
    if (!isList(pattern)) throw new RequestError("a pattern must be a list")
    return pattern.map(part => (part === "*" ? anyElement : readElement(part)))
  })
  return includeFilter(...patterns)
}

const schemas = new Map<string, CompiledSchema>()

/** Returns the types of a schema document. Reads each document once. */
export function readSchema(text: string): CompiledSchema {
  let types = schemas.get(text)
  if (types === undefined) {
    types = parseTypes(parseYaml(text, { lenient: true }))
    if (schemas.size >= 64) schemas.clear()
    schemas.set(text, types)
  }
  return types
}

export function pathAnswer(path: Path): string[] {
  return path.map(elementText)
}

export function managersAnswer(managers: Managers): Answer {
  const entries = Array.from(managers, ([manager, { apiVersion, applied, set }]): [string, Value] => [
    manager,
    { apiVersion, applied, fields: setText(set) },
  ])
  return Object.fromEntries(entries)
}
