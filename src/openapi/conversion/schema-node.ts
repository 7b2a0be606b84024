import type { MapValue, Value } from "../../value/value.js"

/** The keywords of a schema object that a conversion reads; undefined if they are absent. */
export class SchemaNode {
  /** The schema itself. The keywords of lists are read from it. */
  schema: MapValue = {}
  $ref: Value | undefined
  allOf: Value | undefined
  type: Value | undefined
  format: Value | undefined
  nullable: Value | undefined
  default: Value | undefined
  properties: Value | undefined
  additionalProperties: Value | undefined
  items: Value | undefined
  preserves: Value | undefined
  mapType: Value | undefined
  unions: Value | undefined

  /**
   * Reads the keywords in one pass over the keys. Most schemas have only one or two, and looking up every keyword in objects of so many
   * shapes takes three times as long.
   */
  read(schema: MapValue): void {
    this.schema = schema
    this.$ref = undefined
    this.allOf = undefined
    this.type = undefined
    this.format = undefined
    this.nullable = undefined
    this.default = undefined
    this.properties = undefined
    this.additionalProperties = undefined
    this.items = undefined
    this.preserves = undefined
    this.mapType = undefined
    this.unions = undefined
    for (const key in schema) {
      const value = schema[key]
      switch (key) {
        case "type":
          this.type = value
          break
        case "$ref":
          this.$ref = value
          break
        case "allOf":
          this.allOf = value
          break
        case "default":
          this.default = value
          break
        case "format":
          this.format = value
          break
        case "properties":
          this.properties = value
          break
        case "items":
          this.items = value
          break
        case "additionalProperties":
          this.additionalProperties = value
          break
        case "nullable":
          this.nullable = value
          break
        case "x-kubernetes-map-type":
          this.mapType = value
          break
        case "x-kubernetes-preserve-unknown-fields":
          this.preserves = value
          break
        case "x-kubernetes-unions":
          this.unions = value
          break
      }
    }
  }
}
