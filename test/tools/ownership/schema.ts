/** Checks results against the JSON Schema that the package publishes. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { projectRoot } from "../../support/entries.js"

const schema: object = JSON.parse(readFileSync(join(projectRoot, "ownership.schema.json"), "utf8"))
const validate = new Ajv2020({ strict: true, strictRequired: false, allErrors: true }).compile(schema)

/** The problems of a result, as text; "" if it fits. */
export function schemaErrors(result: object): string {
  if (validate(result)) return ""
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join("\n")
}
