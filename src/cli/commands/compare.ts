import { encodeFields } from "../../fieldpath/fieldsv1/object.js"
import { valueAt } from "../../fieldpath/lookup.js"
import { formatPath, type Path } from "../../fieldpath/path.js"
import type { FieldSet } from "../../fieldpath/set.js"
import type { Comparison } from "../../typed/comparison.js"
import type { Value } from "../../value/value.js"
import { dataOutputOption, outOption, schemaOptions } from "../input/options.js"
import { formatDocument } from "../output/document.js"
import { showValue } from "../output/flow.js"
import { alignColumns, printable } from "../terminal/layout.js"
import { command } from "./command.js"
import { loadBoth } from "./merge.js"

export const compare = command({
  name: "compare",
  summary: "Print which fields differ between LHS and RHS",
  operands: "LHS RHS",
  options: { ...schemaOptions, output: dataOutputOption, out: outOption },
  notes: [
    "Prints the paths of the fields that are modified, added and removed from LHS to RHS, with their values. With --output it prints",
    "the three field sets as FieldsV1. Exits with 1 if there is a difference.",
  ],
  examples: ["smd compare before.yaml after.yaml", "smd compare before.yaml after.yaml --output json"],
  async run(context) {
    const [lhs, rhs] = await loadBoth(context)
    const comparison = lhs.compare(rhs)
    const { terminal, args, input } = context
    if (args.output !== undefined) {
      const { modified, added, removed } = comparison
      const sets = { modified: encodeFields(modified), added: encodeFields(added), removed: encodeFields(removed) }
      terminal.write(formatDocument(sets, args.output))
    } else if (comparison.isSame()) terminal.write("No difference\n")
    else {
      const [before, after] = input.secrets.hide([lhs.value, rhs.value] as const)
      terminal.write(listFields(comparison, before, after))
    }
    return comparison.isSame() ? 0 : 1
  },
})

/** Formats the comparison with upstream's headings, and with the values. Each path takes one line, whatever its names contain. */
function listFields({ modified, added, removed }: Comparison, lhs: Value, rhs: Value): string {
  const changes = (path: Path) => `${valueAtPath(lhs, path)} -> ${valueAtPath(rhs, path)}`
  return [
    section("Modified", modified, changes),
    section("Added", added, path => valueAtPath(rhs, path)),
    section("Removed", removed, path => valueAtPath(lhs, path)),
  ].join("")
}

function section(title: string, set: FieldSet, valuesOf: (path: Path) => string): string {
  const rows = Array.from(set, path => [printable(formatPath(path)), valuesOf(path)])
  return rows.length === 0 ? "" : `- ${title} Fields:\n${alignColumns(rows).join("\n")}\n`
}

function valueAtPath(object: Value, path: Path): string {
  return showValue(valueAt(object, path))
}
