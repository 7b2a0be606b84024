import type { Command } from "./command.js"
import { InputError, noDocument, typedDocument } from "./input.js"
import { schemaOptions, UsageError } from "./options.js"
import { loadTypes } from "./types.js"

export const validate: Command = {
  name: "validate",
  summary: "Check documents against their types",
  operands: "FILE...",
  options: schemaOptions,
  notes: [
    "Every document of every FILE is checked, of which there has to be one; - is standard input. Prints nothing where all is",
    "well; otherwise every problem with file, line, column and path, and exits with 2.",
  ],
  examples: [
    "smd validate deployment.yaml service.yaml",
    "cat deployment.yaml | smd validate -",
    "smd validate --schema schema.yaml --type cluster cluster.yaml",
  ],
  async run({ args, input }) {
    if (args.operands.length === 0) throw new UsageError("FILE is missing")
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
          await attempt(() => void typedDocument(document, types.typeOf(document)))
        }
      })
    }
    if (problems.length > 0) throw new InputError(problems)
    return 0
  },
}
