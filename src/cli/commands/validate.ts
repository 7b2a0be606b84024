import { UnionError } from "../../errors.js"
import type { TypedValue } from "../../typed/typed-value.js"
import { normalizeUnionsApply } from "../../union/normalize.js"
import { type UnionPolicy, unionPolicies } from "../../union/policy.js"
import { requireValidUnions } from "../../union/validate.js"
import { filesOptions, readObjects } from "../input/application.js"
import { isDefinition } from "../input/document-types.js"
import { type Document, describeIssues, forEach, InputError, typedDocument } from "../input/input.js"
import { schemaOptions } from "../input/options.js"
import { loadTypes } from "../input/types.js"
import { chosenPolicy, unionOptions } from "../input/unions.js"
import type { Command } from "./command.js"

export const validate: Command = {
  name: "validate",
  summary: "Check documents against their types",
  operands: "FILE...",
  options: [...filesOptions, ...unionOptions, ...schemaOptions],
  notes: [
    "Every object of every FILE is checked: files, folders and -, Lists taken apart; definitions of custom resources among",
    "them give types to the others. Prints nothing where all is well; otherwise every problem with file, line, column and",
    "path, and exits with 2.",
    "",
    "Unions of a schema and of CRDs are settled as if each document were applied to create an object, and then validated, as",
    "the policy has it: v4 finds only what it can't settle. With --unions, those of Kubernetes' types too.",
  ],
  examples: [
    "smd validate deployment.yaml service.yaml",
    "cat deployment.yaml | smd validate -",
    "smd validate --unions extended pod.yaml",
    "smd validate --schema schema.yaml --type cluster cluster.yaml",
  ],
  async run({ args, input }) {
    const policy = unionPolicies[chosenPolicy(args)]
    const documents = await readObjects(args, input, "FILE")
    const types = await loadTypes(args, input, documents.filter(isDefinition))
    await forEach(documents, document => {
      validateUnionsOf(document, typedDocument(document, types.typeOf(document)), policy)
    })
    return 0
  },
}

/** Throws an InputError with everything that the policy refuses in a document that creates an object. */
function validateUnionsOf(document: Document, value: TypedValue, policy: UnionPolicy): void {
  try {
    requireValidUnions(policy, undefined, normalizeUnionsApply(value, value, { policy }).object)
  } catch (error) {
    if (!(error instanceof UnionError)) throw error
    throw new InputError(describeIssues(document, error.issues, value.type))
  }
}
