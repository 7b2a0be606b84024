import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { readYamlFast } from "../../src/io/fast/stream.js"
import { formatJson, formatYaml, parseJson } from "../../src/io/index.js"
import { readFully } from "../../src/io/yaml-full.js"
import type { Value } from "../../src/value/value.js"
import { Random } from "../fuzz/random.js"
import { anyYaml, mutatedYaml } from "../fuzz/yaml.js"
import type { RealCRD } from "../vectors/real-crds.js"

const recorded = gunzipSync(readFileSync(new URL("../vectors/real-crds.json.gz", import.meta.url))).toString("utf8")
const definitions = (parseJson(recorded) as unknown as readonly RealCRD[]).map(({ crd }) => formatYaml(crd))

/** Texts that the fast reader must read without the full reader, since manifests have them all the time. */
const common: readonly (readonly [text: string, json: string])[] = [
  ["a: 1", '[{"a":1}]'],
  ["---\na: 1\n", '[{"a":1}]'],
  ["# about\n\n---\na: 1\n---\n- b\n", '[{"a":1},["b"]]'],
  ["a:\n- 1\n- b: 2\n  c: 3\nd:\n  - - x\n    - z\n", '[{"a":[1,{"b":2,"c":3}],"d":[["x","z"]]}]'],
  ["a:\nb: # none\nc:\n  # below\n  d: e # behind\n-f: g#h\n", '[{"a":null,"b":null,"c":{"d":"e"},"-f":"g#h"}]'],
  ["-\n- # none\n-\n  a: 1\n-   b: 2\n    c: 3\n", '[[null,null,{"a":1},{"b":2,"c":3}]]'],
  ["a: {}\nb: []\nc: {d: [1, 'x', {e: f}], \"g\":h}\n", '[{"a":{},"b":[],"c":{"d":[1,"x",{"e":"f"}],"g":"h"}}]'],
  ['{\n  "a": [1.5, true, null],\n  "b": {}\n}\n', '[{"a":[1.5,true,null],"b":{}}]'],
  ["a: one\n  two\n\n  three # end\nb: x\n", '[{"a":"one two\\nthree","b":"x"}]'],
  ["a: 'it''s\n\n  here '\nb: \"x\\ty\\u00e9\n  z\"\n", '[{"a":"it\'s\\nhere ","b":"x\\tyé z"}]'],
  ["a: |\n  x\n\n    y\n\nb: |-\n  x\nc: |+\n  x\n\n", '[{"a":"x\\n\\n  y\\n","b":"x","c":"x\\n\\n"}]'],
  ["a: >\n  x\n  y\n\n  z\nb: >-\n\n  x\n", '[{"a":"x y\\nz\\n","b":"\\nx"}]'],
  ["on: yes\n010: ~\n'on': 9007199254740993\n", '[{"true":true,"8":null,"on":9007199254740993}]'],
  ['a: "\\x41\\0\\a\\e\\v\\N\\_\\u00e9\\U0001F436"\n', '[{"a":"A\\u0000\\u0007\\u001b\\u000b\x85\xa0é🐶"}]'],
  ['a: "one \\\n  \\ two\n  \\  three\\\\\n  four"\n', '[{"a":"one  two   three\\\\ four"}]'],
  ["a: 'x\\\n  y'\n", '[{"a":"x\\\\ y"}]'],
  ["a:\n  - [x, # one\n    'y',\n  ]\n  - {\n    b: 1, c: [],\n  }\n", '[{"a":[["x","y"],{"b":1,"c":[]}]}]'],
  ["a: | # about\n  x\n\n   y\n  \n  z", '[{"a":"x\\n\\n y\\n\\nz"}]'],
  ["a: >-  \n  x\n   y\n\n   z\n  u\n  v\n", '[{"a":"x\\n y\\n\\n z\\nu v"}]'],
  ["ключ: é\nключа: ü\nключ2: &\n".replace("&", "ключ"), '[{"ключ":"é","ключа":"ü","ключ2":"ключ"}]'],
  ["\ufeffa: 1\nb:\r\n- |\r\n  x\r\n  y\r\n- 'z\r\n\r\n  u'\r- v # end\r\n", '[{"a":1,"b":["x\\ny\\n","z\\nu","v"]}]'],
  [
    "a: b\u00a0\n\u00a0c: [\u00a0d]\ne: >\n  f\n  \u00a0\n",
    '[{"a":"b\u00a0","\u00a0c":["\u00a0d"],"e":"f \u00a0\\n"}]',
  ],
  [
    "a: 0\nb: 999999999\nc: 1234567890\nd: 10m0s\ne: 1.2.3.4\nf: 0x1F\ng: 1_0.5e+3\n",
    '[{"a":0,"b":999999999,"c":1234567890,"d":"10m0s","e":"1.2.3.4","f":31,"g":10500}]',
  ],
  [
    "? a\n: b\n? 'c: d' # e\n: f\n# g\n? h i\n# j\n:\n  k: 1\n? l\n: m: 1\n  t: 2\n? o\n: - p\n  - q\n? r\n:\ns: 3\n",
    '[{"a":"b","c: d":"f","h i":{"k":1},"l":{"m":1,"t":2},"o":["p","q"],"r":null,"s":3}]',
  ],
  [
    "a: &x 1\nb: &y-1\n  c: *x\nd: [e]\nf: *y-1 # g\nh: &x # i\nj: *x\n",
    '[{"a":1,"b":{"c":1},"d":["e"],"f":{"c":1},"h":null,"j":null}]',
  ],
  [
    "- &a |\n  b\n- &c {d: [1]}\n- *a\n- e: *c\n- &f\n  - g\n- *f\n",
    '[["b\\n",{"d":[1]},"b\\n",{"e":{"d":[1]}},["g"],["g"]]]',
  ],
  ["__proto__: 1\nconstructor: {toString: 2}\n", '[{"__proto__":1,"constructor":{"toString":2}}]'],
]

