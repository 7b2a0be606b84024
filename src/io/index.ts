// Text to values and back: YAML as Kubernetes reads it, and JSON with exact integers.
export { formatJson, parseJson, writeJson } from "../value/json.js"
export { formatYaml, parseYaml, parseYamlDocuments } from "./yaml.js"
