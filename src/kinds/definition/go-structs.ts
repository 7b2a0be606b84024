// Parts of a CustomResourceDefinition as an API server prints them in errors: as JSON of its Go structs, with all their fields.

import { compareStrings } from "../../value/compare.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { isShared, type PartName, versionsOf } from "./parts.js"

/** The value of an absent field, or a function that prints a field that is present. */
type Print = "" | false | null | ((value: Value) => Value)

const sortedMap = (print: (value: Value) => Value) => (value: Value) => {
  const out: Record<string, Value> = {}
  const map = isMap(value) ? value : {}
  for (const key of Object.keys(map).sort(compareStrings)) put(out, key, print(map[key] as Value))
  return out
}
const sorted = (value: Value): Value => {
  if (isList(value)) return value.map(sorted)
  return isMap(value) ? sortedMap(sorted)(value) : value
}
const each = (print: (value: Value) => Value) => (value: Value) => (isList(value) ? value.map(print) : value)
const schemaOr = (value: Value): Value => {
  return isMap(value) ? { Allows: true, Schema: goSchema(value) } : { Allows: value === true, Schema: null }
}

/** The fields of a schema in the order of the struct: the name in Go, the keyword, and how it is printed. */
const schemaFields: readonly (readonly [name: string, keyword: string, print: Print])[] = [
  ["ID", "id", ""],
  ["Schema", "$schema", ""],
  ["Ref", "$ref", null],
  ["Description", "description", ""],
  ["Type", "type", ""],
  ["Nullable", "nullable", false],
  ["Format", "format", ""],
  ["Title", "title", ""],
  ["Default", "default", sorted],
  ["Maximum", "maximum", null],
  ["ExclusiveMaximum", "exclusiveMaximum", false],
  ["Minimum", "minimum", null],
  ["ExclusiveMinimum", "exclusiveMinimum", false],
  ["MaxLength", "maxLength", null],
  ["MinLength", "minLength", null],
  ["Pattern", "pattern", ""],
  ["MaxItems", "maxItems", null],
  ["MinItems", "minItems", null],
  ["UniqueItems", "uniqueItems", false],
  ["MultipleOf", "multipleOf", null],
  ["Enum", "enum", sorted],
  ["MaxProperties", "maxProperties", null],
  ["MinProperties", "minProperties", null],
  ["Required", "required", null],
  ["Items", "items", goItems],
  ["AllOf", "allOf", each(goSchema)],
  ["OneOf", "oneOf", each(goSchema)],
  ["AnyOf", "anyOf", each(goSchema)],
  ["Not", "not", goSchema],
  ["Properties", "properties", sortedMap(goSchema)],
  ["AdditionalProperties", "additionalProperties", schemaOr],
  ["PatternProperties", "patternProperties", sortedMap(goSchema)],
  ["Dependencies", "dependencies", sortedMap(goDependency)],
  ["AdditionalItems", "additionalItems", schemaOr],
  ["Definitions", "definitions", sortedMap(goSchema)],
  ["ExternalDocs", "externalDocs", value => goTexts(value, ["Description", "URL"])],
  ["Example", "example", sorted],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", null],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", false],
  ["XIntOrString", "x-kubernetes-int-or-string", false],
  ["XListMapKeys", "x-kubernetes-list-map-keys", null],
  ["XListType", "x-kubernetes-list-type", null],
  ["XMapType", "x-kubernetes-map-type", null],
  ["XValidations", "x-kubernetes-validations", each(value => goRule(isMap(value) ? value : {}))],
]

/** Returns the schema as Go prints its struct. */
export function goSchema(schema: Value): Value {
  const map = isMap(schema) ? schema : {}
  const out: Record<string, Value> = {}
  for (const [name, keyword, print] of schemaFields) {
    const value = own(map, keyword) ?? null
    if (value === null) out[name] = typeof print === "function" ? null : print
    else out[name] = typeof print === "function" ? print(value) : value
  }
  return out
}

/** Returns the names in Go of the fields that a schema sets, in the order of the struct. */
export function goFieldsOf(schema: MapValue): readonly string[] {
  const isSet = (keyword: string, print: Print) =>
    (own(schema, keyword) ?? null) !== null && own(schema, keyword) !== print
  return schemaFields.filter(([, keyword, print]) => isSet(keyword, print)).map(([name]) => name)
}

/** Returns the `items` of a schema, which may be one schema for all items or a list of schemas. */
export function goItems(items: Value): Value {
  return isList(items)
    ? { Schema: null, JSONSchemas: items.map(goSchema) }
    : { Schema: goSchema(items), JSONSchemas: null }
}

function goDependency(value: Value): Value {
  return isList(value) ? { Schema: null, Property: value } : { Schema: goSchema(value), Property: null }
}

/** Returns a rule as Go prints its struct. */
export function goRule(rule: MapValue): MapValue {
  return {
    Rule: textAt(rule, "rule"),
    Message: textAt(rule, "message"),
    MessageExpression: textAt(rule, "messageExpression"),
    Reason: own(rule, "reason") ?? null,
    FieldPath: textAt(rule, "fieldPath"),
    OptionalOldSelf: own(rule, "optionalOldSelf") ?? null,
  }
}

function goTexts(value: Value, names: readonly string[]): MapValue {
  const map = isMap(value) ? value : {}
  return Object.fromEntries(names.map(name => [name, textAt(map, name.toLowerCase())]))
}

/** Returns the versions of a definition, without the parts that an API server keeps in the spec. */
export function goVersions(definition: MapValue): Value {
  return versionsOf(definition).map(version => {
    const part = (name: PartName, print: (value: Value) => Value) => {
      const value = own(version, name) ?? null
      return value === null || isShared(definition, name) ? null : print(value)
    }
    return {
      Name: textAt(version, "name"),
      Served: version.served === true,
      Storage: version.storage === true,
      Deprecated: version.deprecated === true,
      DeprecationWarning: own(version, "deprecationWarning") ?? null,
      Schema: part("schema", value => {
        const schema = isMap(value) ? (own(value, "openAPIV3Schema") ?? null) : null
        return { OpenAPIV3Schema: schema === null ? null : goSchema(schema) }
      }),
      Subresources: part("subresources", goSubresources),
      AdditionalPrinterColumns: part("additionalPrinterColumns", each(goColumn)),
      SelectableFields: part(
        "selectableFields",
        each(field => ({ JSONPath: isMap(field) ? textAt(field, "jsonPath") : "" })),
      ),
    }
  })
}

function goSubresources(value: Value): Value {
  const map = isMap(value) ? value : {}
  const scale = mapAt(map, "scale")
  return {
    Status: isMap(map.status) ? {} : null,
    Scale: isMap(map.scale)
      ? {
          SpecReplicasPath: textAt(scale, "specReplicasPath"),
          StatusReplicasPath: textAt(scale, "statusReplicasPath"),
          LabelSelectorPath: own(scale, "labelSelectorPath") ?? null,
        }
      : null,
  }
}

function goColumn(value: Value): Value {
  const column = isMap(value) ? value : {}
  return {
    Name: textAt(column, "name"),
    Type: textAt(column, "type"),
    Format: textAt(column, "format"),
    Description: textAt(column, "description"),
    Priority: own(column, "priority") ?? 0,
    JSONPath: textAt(column, "jsonPath"),
  }
}

/** Returns the names of the stored versions. Go prints an empty list as null. */
export function goNames(names: readonly string[]): Value {
  return names.length === 0 ? null : names
}
