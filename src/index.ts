// The engine: field sets, schemas, typed values, and the Updater. Everything here runs in a browser.
export {
  type ErrorCode,
  type Issue,
  ParseError,
  SchemaError,
  StructuredMergeError,
  UnionError,
  ValidationError,
} from "./errors.js"
export { fieldElement, indexElement, keyElement, valueElement } from "./fieldpath/create-element.js"
export {
  type ElementBase,
  equalElements,
  type FieldElement,
  formatElement,
  formatFieldsV1Key,
  type IndexElement,
  type KeyElement,
  type KeyField,
  type PathElement,
  type ValueElement,
} from "./fieldpath/element.js"
export { parseFieldsV1Key } from "./fieldpath/fieldsv1/key.js"
export { formatFieldsV1, parseFieldsV1 } from "./fieldpath/fieldsv1/text.js"
export { fieldSetFromValue } from "./fieldpath/from-value.js"
export { valueAt } from "./fieldpath/lookup.js"
export {
  equalManagers,
  type Managers,
  managersDifference,
  noManagers,
  type VersionedSet,
} from "./fieldpath/managers.js"
export { anyElement, excludeFilter, type Filter, includeFilter, type Pattern } from "./fieldpath/matcher.js"
export { parsePath } from "./fieldpath/parse-path.js"
export { comparePaths, equalPaths, formatPath, type Path, type PathPart, pathOf, rootPath } from "./fieldpath/path.js"
export { type Entry as FieldSetEntry, FieldSet } from "./fieldpath/set.js"
export type { Parity, ParityOptions } from "./json/json.js"
export {
  type Conflict,
  ConflictError,
  isStructuredMergeError,
  type SmdError,
  type UnionCause,
} from "./merge/conflict.js"
export type { ApplyRequest, UpdateRequest, UpdateResult } from "./merge/request.js"
export { Updater, type UpdaterOptions } from "./merge/updater.js"
export type { Converter } from "./merge/versions.js"
export { equalSchemas } from "./schema/equal.js"
export type {
  Atom,
  ElementRelationship,
  ListAtom,
  MapAtom,
  Scalar,
  Schema,
  StructField,
  TypeDef,
  TypeRef,
} from "./schema/schema.js"
export type { UnionDef, UnionMember } from "./schema/union.js"
export { Comparison } from "./typed/comparison.js"
export { deducedType } from "./typed/deduced.js"
export { parseSchema, parseTypes } from "./typed/parser.js"
export { type CompiledSchema, compileSchema, type Type } from "./typed/type.js"
export {
  type ExtractItemsOptions,
  type MergeOptions,
  TypedValue,
  type ValidationOptions,
} from "./typed/typed-value.js"
export type { UnionPolicy, UnionPolicyName } from "./union/policy.js"
export type { ClearedMember, DiscriminatorChange, ReportedMember, UnionChange } from "./union/report.js"
export { equalAnyValues as equalValues } from "./value/equal.js"
export { formatValue } from "./value/format.js"
export { isList, isMap, type ListValue, type MapValue, type ScalarValue, type Value } from "./value/value.js"
