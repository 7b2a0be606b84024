import { describe, expect, it } from "vitest"
import { formatYaml } from "../../../src/io/yaml-format.js"
import type { MapValue } from "../../../src/value/value.js"
import { declareTest, hostileStory } from "../../support/exported-stories.js"
import { smd, text } from "../cli.js"

const map = "apiVersion: v1, kind: ConfigMap, metadata: {name: web}"

const files = {
  "hostile.yaml": formatYaml(hostileStory as unknown as MapValue),
  "wrong.yaml": text`
    title: Two colors
    unions: extended
    defaults: [{apiVersion: v1, kind: ConfigMap, data: {shape: round}}]
    definitions: [{openapi: 3.0.0, components: {schemas: {}}}]
    schemas: {plain: {unions: 'off'}}
    steps:
    - manager: gitops
      apply: &config {${map}, data: {color: red}}
    - manager: ann
      patch: {data: {color: blue}}
      expect: {outcome: unchanged}
    - {changeSchema: plain}
    - manager: gitops
      apply: *config
      expect: {outcome: changed}
    - {changeSchema: ''}
  `,
  "secret.yaml": text`
    title: A Secret
    steps:
    - manager: ci
      apply: {apiVersion: v1, kind: Secret, metadata: {name: db}, stringData: {password: abc}}
  `,
  "start.yaml": text`
    title: An object at the start
    objects: [{${map}, data: {color: red}}]
    steps:
    - manager: ann
      patch: {data: {color: blue}}
    - manager: ci
      apply: {${map}, data: {size: s}}
  `,
}
const simulate = (...args: string[]) => smd(["simulate", ...args], { files })

for (const name of Object.keys(files)) {
  const { out } = await simulate(name, "-o", "vitest", "--show-secrets")
  describe(`the test of ${name}`, () => declareTest(out))
}

describe("smd simulate --output", () => {
  it.each(["kubectl", "vitest"])(
    "%s prints nothing else to standard output, and reports unmet expectations",
    async form => {
      const { status, out, err } = await simulate("wrong.yaml", "-o", form)
      expect([status, err]).toEqual([
        1,
        'wrong.yaml:11:12: outcome: expected "unchanged", found "changed"\n' +
          'wrong.yaml:15:12: outcome: expected "changed", found "conflict"\n',
      ])
      expect(out).toMatch(form === "kubectl" ? /^sh -e <<'STORY'\n.*\nSTORY\n$/s : /^import .*\n\}\)\n$/s)
      for (const note of ["The defaults of the story are missing", "The kinds of OpenAPI documents are missing"]) {
        expect(out).toContain(note)
      }
      expect(out.match(/setUnions\("(.*)"\)|The union policy changes to (.*)\./g)).toHaveLength(2)
    },
  )

  it("names the namespace of every object in a script, whatever the namespace of kubectl's context", async () => {
    const { out } = await simulate("start.yaml", "-o", "kubectl")
    const commands = out.match(/^kubectl .*$/gm) ?? []
    expect(commands).toHaveLength(4)
    for (const command of commands) expect(command).toMatch(/ create -f - |--namespace=default/)
    expect(out).toMatch(/ {2}namespace: default$/m)
  })

  it("prints no control characters of a story", async () => {
    for (const form of ["kubectl", "vitest"]) {
      const { out } = await simulate("hostile.yaml", "-o", form)
      expect(out).not.toMatch(/[^\P{C}\n]|\u2028/u)
    }
  })

  it.each([
    [["secret.yaml"], "secret.yaml: a test would contain values that are hidden"],
    [["wrong.yaml", "hostile.yaml"], "smd simulate: --output vitest is for one story, not for 2"],
    [["wrong.yaml", "--permute"], "smd simulate: --permute can't be used with --output vitest"],
  ])("refuses %j", async (args, message) => {
    const { status, out, err } = await simulate(...args, "-o", "vitest")
    expect([status, out, err]).toEqual([2, "", expect.stringContaining(message)])
  })
})
