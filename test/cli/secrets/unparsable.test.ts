/** Messages about texts that can't be parsed quote nothing of a text that may be a Secret. */
import { describe, expect, it } from "vitest"
import { smd } from "../cli.js"

const head = "kind: Secret\napiVersion: v1\nmetadata: {name: db}\n"
const token = "hunter2secret"

const texts: readonly string[] = [
  ...[
    `a: ${token}: x`,
    `a: "${token}`,
    `${token}\n  b: 1`,
    `a: *${token}`,
    `a: "\\${token}"`,
    `a: "\\x${token}"`,
    `a: "\\u${token}"`,
    `a: @${token}`,
    `a: %${token}`,
    `a: [${token}`,
    `${token}: 1\n  ${token}: 2`,
    `a: |${token}\n    x`,
    `a: >${token}\n    x`,
    `a: &${token} x\n  b: &${token}\n - c`,
    `a: "x" ${token}`,
    `? ${token}\n  ? [${token}]\n  : 1`,
    `a: !!int ${token}`,
    `a: !!float ${token}`,
    `a: !!bool ${token}`,
    `a: !!timestamp ${token}`,
    `a: !!binary ${token}`,
    `<<: ${token}`,
    `a: \`${token}`,
    `a: ${token}\n b: ${token}`,
    `{${token}: 1}: x`,
  ].map(data => `${head}data:\n  ${data}\n`),
  `%${token}\n---\n${head}`,
  `${head}data: {a: ${token}} ${token}\n`,
  `${head}data:\n\ta: ${token}\n`,
  `{"kind":"Secret"}\n{"kind":"Secret","data":{"a":${token}}}\n`,
  `{"kind":"Secret","data":{"a":"\\u${token}"}}`,
]

describe("a text that may be a Secret", () => {
  it.each(texts)("is not quoted: %j", async text => {
    const { status, out, err } = await smd(["validate", "a.yaml"], { files: { "a.yaml": text } })
    expect(status).toBe(2)
    expect(out + err).toMatch(/^a\.yaml:\d+:/)
    expect(out + err).not.toMatch(/hunter|\\[hux]/)
  })

  it("is quoted with --show-secrets, as any other text", async () => {
    const text = `kind: Secret\ndata:\n  a: |${token}\n`
    const quoted = `a.yaml:3:7: Block scalar header includes extra characters: |${token}\n`
    const hidden = [
      "a.yaml:3:7: Block scalar header includes extra characters: (hidden)\n",
      "values are hidden, such as those of Secrets; --show-secrets shows them\n",
    ].join("")
    const messageFor = async (text: string, ...args: string[]) => {
      return (await smd(["validate", "a.yaml", ...args], { files: { "a.yaml": text } })).err
    }
    expect(await messageFor(text)).toBe(hidden)
    expect(await messageFor(text, "--show-secrets")).toBe(quoted)
    const other = text.replace("Secret", "ConfigMap")
    expect(await messageFor(other)).toBe(quoted)
    expect(await messageFor(other, "--mask", ".data.a")).toBe(hidden)
  })

  it("is not quoted by a story, either", async () => {
    const story = `title: x\nobjects:\n- kind: Secret\n  data:\n    a: !!int ${token}\n`
    const { err } = await smd(["simulate", "story.yaml"], { files: { "story.yaml": story } })
    expect(err).toMatch(/^story\.yaml:5:14: cannot decode !!str \(hidden\) as a !!int\n/)
  })
})
