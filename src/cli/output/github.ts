// Annotations of a GitHub workflow: it shows these lines of its output at their places in the changed files.
import type { Place } from "../input/document.js"

/** A line that shows a message at a place. */
export function annotation(
  level: "error" | "warning" | "notice",
  { file, position }: Place,
  title: string,
  message: string,
): string {
  const properties = [
    `file=${property(file)}`,
    ...(position === undefined ? [] : [`line=${position.line}`, `col=${position.column}`]),
    `title=${property(title)}`,
  ]
  return `::${level} ${properties.join(",")}::${data(message)}\n`
}

/** Text as GitHub asks for it: on one line, and in a property without what ends one. */
function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}
