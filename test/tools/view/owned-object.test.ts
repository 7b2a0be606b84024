import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { formatYaml, parseYaml } from "../../../src/io/index.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { ownedObject } from "../../../src/tools/view/index.js"
import { YamlLines } from "../../../src/tools/view/yaml-lines.js"
import type { MapValue } from "../../../src/value/value.js"

const story = new URL("../../../examples/stories/autoscaled-replicas/live.yaml", import.meta.url)
const live = parseYaml(readFileSync(story, "utf8")) as MapValue

describe("a live object with its owners", () => {
  const { lines, fields, managers } = ownedObject(live, { types: kubernetesTypes })
  const shown = lines.map(({ text, owners }) => `${text} <- ${owners.map(({ manager }) => manager).join("+")}`)

  it("has each line with the owners of its field", () => {
    expect(shown).toContain("  replicas: 7 <- autoscaler")
    expect(shown).toContain("            memory: 128Mi <- ci+web-team")
    expect(shown).toContain("        image: web:1.0 <- web-team")
    expect(shown).toContain("spec: <- ")
    expect(shown).toContain("  name: shop <- ")
  })

  it("omits managedFields", () => {
    expect(shown.some(line => line.includes("managedFields"))).toBe(false)
  })

  it("shows the owner of an atomic value on each of its lines", () => {
    const at = shown.findIndex(line => line.startsWith("  selector:"))
    expect(shown.slice(at, at + 3).every(line => line.endsWith("<- web-team"))).toBe(true)
  })

  it("lists the fields and the owners", () => {
    expect(managers.map(({ owner }) => owner.manager)).toEqual(["ci", "web-team", "autoscaler"])
    expect(fields.find(({ path }) => path === ".spec.replicas")?.owners[0]?.subresource).toBe("scale")
  })

  it("hides the values of a Secret and of its copies, until it is told to show them", () => {
    const copy = JSON.stringify({ apiVersion: "v1", kind: "Secret", data: { password: "aHVudGVyMg==" } })
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": copy }
    const metadata = { name: "login", annotations }
    const secret = { apiVersion: "v1", kind: "Secret", metadata, data: { password: "aHVudGVyMg==" }, type: "Opaque" }
    const text = (showSecrets: boolean) =>
      ownedObject(secret, { showSecrets })
        .lines.map(line => line.text)
        .join("\n")
    expect(text(false)).not.toContain("aHVudGVyMg==")
    expect(text(false)).toContain("  password: (hidden)\ntype: Opaque")
    expect(text(true).match(/aHVudGVyMg==/g)).toHaveLength(2)
  })
})

describe("an object as lines", () => {
  const odd: MapValue = {
    "a: b": { "- c": [[1, [2, { d: "x\ny\n" }]], {}, [], [{ e: [] }]] },
    [`${"long".repeat(300)}`]: { f: null },
    block: "one\n\ntwo\n\n",
    ["__proto__"]: { constructor: "\u2028" },
  }

  it.each([
    ["odd keys and values", odd],
    ["a Deployment", live],
  ])("has the text of formatYaml: %s", (_, object) => {
    expect(`${new YamlLines(object).lines.join("\n")}\n`).toBe(formatYaml(object))
  })

  it("knows the lines of each part", () => {
    const yaml = new YamlLines(odd)
    const text = (...steps: (string | number)[]) => {
      const span = yaml.spanOf(steps)
      return span && yaml.lines.slice(span.first, span.last + 1)
    }
    expect(text("a: b", "- c", 0, 1, 1, "d")).toEqual(["      - d: |", "          x", "          y"])
    expect(text("block")?.[0]).toBe("block: |+")
    expect(text("a: b", "- c", 3, 0, "e")).toEqual(["  - - e: []"])
    expect(text("a: b", "- c", 4)).toBeUndefined()
  })
  it("knows the smallest part on each line", () => {
    const yaml = new YamlLines(odd)
    const stepsOf = (text: string) => yaml.stepsAt(yaml.lines.indexOf(text))
    expect(stepsOf("'a: b':")).toEqual(["a: b"])
    expect(stepsOf("      - d: |")).toEqual(["a: b", "- c", 0, 1, 1, "d"])
    expect(stepsOf("          y")).toEqual(["a: b", "- c", 0, 1, 1, "d"])
    expect(stepsOf("  - - e: []")).toEqual(["a: b", "- c", 3, 0, "e"])
    expect(stepsOf("__proto__:")).toEqual(["__proto__"])
    expect([yaml.stepsAt(-1), yaml.stepsAt(yaml.lines.length)]).toEqual([undefined, undefined])
  })
})
