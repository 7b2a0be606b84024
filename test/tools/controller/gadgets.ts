import type { KeyedList, ObjectMetadata, UnkeyedList } from "../../../src/tools/controller/index.js"

export interface Gadget {
  apiVersion: "example.com/v1"
  kind: "Gadget"
  metadata: ObjectMetadata
  /**
   * The wanted state.
   * In two lines, * / and all.
   */
  spec?: {
    parts: KeyedList<{
      name: string
      port?: number
    }, "name">
    rules?: UnkeyedList<{
      /** Where from */
      from?: string
    }>
    tags?: string[]
    levels?: ("high" | "low")[]
    mode?: "on" | "off" | null
    "max-size"?: number | string
    labels?: { [key: string]: string }
    free?: { [key: string]: unknown }
    ready?: boolean
    empty?: object
    anything?: unknown
    template?: {
      apiVersion: string
      kind: string
      metadata?: ObjectMetadata
      [key: string]: unknown
    }
  }
}
