// Reads the objects of Pulumi programs in YAML as documents.
import { readPulumiProgram } from "../../tools/appliers/pulumi-program.js"
import type { MapValue } from "../../value/value.js"
import { printable } from "../terminal/layout.js"
import { type Document, InputError, partOf, requested } from "./document.js"
import type { Input } from "./input.js"

/**
 * Returns the Kubernetes objects of a Pulumi program, each as a document, and reports what is not followed. Throws an InputError for values
 * that only Pulumi knows.
 */
export function objectsOfProgram(document: Document, input: Input): Document[] {
  const { objects, problems, notes } = requested(document, () => readPulumiProgram(document.value as MapValue))
  if (problems.length > 0)
    throw new InputError(problems.map(({ steps, message }) => `${document.at(steps)}: ${message}`))
  for (const { steps, message } of notes) input.remark(`${printable(`${document.at(steps)}: note: ${message}`)}\n`)
  return objects.map(({ object, steps }) => {
    document.secrets.learn(object)
    return partOf(document, steps, object)
  })
}
