import { typesOfDefinitions } from "../../tools/controller/definition-types.js"
import { InputError } from "../input/document.js"
import { loadTypeDocuments, type TypeDocument } from "../input/document-types.js"
import { outOption, repeated, requireOperands, UsageError } from "../input/options.js"
import { command } from "./command.js"

export const types = command({
  name: "types",
  summary: "Print TypeScript types of custom resources",
  operands: "",
  isPrinter: true,
  options: { crd: repeated("FILE|DIR", "CustomResourceDefinitions to print the types of"), out: outOption },
  notes: [
    "Prints an interface for each served version, named after the kind, or after kind and version if there are several. The types",
    "of lists contain the keys of their items, so that ApplyConfiguration of structured-merge-diff/controller requires them.",
  ],
  examples: [
    "smd types --crd widgets-crd.yaml --out widgets.ts",
    "kubectl get crds -o yaml | smd types --crd - > cluster.ts",
  ],
  async run({ args, input, terminal }) {
    requireOperands(args)
    if (args.crd.length === 0) throw new UsageError("--crd is required")
    const documents = await loadTypeDocuments(args.crd, input)
    terminal.write(typesOfDefinitions(documents.map(definitionIn)))
    return 0
  },
})

function definitionIn({ name, format, value }: TypeDocument): object {
  if (format === "CustomResourceDefinition") return value as object
  throw new InputError(`${name}: expected a CustomResourceDefinition, found an ${format} document`)
}
