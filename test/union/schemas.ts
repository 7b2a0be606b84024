import { typeOf } from "./story.js"

/** A union with a deduced discriminator (numeric, string), one without a discriminator (fieldA, fieldB), and one whose discriminator clients set (px, py). */
export const small = typeOf(`
types:
- name: root
  map:
    fields:
    - {name: type, type: {scalar: string}}
    - {name: numeric, type: {scalar: numeric}}
    - {name: string, type: {scalar: string}}
    - {name: fieldA, type: {scalar: string}}
    - {name: fieldB, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: px, type: {scalar: numeric}}
    - {name: py, type: {scalar: numeric}}
    - {name: other, type: {scalar: numeric}}
    unions:
    - discriminator: type
      deduceInvalidDiscriminator: true
      fields:
      - {fieldName: numeric, discriminatorValue: Numeric}
      - {fieldName: string, discriminatorValue: String}
    - fields:
      - {fieldName: fieldA, discriminatorValue: FieldA}
      - {fieldName: fieldB, discriminatorValue: FieldB}
    - discriminator: kind
      fields:
      - {fieldName: px, discriminatorValue: PX}
      - {fieldName: py, discriminatorValue: PY}
`)

/** Unions in nested structs, items and map values, and in atomic lists and maps, which the engine does not search. */
export const nested = typeOf(`
types:
- name: root
  map:
    fields:
    - {name: strategy, type: {namedType: strategy}}
    - name: items
      type: {list: {elementType: {namedType: item}, elementRelationship: associative, keys: [name]}}
    - {name: values, type: {map: {elementType: {namedType: union}}}}
    - {name: one, type: {namedType: union}}
    - {name: whole, type: {namedType: union, elementRelationship: atomic}}
    - {name: list, type: {list: {elementType: {namedType: union}, elementRelationship: atomic}}}
    - {name: plain, type: {map: {elementType: {scalar: untyped}}}}
- name: strategy
  map:
    fields:
    - {name: type, type: {scalar: string}}
    - {name: rollingUpdate, type: {namedType: rolling}}
    unions:
    - discriminator: type
      fields: [{fieldName: rollingUpdate, discriminatorValue: RollingUpdate}]
- name: rolling
  map: {fields: [{name: maxSurge, type: {scalar: numeric}}, {name: maxUnavailable, type: {scalar: numeric}}]}
- name: item
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: d, type: {scalar: string}}
    - {name: a, type: {scalar: numeric}}
    - {name: b, type: {scalar: numeric}}
    - {name: inner, type: {namedType: union}}
    unions:
    - discriminator: d
      deduceInvalidDiscriminator: true
      fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]
- name: union
  map:
    fields:
    - {name: d, type: {scalar: string}}
    - {name: a, type: {scalar: numeric}}
    - {name: b, type: {scalar: numeric}}
    unions:
    - discriminator: d
      deduceInvalidDiscriminator: true
      fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]
`)
