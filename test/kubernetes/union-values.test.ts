/** The bundled unions accept and refuse the same values as Kubernetes' own validation, which `oracle/reset-fields/unions` recorded. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { kubernetesSchemaWithUnions } from "../../src/kubernetes/index.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { validateUnions } from "../../src/union/validate.js"
import type { MapValue } from "../../src/value/value.js"
import { projectRoot } from "../support/entries.js"

interface Answer {
  readonly type: string
  readonly value: MapValue
  /** The value with the server's defaults, if they change it. */
  readonly defaulted?: MapValue
  readonly errors: readonly string[]
}

const answers = JSON.parse(
  readFileSync(join(projectRoot, "test", "vectors", "union-values.json"), "utf8"),
) as readonly Answer[]
const schema = compileSchema(kubernetesSchemaWithUnions())

function problemsOf({ type, value, defaulted }: Answer): string[] {
  const named = schema.type(type.startsWith("io.") ? type : `io.k8s.api.${type}`)
  const object = TypedValue.of(defaulted ?? value, named)
  return validateUnions(undefined, object, { style: "kep-2022" }).map(({ message }) => message)
}

/** Values on which unions and validation disagree. src/kubernetes/union-rows.ts has the reasons. */
const exceptions: readonly MapValue[] = [
  { path: "p", name: "n", labelSelector: {} },
  {
    driver: "d.example.com",
    pool: { name: "p", resourceSliceCount: 1 },
    nodeName: "n",
    devices: [],
    sharedCounters: [{ name: "c", counters: { m: { value: "1" } } }],
  },
  { strategy: "None", webhook: { conversionReviewVersions: [] } },
]

describe("what validation says of one-of fields", () => {
  it.each([...new Set(answers.map(({ type }) => type))])("%s", type => {
    const rows = answers.filter(answer => answer.type === type)
    expect(new Set(rows.map(({ errors }) => errors.length > 0))).toEqual(new Set([true, false]))
  })

  it("is what the unions say, but for what no union can", () => {
    const differing = answers.filter(answer => problemsOf(answer).length > 0 !== answer.errors.length > 0)
    expect(differing.map(({ value }) => value)).toEqual(exceptions)
  })
})
