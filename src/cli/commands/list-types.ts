import { dataOutputOption, documentOptions, outOption, requireOperands, schemaOption } from "../input/options.js"
import { loadTypes } from "../input/types.js"
import { formatDocument } from "../output/document.js"
import { printable } from "../terminal/layout.js"
import { command } from "./command.js"

export const listTypes = command({
  name: "list-types",
  summary: "Print the names of a schema's types",
  operands: "",
  isPrinter: true,
  options: { schema: schemaOption, ...documentOptions, output: dataOutputOption, out: outOption },
  notes: ["Types are printed in the order of the schema, one on each line. With --output they are one list."],
  examples: [
    "smd list-types --schema schema.yaml",
    "smd list-types --crd widgets-crd.yaml",
    "smd list-types | grep Deployment",
  ],
  async run({ args, input, terminal }) {
    requireOperands(args)
    const typeNames = (await loadTypes(args, input)).typeNames()
    const { output } = args
    terminal.write(
      output === undefined ? typeNames.map(name => `${printable(name)}\n`).join("") : formatDocument(typeNames, output),
    )
    return 0
  },
})
