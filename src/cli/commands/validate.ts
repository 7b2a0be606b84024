import { UnionError } from "../../errors.js"
import type { TypedValue } from "../../typed/typed-value.js"
import { normalizeUnionsApply } from "../../union/normalize.js"
import { type UnionPolicy, unionPolicies } from "../../union/policy.js"
import { requireValidUnions } from "../../union/validate.js"
import { type Document, describeIssues, InputError, noDocument, typedDocument } from "../input/input.js"
import { schemaOptions, UsageError } from "../input/options.js"
import { loadTypes } from "../input/types.js"
import { chosenPolicy, unionsOption } from "../input/unions.js"
import type { Command } from "./command.js"

export const validate: Command = {
  name: "validate",
  summary: "Check documents against their types",
  operands: "FILE...",
  options: [unionsOption, ...schemaOptions],
  notes: [
    "Every document of every FILE is checked, of which there has to be one; - is standard input. Prints nothing where all is",
    "well; otherwise every problem with file, line, column and path, and exits with 2.",
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
    if (args.operands.length === 0) throw new UsageError("FILE is missing")
    const policy = unionPolicies[chosenPolicy(args)]
    const types = await loadTypes(args, input)
    const problems: string[] = []
    const attempt = async (check: () => Promise<void> | void): Promise<void> => {
      try {
        await check()
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        for (const problem of error.problems) problems.push(problem)
      }
    }
    for (const file of args.operands) {
      await attempt(async () => {
        const documents = await input.documents(file)
        if (documents.length === 0) throw noDocument(file)
        for (const document of documents) {
          await attempt(() => {
            const type = types.typeOf(document)
            validateUnionsOf(document, typedDocument(document, type), policy)
          })
        }
      })
    }
    if (problems.length > 0) throw new InputError(problems)
    return 0
  },
}

/** Throws an InputError with what the policy does not let pass of a document that creates an object. */
function validateUnionsOf(document: Document, value: TypedValue, policy: UnionPolicy): void {
  try {
    requireValidUnions(policy, undefined, normalizeUnionsApply(value, value, { policy }).object)
  } catch (error) {
    if (!(error instanceof UnionError)) throw error
    throw new InputError(describeIssues(document, error.issues, value.type))
  }
}
