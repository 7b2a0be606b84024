import { encodeFields } from "../../fieldpath/fieldsv1/object.js"
import { formatPath } from "../../fieldpath/path.js"
import type { FieldSet } from "../../fieldpath/set.js"
import type { Comparison } from "../../typed/comparison.js"
import { outputOption, schemaOptions } from "../input/options.js"
import { formatDocument } from "../output/document.js"
import { printable } from "../output/layout.js"
import type { Command } from "./command.js"
import { loadBoth } from "./merge.js"

export const compare: Command = {
  name: "compare",
  summary: "Print which fields differ between LHS and RHS",
  operands: "LHS RHS",
  options: [...schemaOptions, outputOption],
  notes: [
    "Prints the paths that are modified, added and removed on the way from LHS to RHS; with --output the three field sets as",
    "FieldsV1. The exit status does not depend on the outcome.",
  ],
  examples: ["smd compare before.yaml after.yaml", "smd compare before.yaml after.yaml --output json"],
  async run(context) {
    const [lhs, rhs] = await loadBoth(context)
    const comparison = lhs.compare(rhs)
    const { terminal, args } = context
    if (args.output !== undefined) {
      const { modified, added, removed } = comparison
      const sets = { modified: encodeFields(modified), added: encodeFields(added), removed: encodeFields(removed) }
      terminal.write(formatDocument(sets, args.output))
    } else if (comparison.isSame()) terminal.write("No difference\n")
    else terminal.write(listFields(comparison))
    return 0
  },
}

/** The comparison as the reference prints it, each path on one line whatever its names hold. */
function listFields({ modified, added, removed }: Comparison): string {
  return section("Modified", modified) + section("Added", added) + section("Removed", removed)
}

function section(title: string, set: FieldSet): string {
  const lines = Array.from(set, path => `${printable(formatPath(path))}\n`)
  return lines.length === 0 ? "" : `- ${title} Fields:\n${lines.join("")}`
}
