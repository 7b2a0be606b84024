// Answers the conformance protocol: one JSON request per line on standard input, one JSON answer per line on standard output.
//
//   npm run conformance -- --parity v7    answers in the bytes of v7 of the reference
import { parseArgs } from "node:util"
import { formatJson, type Parity, parseJson } from "../../src/json/json.js"
import { own } from "../../src/value/object.js"
import { isMap } from "../../src/value/value.js"
import { answerRequest } from "./answer.js"
import { type Answer, Request } from "./request.js"
import { failure } from "./story.js"

const { values } = parseArgs({ options: { parity: { type: "string", default: "v6" } } })
const parity = knownParity(values.parity)

function knownParity(name: string): Parity {
  if (name !== "v6" && name !== "v7") throw new TypeError(`--parity takes v6 or v7, not ${name}`)
  return name
}

function answer(line: string): Answer {
  let id: Answer = {}
  try {
    const fields = parseJson(line)
    if (isMap(fields) && own(fields, "id") !== undefined) id = { id: fields.id ?? null }
    return { ...id, ...answerRequest(new Request(fields), parity) }
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
