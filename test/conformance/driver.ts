// Answers the conformance protocol: one JSON request per line on standard input, one JSON answer per line on standard output.
import { formatJson, parseJson } from "../../src/json/json.js"
import { own } from "../../src/value/object.js"
import { isMap } from "../../src/value/value.js"
import { answerRequest } from "./answer.js"
import { type Answer, Request } from "./request.js"
import { failure } from "./story.js"

function answer(line: string): Answer {
  let id: Answer = {}
  try {
    const fields = parseJson(line)
    if (isMap(fields) && own(fields, "id") !== undefined) id = { id: fields.id ?? null }
    return { ...id, ...answerRequest(new Request(fields)) }
  } catch (error) {
    return { ...id, ...failure(error) }
  }
}

// We don't use node:readline: it ends a line at U+2028 too.
let rest = ""
process.stdin.setEncoding("utf8")
for await (const chunk of process.stdin) {
  const lines = (rest + String(chunk)).split("\n")
  rest = lines.pop() ?? ""
  process.stdout.write(answers(lines))
}
process.stdout.write(answers([rest]))

function answers(lines: readonly string[]): string {
  let out = ""
  for (const line of lines) if (line.trim() !== "") out += `${formatJson(answer(line))}\n`
  return out
}
