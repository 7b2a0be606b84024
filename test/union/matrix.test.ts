/**
 * Runs the version-skew matrix through every policy: compares the answers with recorded ones, and checks laws that hold for all policies.
 *
 * The answers are in matrix.jsonl. If you change a policy on purpose, record them again and read the difference:
 *
 *     UNION_MATRIX=record npx vitest run test/union/matrix.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import { UnionError } from "../../src/errors.js"
import { valueAt } from "../../src/fieldpath/lookup.js"
import { formatPath } from "../../src/fieldpath/path.js"
import { ConflictError } from "../../src/merge/conflict.js"
import { normalizeUnions, normalizeUnionsApply } from "../../src/union/normalize.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { unionFieldPath } from "../../src/union/report.js"
import { UnionValidationError, validateUnions } from "../../src/union/validate.js"
import type { Value } from "../../src/value/value.js"
import { cardinalities, situations } from "./matrix.js"
import {
  type Answer,
  answer,
  policies,
  type Run,
  recordLine,
  runs,
  type Scene,
  sceneOf,
  showAnswer,
} from "./matrix-run.js"

const file = new URL("matrix.jsonl", import.meta.url)

interface Row {
  readonly run: Run
  readonly scene: Scene
  readonly answers: ReadonlyMap<UnionPolicyName, Answer>
  /** The results of settling, without validation. */
  readonly settled: ReadonlyMap<UnionPolicyName, Answer>
}

const rows: Row[] = runs().map(run => {
  const scene = sceneOf(run)
  const all = (options: { validateUnions?: false }) =>
    new Map(policies.map(policy => [policy, answer(run, scene, policy, options)]))
  return { run, scene, answers: all({}), settled: all({ validateUnions: false }) }
})

/** Returns the rows and policies that break a law, as text. `holds` returns how a row breaks it. */
function broken(holds: (row: Row, policy: UnionPolicyName, given: Answer) => string | null): string[] {
  return rows.flatMap(row =>
    Array.from(row.answers).flatMap(([policy, given]) => {
      const how = holds(row, policy, given)
      return how === null ? [] : [`${policy}: ${how} in ${recordLine(row.run, new Map([[policy, given]]))}`]
    }),
  )
}

describe("the matrix", () => {
  it("is as large as it was, and has something of everything", () => {
    const count = (holds: (given: Answer) => boolean) =>
      rows.reduce((sum, { answers }) => sum + Array.from(answers.values()).filter(holds).length, 0)
    const changes = ({ result }: Answer) => result?.unions ?? []
    expect({
      situations: situations().length,
      runs: rows.length,
      answers: count(() => true),
      conflicts: count(({ error }) => error instanceof ConflictError),
      unclear: count(({ error }) => error instanceof UnionError && !(error instanceof UnionValidationError)),
      refused: count(({ error }) => error instanceof UnionValidationError),
      invalid: count(({ problems }) => problems.length > 0),
      impliedDiscriminators: count(given =>
        changes(given).some(({ discriminator }) => discriminator?.implied === true),
      ),
      membersTaken: count(given =>
        changes(given).some(({ cleared }) => cleared.some(({ owners }) => owners.length > 0)),
      ),
      carried: count(given => changes(given).some(({ carried }) => carried !== undefined)),
    }).toMatchInlineSnapshot(`
      {
        "answers": 7776,
        "carried": 44,
        "conflicts": 826,
        "impliedDiscriminators": 304,
        "invalid": 1380,
        "membersTaken": 1128,
        "refused": 1200,
        "runs": 1296,
        "situations": 4632,
        "unclear": 420,
      }
    `)
  })

  it("has the recorded answers", () => {
    const lines = rows.map(({ run, answers }) => recordLine(run, answers))
    if (process.env.UNION_MATRIX === "record") writeFileSync(file, `${lines.join("\n")}\n`)
    const recorded = readFileSync(file, "utf8").trimEnd().split("\n")
    const changed = lines.filter((line, i) => line !== recorded[i])
    expect(changed.slice(0, 5)).toEqual([])
    expect(recorded.length).toBe(lines.length)
  })

  it("fails only by refusing", () => {
    const refused = (error: unknown) => error instanceof UnionError || error instanceof ConflictError
    expect(broken((_row, _policy, { error }) => (error === null || refused(error) ? null : String(error)))).toEqual([])
  })
})

/** Returns the keys of an object of the matrix, or none if pruning removed the object. */
function keysOf(object: Value): string[] {
  return Object.keys(object ?? {})
}

function membersOf(object: Value): string[] {
  return keysOf(object).filter(key => key !== "type")
}

