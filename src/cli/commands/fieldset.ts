import { encodeFields } from "../../fieldpath/fieldsv1/object.js"
import { formatFieldsV1 } from "../../fieldpath/fieldsv1/text.js"
import { TypedValue } from "../../typed/typed-value.js"
import { dataOutputOption, outOption, requireOperands, schemaOptions } from "../input/options.js"
import { typedDocument } from "../input/problems.js"
import { loadTypes } from "../input/types.js"
import { formatDocument } from "../output/document.js"
import { printableJson } from "../terminal/layout.js"
import { command } from "./command.js"

export const fieldset = command({
  name: "fieldset",
  summary: "Print all fields of a document as FieldsV1",
  operands: "FILE",
  isPrinter: true,
  options: { ...schemaOptions, output: dataOutputOption, out: outOption },
  notes: [
    "The set is the fields that a comparison of {} with the document finds added: every field, list item and map key, including",
    "containers.",
  ],
  examples: ["smd fieldset pod.yaml", "smd fieldset pod.yaml --output yaml"],
  async run({ args, input, terminal }) {
    const [file] = requireOperands(args, "FILE")
    const types = await loadTypes(args, input)
    const document = await input.document(file)
    const type = types.typeOf(document)
    const { added } = TypedValue.of({}, type).compare(typedDocument(document, type))
    const { output } = args
    terminal.write(
      output === undefined ? `${printableJson(formatFieldsV1(added))}\n` : formatDocument(encodeFields(added), output),
    )
    return 0
  },
})
