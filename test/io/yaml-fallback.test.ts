/** The documents of a stream that need the full reader: it reads those alone, with the same values and positions as in the whole stream. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, type Mock, vi } from "vitest"
import { readYamlFast } from "../../src/io/fast/stream.js"
import { readFully } from "../../src/io/yaml-full.js"

let spied: Mock<typeof readFully>
let yaml: typeof import("../../src/io/yaml.js")

// Test files share modules, so this one takes a yaml.ts of its own.
beforeAll(async () => {
  vi.resetModules()
  vi.doMock("../../src/io/yaml-full.js", async importOriginal => {
    const full = await importOriginal<typeof import("../../src/io/yaml-full.js")>()
    spied = vi.fn(full.readFully)
    return { readFully: spied }
  })
  yaml = await import("../../src/io/yaml.js")
})
beforeEach(() => spied.mockClear())
afterAll(() => {
  vi.doUnmock("../../src/io/yaml-full.js")
  vi.resetModules()
})

const plain = (name: string) => `kind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: [1, "x"]\n`

/** Documents that the fast reader gives up on, with the value of `odd`. */
const hard: readonly (readonly [what: string, text: string, value: unknown])[] = [
  ["an escaped surrogate pair", 'kind: Odd\nodd: "\\ud83d\\ude00"\n', "\u{1f600}"],
  ["an escaped space at the end of a line", 'kind: Odd\nodd: "x\\ \n  y"\n', "x  y"],
  ["a merge key", "kind: Odd\nref: &r {b: 1}\nodd: {<<: *r}\n", { b: 1 }],
]

/** The texts that the full reader got. */
function fullyRead(): string[] {
  return spied.mock.calls.map(([text]) => text)
}

describe("a stream in which one document needs the full reader", () => {
  it.each(hard)("is read fast but for that document: %s", (_, text, value) => {
    expect(readYamlFast(text)).toBeUndefined()
    const stream = [plain("a"), text, plain("b")].join("---\n")
    const documents = yaml.parseYamlDocuments(stream)
    expect(fullyRead()).toEqual([text])
    expect(documents[1]).toMatchObject({ kind: "Odd", odd: value })
    expect(documents).toEqual(Array.from(readFully(stream, false), reader => reader.value()))
  })

  it.each(hard)("has the positions of the whole stream: %s", (_, text) => {
    const stream = [plain("a"), text, plain("b")].join("---\n")
    const documents = yaml.parseYamlWithPositions(stream)
    expect(fullyRead()).toEqual([text])
    const last = stream.split("\n").lastIndexOf("  name: b") + 1
    expect(documents.map(({ positionOf }) => positionOf(["kind"])?.line)).toEqual([1, 7, last - 2])
    expect(documents[2]?.positionOf(["metadata", "name"])).toEqual({ line: last, column: 3 })
    expect(fullyRead()).toEqual([text, stream])
  })

  it("names the line in the stream if that document has a fault", () => {
    const stream = [plain("a"), 'odd: "\\q"\n', plain("b")].join("---\n")
    expect(() => yaml.parseYamlDocuments(stream)).toThrow(/^line 7, column /)
  })
})