/** Streams with empty documents, or with more than dashes on a line of dashes. An empty document is written as null. */
const divided: readonly (readonly [text: string, json: string])[] = [
  ["", "[]"],
  ["# nothing", "[]"],
  ["---\n", "[null]"],
  ["---", "[null]"],
  ["a: 1\n---\n", '[{"a":1},null]'],
  ["---\n# none\n---\na: 1\n---", '[null,{"a":1},null]'],
  ["---  \na: 1\n--- # next\n- b\n", '[{"a":1},["b"]]'],
]

const needFull = [
  ...["a", "- a: 1\n...\n", "%YAML 1.1\n---\na: 1", "a: *x", "a: !!str 1", "? a"],
  ...["? a\n  b\n: c", "? a: b\n: c", "? [a]\n: b", "? 'a\n  b'\n: c", "? a\n:\n- b", "? a\n\n? b\n: c"],
  ...[
    "&a\nb: *a",
    "a: &x.y b",
    "a: &x [*x]",
    "a: &x b\n*x : c",
    "a: &x\n- b",
    "- &x\n- b",
    "- &x a: b",
    "a: &x b\n---\nc: *x",
  ],
  ...["a: &x b\nc: &x [*x]", "a: &x b\nc: *x d", "a: [&x b, *x]", `a: &x [${"1, ".repeat(100)}]\nb: *x`],
  ...[
    "<<: {a: 1}",
    "[a: 1]",
    "{a}",
    "a: |2\n    x\n",
    "a: |\n  x\n     \n",
    "a: >\n  x\n   \n",
    "--- a: 1",
    "---# a\nb: 1",
    "a:\tb",
    "a: b: c",
  ],
  ...[
    "a: 1\na: 2",
    "a: .inf",
    "a: 9223372036854775808",
    "9223372036854775808: a",
    "~: a",
    "a: 1\n  b: 2",
    "a: 'x",
    "a: [1\nb]",
    "- a: [1\n]",
  ],
  ...[
    "a: \u0001",
    "a: b\u2028c",
    ...["\ufeff a: 1", "\ufeff- a\n"],
    "a: 1\n---\n\ufeffb: 1\n",
    ...[
      "a: b\u0001",
      "a: 'b\u007f'",
      'a: "\\\u0001"',
      "a: [b\u0001]",
      "a: |\n  b\u0001\n",
      "a: 1 # \u007f\n",
      "a: b\0c",
      "a: \x85",
    ],
    ...["a: 1\n'a': 2", '"a": 1\na: 2', "on: 1\n'true': 2", "{a: 1, 'a': 2}", "{on: 1, true: 2}"],
    "a: @b",
    "- a\nb: 1",
    'a: "\\ud800"',
    'a: "\\q"',
    'a: "x\\\n\n  y"',
    'a: "x\\ \n  y"',
    "a: 'x\ny'",
    "a: [,]",
  ],
]

