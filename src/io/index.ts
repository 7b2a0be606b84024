// Text to values and back: YAML as Kubernetes reads it, and JSON with exact integers.
export { formatJson, parseJson, writeJson } from "../json/json.js"
export {
  formatYaml,
  type Position,
  parseYaml,
  parseYamlDocuments,
  parseYamlWithPositions,
  type YamlDocument,
  type YamlOptions,
} from "./yaml.js"