describe("in every situation", () => {
  it("kep-2022 stores nothing that is invalid", () => {
    const unsound = broken((_row, policy, { problems }) => {
      return policy !== "kep-2022" || problems.length === 0 ? null : "it is stored"
    })
    expect(unsound).toEqual([])
  })

  it("a request fails for invalid unions where the policy refuses what validation finds in what is settled", () => {
    const wrong = broken(({ scene: { live }, settled }, policy, { error }) => {
      const { result } = settled.get(policy) as Answer
      if (result === null) return error === null ? "it passed" : null
      // An empty object before the request represents a missing one.
      const old = Object.keys(live.value as object).length === 0 && result.changed ? undefined : live
      const found = validateUnions(old, result.object, { policy })
      const expected = unionPolicies[policy].invalidResult === "error" ? found : []
      const refused = error instanceof UnionValidationError ? error.errors : []
      return isDeepStrictEqual(refused, expected) ? null : "it is refused for something else"
    })
    expect(wrong).toEqual([])
  })

  it("normalizing again changes nothing", () => {
    const restless = broken(({ scene: { live, body, applies } }, policy, { error }) => {
      if (error instanceof UnionError) return null
      const merged = live.merge(body)
      const settle = (object: typeof body) =>
        applies ? normalizeUnionsApply(body, object, { live, policy }) : normalizeUnions(live, object, { policy })
      let once: typeof body
      try {
        once = settle(applies ? merged : body).object
      } catch (refused) {
        if (refused instanceof UnionError) return null // pruning removed the object
        throw refused
      }
      const twice = settle(once)
      return twice.object === once && twice.unions.length === 0 ? null : "it did not settle"
    })
    expect(restless).toEqual([])
  })

  it("off is the engine on a schema without unions", () => {
    const different = rows.filter(({ run, answers }) => {
      const plain = showAnswer(answer(run, sceneOf(run, false), "v4"))
      return showAnswer({ ...(answers.get("off") as Answer), problems: [] }) !== plain
    })
    expect(different.map(({ run }) => run)).toEqual([])
  })

  // deepFreeze has frozen live objects, bodies and results: a change of one would have thrown a TypeError.
  it("inputs do not change", () => {
    expect(rows.every(({ run }) => Object.isFrozen(run.body) && Object.isFrozen(run.stored))).toBe(true)
    expect(broken((_row, _policy, { error }) => (error instanceof TypeError ? error.message : null))).toEqual([])
  })

  it("v4 stores only sent or merged fields, and discriminators", () => {
    const added = broken(({ scene: { live, body, applies } }, policy, { result }) => {
      if (policy !== "v4" || result === null) return null
      const sent = keysOf((applies ? live.merge(body) : body).value)
      const more = membersOf(result.object.value).filter(key => !sent.includes(key))
      return more.length === 0 ? null : `${more.join(" and ")} came up`
    })
    expect(added).toEqual([])
  })

  // A discriminator that an update lacked, and that was written back with its old value, has not changed and keeps its owner.
  it("a discriminator that the engine changed belongs to whoever acted", () => {
    const orphans = broken(({ scene: { manager } }, _policy, { result }) => {
      const mine = result?.managers.get(manager)?.set
      const implied = (result?.unions ?? []).filter(
        ({ discriminator }) => discriminator?.implied === true && discriminator.from !== discriminator.to,
      )
      const paths = implied.map(change => unionFieldPath(change, "type")).filter(path => mine?.has(path) !== true)
      return paths.length === 0 ? null : `${paths.map(formatPath).join(" ")} is not owned by ${manager}`
    })
    expect(orphans).toEqual([])
  })

  it("a member that the engine took from another manager is in the report, with that manager", () => {
    const silent = broken(({ run, scene: { live, body, manager, applies } }, _policy, { result }) => {
      if (result === null || manager === "p") return null
      const after = keysOf(result.object.value)
      const sent = keysOf((applies ? live.merge(body) : body).value)
      const lost = membersOf(run.stored as Value).filter(name => sent.includes(name) && !after.includes(name))
      const told = result.unions.flatMap(({ cleared }) =>
        cleared.filter(({ owners }) => owners.includes("p")).map(({ field }) => field),
      )
      const untold = lost.filter(name => !told.includes(name))
      return untold.length === 0 ? null : `${untold.join(" and ")} went silently`
    })
    expect(silent).toEqual([])
  })

  it("managers own existing fields", () => {
    const dangling = broken((_row, _policy, { result }) => {
      if (result === null) return null
      const paths = Array.from(result.managers.values()).flatMap(({ set }) => [...set])
      const absent = paths.filter(path => valueAt(result.object.value, path) === undefined)
      return absent.length === 0 ? null : `${absent.map(formatPath).join(" ")} is owned, but absent`
    })
    expect(dangling).toEqual([])
  })

  it("a policy with conflicts takes nothing from others without force", () => {
    const taken = broken(({ run, scene }, policy, { result }) => {
      if (policy !== "extended" || run.verb !== "other" || result === null) return null
      const owners = result.unions.flatMap(({ cleared }) => cleared.flatMap(member => member.owners))
      return owners.some(owner => owner !== scene.manager) ? `${owners.join(" and ")} lost members` : null
    })
    expect(taken).toEqual([])
  })

  it("cardinality matters to kep-2022-draft and to validation alone", () => {
    const byInput = new Map<string, Set<string>>()
    for (const { run, settled } of rows) {
      const { kind, serverKnows, verb, stored, body } = run
      for (const [policy, given] of settled) {
        if (policy === "kep-2022-draft") continue
        const key = JSON.stringify([policy, kind, serverKnows, verb, stored, body])
        const texts = byInput.get(key) ?? new Set()
        byInput.set(key, texts.add(showAnswer({ ...given, problems: [] })))
      }
    }
    expect(byInput.size).toBe((rows.length / cardinalities.length) * (policies.length - 1))
    expect([...byInput].filter(([, texts]) => texts.size > 1)).toEqual([])
  })
})
