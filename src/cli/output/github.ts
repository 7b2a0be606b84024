// Annotations for GitHub workflows, which show such lines of output at their places in the changed files.
import type { FilePlace } from "../input/document.js"
import { outputOption } from "../input/options.js"
import { currentSecrets } from "../secrets/scope.js"

/** `--output` of a command that reports problems. */
export const problemOutputOption = outputOption(
  ["text", "json", "github"],
  "text for people, data for programs, or annotations for GitHub workflows",
)

/** Returns the line of output that shows a message at a place. */
export function annotation(
  level: "error" | "warning" | "notice",
  { file, position }: FilePlace,
  title: string,
  message: string,
): string {
  const properties = [
    `file=${property(file)}`,
    ...(position === undefined ? [] : [`line=${position.line}`, `col=${position.column}`]),
    `title=${property(title)}`,
  ]
  return `::${level} ${properties.join(",")}::${data(currentSecrets().hideText(message))}\n`
}

/** Escapes the characters that would end a property of an annotation. */
function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}
