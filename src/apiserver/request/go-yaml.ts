// The messages of Go's reader about malformed YAML, for the problems that it words in one way.

const openBracket = /^line (\d+), column (\d+): Flow (?:map|sequence)\b.* end with a ([\]}])/

/** Returns Go's message about the problem in a text, or `message`, that of our reader, if Go's is not known. */
export function goYamlProblem(text: string, message: string): string {
  const [, line, column, bracket] = openBracket.exec(message) ?? []
  if (bracket === undefined) return message
  const lines = text.split("\n")
  const [first = "", ...others] = lines.slice(Number(line) - 1)
  const isAtEnd = [first.slice(Number(column) - 1), ...others].every(rest => rest.trim() === "")
  // Go counts lines from 0, does not name the first one, and takes the end of the text for a line of its own.
  const counted = isAtEnd ? lines.length - (text.endsWith("\n") ? 1 : 0) : Number(line) - 1
  return `yaml: ${counted === 0 ? "" : `line ${counted}: `}did not find expected ',' or '${bracket}'`
}
