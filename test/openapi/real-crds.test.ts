/**
 * The CustomResourceDefinitions of Gateway API, cert-manager, Prometheus Operator and Argo CD: each converts to the types that
 * upstream makes of it, and objects of it are applied as upstream applies them.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { formatJson, parseJson } from "../../src/json/json.js"
import { schemaFromCRD } from "../../src/openapi/index.js"
import type { MapValue } from "../../src/value/value.js"
import { answerRequest } from "../conformance/answer.js"
import { Request } from "../conformance/request.js"
import { difference, type ParsedMap, parseExact } from "../support/answers.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { type RealCRD, typesHash } from "../vectors/real-crds.js"

const text = gunzipSync(readFileSync(new URL("../vectors/real-crds.json.gz", import.meta.url))).toString("utf8")
const recorded = deepFreeze(parseJson(text)) as unknown as readonly RealCRD[]

function answer(request: MapValue): ParsedMap {
  return parseExact(formatJson(answerRequest(new Request(deepFreeze(request))))) as ParsedMap
}

describe("published custom resources", () => {
  it("are of all four projects", () => {
    const modules = new Set(recorded.map(({ name }) => name.slice(0, name.indexOf("@"))))
    expect(modules.size).toBe(4)
  })

  it.each(recorded)("$name", ({ crd, types, story, expect: answered }) => {
    expect(schemaFromCRD(crd).diagnostics).toEqual([])
    const { types: found = null } = answer({ op: "openapiSchema", crd })
    expect(typesHash(found)).toBe(types)
    expect(difference(answered, answer({ ...story, crd }), { words: true })).toBeNull()
  })

  it("accept an apply, a forced apply by another manager, and a forced apply by the first", () => {
    const contended = recorded.filter(({ expect: answered }) => {
      const errors = (answered.steps as readonly ParsedMap[]).map(({ error }) => error)
      const [, refused] = errors
      expect(errors).toEqual([undefined, refused, undefined, undefined])
      if (refused !== undefined) expect(refused).toMatchObject({ code: 409 })
      return refused !== undefined
    })
    // RBAC rules contain only a list of groups, and each manager has a group of its own.
    const names = recorded.filter(entry => !contended.includes(entry)).map(({ name }) => name)
    expect(names).toEqual([expect.stringMatching(/ PrometheusRule$/)])
  })
})
