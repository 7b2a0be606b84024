// Text to values and back: YAML as Kubernetes reads it, JSON with exact integers, and the objects of manifests.

export { formatJson, type JsonOptions, parseJson, writeJson } from "../json/json.js"
export type { Steps, ValueChange } from "../value/change.js"
export { type Manifest, type ManifestMetadata, parseManifests } from "./manifests.js"
export {
  type Position,
  type PositionOptions,
  parseYaml,
  parseYamlDocuments,
  parseYamlWithPositions,
  type RepeatedKey,
  type YamlDocument,
  type YamlOptions,
} from "./yaml.js"
export { applyTextEdits, type TextEdit, type TextEdits } from "./yaml-edit.js"
export { formatYaml } from "./yaml-format.js"
export type { TextPlace, TextRange, YamlPlace } from "./yaml-place.js"