function readSlowly(text: string): (Value | undefined)[] | string {
  try {
    return Array.from(readFully(text, false), reader => reader.value())
  } catch (error) {
    return String(error)
  }
}

function readFast(text: string): (Value | undefined)[] | undefined {
  return readYamlFast(text)?.map(({ value }) => value)
}

describe("readYamlFast", () => {
  it.each([...common, ...divided])("reads %j", (text, json) => {
    const read = readFast(text)
    expect(formatJson(read?.map(value => value ?? null) ?? null)).toBe(formatJson(parseJson(json)))
    expect(readSlowly(text)).toEqual(read)
  })

  it.each(divided)("finds the text of each document: %j", text => {
    for (const { value, start, end } of readYamlFast(text) ?? []) {
      expect(readSlowly(text.slice(start, end))).toEqual(value === undefined ? [] : [value])
    }
  })

  it.each(needFull)("leaves %j to the full reader", text => {
    expect(readYamlFast(text)).toBeUndefined()
  })

  it("reads what formatYaml writes, however large", () => {
    for (const text of definitions)
      expect(
        readFast(text)
          ?.map(value => formatYaml(value ?? null))
          .join() === text,
      ).toBe(true)
  })

  it("leaves what nests too deep to the full reader", () => {
    expect(readYamlFast(`${"- ".repeat(500)}1`)).toBeDefined()
    expect(readYamlFast(`${"- ".repeat(501)}1`)).toBeUndefined()
    expect(readYamlFast("[".repeat(501) + "]".repeat(501))).toBeUndefined()
  })

  // YAML_CASES and YAML_SEED set the number and the seed of the cases.
  it("gives the answer of the full reader, or none", () => {
    const random = new Random(process.env.YAML_SEED ?? 1, "yaml-fast", 0)
    const manifests = [...definitions, handWritten, handWritten, handWritten]
    let read = 0
    const total = Number(process.env.YAML_CASES ?? 3000)
    for (let i = 0; i < total; i++) {
      const text = random.chance(0.6) ? mutatedYaml(random, linesOf(random, random.pick(manifests))) : anyYaml(random)
      const fast = readFast(text)
      if (fast === undefined) continue
      read++
      const full = readSlowly(text)
      if (typeof full === "string") expect([text, full]).toEqual([text, fast])
      else expect([text, ...fast.map(json)]).toEqual([text, ...full.map(json)])
    }
    expect(read).toBeGreaterThan(total / 10)
  })
})

function json(value: Value | undefined): string {
  return value === undefined ? "" : formatJson(value)
}

/** Returns some lines of a text, moved left together as far as possible. */
function linesOf(random: Random, text: string): string {
  const lines = text.split("\n")
  const start = random.below(lines.length)
  const some = lines.slice(start, start + random.between(1, 14))
  const indents = some.filter(line => line.trim() !== "").map(line => line.search(/[^ ]/))
  return `${some.map(line => line.slice(Math.min(...indents, 100))).join("\n")}\n`
}

const handWritten = `# A Deployment as people write them.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: 'shop'   # quoted
  labels: {app: shop, "tier": front, n: 1}
  annotations:
    note: one line
      and another,

      and a third
    "quoted key": "a \\"b\\" \\u00e9
      c"
    'single': 'it''s
      folded'
    json: '{"a": [1, 2], "b": null}'
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: web
        image: "web:1.0"
        args: [--port=80, '-v', "x"]
        command:
          - sh
          - -c
          - |
            set -e
            # not a comment
              indented

            exit 0
        env:
        -   name: A
            value: "on"
        -
          name: B
          value: >-
            folded text

            of two paragraphs
              and indented lines

             below
        ports: [
          {containerPort: 80}, # one
          8080,
        ]
        resources: {limits: {cpu: 100m, memory: 1Gi}, requests: {}}
      volumes: []
---
- - nested
  - list
-
- ~
- a: b
`
