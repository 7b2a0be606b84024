import type { TypedValue } from "../../typed/typed-value.js"
import type { Context } from "../input/input.js"
import {
  dataOutputOption,
  inPlaceOption,
  type Operands,
  outOption,
  requireOperands,
  schemaOptions,
} from "../input/options.js"
import { typedDocument } from "../input/problems.js"
import { loadTypes, type TypesValues } from "../input/types.js"
import { formatResult } from "../output/document.js"
import { onlyFile } from "../output/out.js"
import { command } from "./command.js"

export const merge = command({
  name: "merge",
  summary: "Merge RHS into LHS and print the result",
  operands: "LHS RHS",
  isPrinter: true,
  options: { ...schemaOptions, output: dataOutputOption, out: outOption, inPlace: inPlaceOption("the file of LHS") },
  notes: ["Nothing is removed: the result is LHS with every value of RHS. One of the two may be -."],
  examples: [
    "smd merge live.yaml change.yaml",
    "smd merge live.yaml change.yaml --output json",
    "smd merge --schema schema.yaml --type cluster a.yaml b.yaml",
  ],
  inPlaceFile: ({ operands }) => onlyFile(operands.slice(0, 1), "file of LHS"),
  async run(context) {
    const [lhs, rhs] = await loadBoth(context)
    context.terminal.write(formatResult(lhs.merge(rhs).value, context.args.output ?? "yaml", context.input.secrets))
    return 0
  },
})

/** The two operands as values of one type. */
export async function loadBoth({
  args,
  input,
}: Context<Operands & TypesValues>): Promise<readonly [lhs: TypedValue, rhs: TypedValue]> {
  const [left, right] = requireOperands(args, "LHS", "RHS")
  const types = await loadTypes(args, input)
  const lhs = await input.document(left)
  const rhs = await input.document(right)
  return [typedDocument(lhs, types.typeOf(lhs)), typedDocument(rhs, types.typeOf(rhs))]
}
