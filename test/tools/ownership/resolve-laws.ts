// The laws of `explain` and `resolve`, on random stories of the fuzzer, at each apply that has a conflict.
import { hasCode } from "../../../src/errors.js"
import type { PathElement } from "../../../src/fieldpath/element.js"
import { parseFieldsV1Key } from "../../../src/fieldpath/fieldsv1/key.js"
import { stepsTo, valueAt } from "../../../src/fieldpath/lookup.js"
import { below } from "../../../src/fieldpath/parts.js"
import type { Path } from "../../../src/fieldpath/path.js"
import { applyTextEdits, formatYaml, parseYaml } from "../../../src/io/index.js"
import { formatJson } from "../../../src/json/json.js"
import { lastAppliedAnnotation } from "../../../src/managedfields/chain/last-applied.js"
import { FieldManager, managerId } from "../../../src/managedfields/index.js"
import { type ExplainRequest, explainConflicts, sceneOf } from "../../../src/tools/ownership/explain.js"
import {
  type Explanation,
  explain,
  type OnConflict,
  type Resolution,
  resolve,
} from "../../../src/tools/ownership/index.js"
import { objectName } from "../../../src/tools/ownership/object-name.js"
import { readShares } from "../../../src/tools/ownership/owners.js"
import { tryApply } from "../../../src/tools/ownership/request.js"
import { byId } from "../../../src/tools/ownership/transfers.js"
import { withChanges } from "../../../src/value/change.js"
import { equalValues } from "../../../src/value/equal.js"
import { isMap, type MapValue, type Value } from "../../../src/value/value.js"
import { ManagedStory } from "../../conformance/kubernetes.js"
import { Request } from "../../conformance/request.js"
import { Random } from "../../fuzz/random.js"
import { plainStory, typedAs } from "./laws.js"
import { schemaErrors } from "./schema.js"

type Report = (problem: string) => void

/** The number of cases, and the violations. */
export interface ResolveVerdict {
  readonly counts: Record<string, number>
  readonly broken: string[]
}

/** Checks the laws on `count` stories, beginning with number `first`. */
export function checkResolveLaws(seed: number, first: number, count: number): ResolveVerdict {
  const verdict: ResolveVerdict = { counts: {}, broken: [] }
  for (let number = first; number < first + count; number++) {
    const random = new Random(seed, "resolve", number)
    const request = plainStory(random)
    try {
      checkStory(
        request,
        random,
        problem => verdict.broken.push(`story ${number} of seed ${seed}, ${problem}`),
        verdict,
      )
    } catch (error) {
      verdict.broken.push(`story ${number} of seed ${seed} throws ${(error as Error).stack}`)
    }
  }
  return verdict
}

function checkStory(request: Request, random: Random, report: Report, verdict: ResolveVerdict): void {
  let story: ManagedStory
  try {
    story = new ManagedStory(request, typedAs)
  } catch (error) {
    if (!hasCode(error)) throw error
    return
  }
  request.list("steps").forEach((given, index) => {
    const step = new Request(given)
    const isApply = step.text("op").toLowerCase().endsWith("apply") && isMap(step.get("object"))
    if (isApply) new Check(story, step, random, verdict, problem => report(`step ${index}: ${problem}`)).run()
    story.take(step)
  })
}

class Check {
  private readonly config: MapValue
  private readonly live: MapValue | undefined
  private readonly options: ExplainRequest
  private readonly manager: FieldManager
  private readonly text: string

  constructor(
    story: ManagedStory,
    step: Request,
    random: Random,
    private readonly verdict: ResolveVerdict,
    private readonly fail: Report,
  ) {
    this.config = step.get("object") as MapValue
    this.live = objectName(story.live).name === "" ? undefined : story.live
    this.text = remarked(random, this.config)
    this.options = { ...story.options, ...story.writer(step), source: { text: this.text } }
    this.manager = new FieldManager(story.options)
  }

  run(): void {
    const { config, live, options } = this
    const attempt = this.manager.tryApply<MapValue>(live, config, options)
    if (!attempt.ok && attempt.error.code !== "conflict") return
    const explanation = explain(live, config, options)
    if (schemaErrors(explanation) !== "") this.fail(`explain: ${schemaErrors(explanation)}`)
    if (attempt.ok !== (explanation.conflicts.length === 0)) this.fail("explains other conflicts than there are")
    if (attempt.ok) return
    this.count("conflicts", explanation.conflicts.length)
    this.checkPlaces(explanation)
    this.checkAlone()
    for (const choice of ["relinquish", "share", "overwrite"] as const) this.check(choice, explanation)
  }

  private count(name: string, by = 1): void {
    this.verdict.counts[name] = (this.verdict.counts[name] ?? 0) + by
  }

  /** Ways out that are tried together have the same results as each alone. */
  private checkAlone(): void {
    const trial = tryApply(this.live, this.config, { ...this.options, force: false })
    const [together, alone] = [true, false].map(isTogether =>
      explainConflicts(trial, this.options, sceneOf(trial), isTogether),
    )
    together?.forEach((conflict, i) => {
      const text = formatJson(conflict as unknown as Value)
      const other = formatJson(alone?.[i] as unknown as Value)
      if (text !== other) this.fail(`tried together ${conflict.path} is ${text}, alone ${other}`)
    })
    if ((together?.length ?? 0) > 1) this.count("tried together")
  }

  private checkPlaces({ conflicts }: Explanation): void {
    for (const { path, source, steps, ways, configured } of conflicts) {
      for (const [name, way] of Object.entries(ways)) this.count(`${name} ${way.applicability}`)
      if (source === undefined) {
        if (configured !== undefined && stepsTo(this.config, pathOf(steps)) !== undefined)
          this.fail(`${path} has no place in the text`)
        continue
      }
      const before = this.text.slice(0, source.key?.start.offset ?? source.value.start.offset).split("\n")
      if (before.length !== source.line) this.fail(`${path} is at line ${source.line}`)
    }
  }

  private check(choice: OnConflict, { conflicts }: Explanation): void {
    const { live, config, options } = this
    const made = resolve(live, config, { ...options, onConflict: choice })
    this.count(`${choice} ${made.outcome}`)
    if (schemaErrors(made) !== "") this.fail(`${choice}: ${schemaErrors(made)}`)
    if (made.outcome === "conflict") {
      const own = made.failed.every(({ owners }) => owners.every(({ apiVersion }) => apiVersion === config.apiVersion))
      const known = made.failed.every(({ steps }) => stepsTo(config, pathOf(steps)) !== undefined)
      if (own && known) this.fail(`${choice} is stuck at ${made.failed.map(({ path }) => path)}`)
      return
    }
    this.checkEdits(choice, made)
    const after = this.manager.tryApply<MapValue>(live, made.config, { ...options, force: made.force })
    if (!after.ok) {
      if (choice !== "overwrite" && after.error.code === "conflict") this.fail(`${choice}: ${after.error.message}`)
      else this.count(`${choice} refused`)
      return
    }
    if (choice === "overwrite") return
    for (const { path, steps, live: value, union, owners, ways } of conflicts) {
      if (choice === "share" && made.shared.some(field => field.path === path) && ways.share.patch === undefined)
        this.fail(`shares ${path}, which explain calls impossible`)
      const place = pathOf(steps)
      // The engine itself updates the annotation of client-side apply for kubectl.
      if (union !== undefined || (options.manager === "kubectl" && place.some(isAnnotation))) continue
      const now = valueAt(after.object, place)
      const same = value === undefined || now === undefined ? value === now : equalValues(value, now)
      if (!same) this.fail(`${choice}: ${path} was ${show(value)} and is ${show(now)}; ${formatJson(made.config)}`)
      const [had, has] = [
        this.others(
          live as MapValue,
          place,
          owners.map(({ id }) => id),
        ),
        this.others(after.object, place),
      ]
      if (had !== has && after.dropped.length === 0) this.fail(`${choice}: ${path} was of ${had} and is of ${has}`)
    }
  }

  /** The owners of the path except the applier, plus `known`: a field without an owner gets one at the first apply. */
  private others(object: MapValue, path: Path, known: readonly string[] = []): string {
    const { manager, subresource = "" } = this.options
    const applier = managerId({ manager, operation: "Apply", subresource })
    const owners = Array.from(byId(readShares(object)).values()).filter(
      ({ id, set }) => id !== applier && (set.has(path) || !below(set, path).isEmpty()),
    )
    return [...new Set([...known, ...owners.map(({ id }) => id)])].sort().join()
  }

  private checkEdits(choice: OnConflict, { config, patch, source }: Resolution): void {
    if (!equalValues(patched(this.config, patch), config)) this.fail(`${choice}: the patch makes something else`)
    if (source?.text === undefined) {
      if (!this.text.includes("|")) this.fail(`${choice}: ${source?.impossible}\n${this.text}`)
      this.count("text can't be edited")
      return
    }
    if (!equalValues(parseYaml(source.text), config)) this.fail(`${choice}: the text says something else`)
    if (applyTextEdits(this.text, source.edits ?? []) !== source.text)
      this.fail(`${choice}: the edits make another text`)
    const deeper = new Set(
      (source.edits ?? []).flatMap(({ range }) => remarksIn(this.text.slice(range.start.offset, range.end.offset))),
    )
    for (const remark of remarksIn(this.text)) {
      if (!deeper.has(remark) && !source.text.includes(remark)) this.fail(`${choice}: ${remark} is gone`)
    }
  }
}

function remarksIn(text: string): readonly string[] {
  return text.match(/# r\d+\./g) ?? []
}

/** JSON that is also YAML: YAML refuses some characters that JSON allows. */
function jsonOf(config: MapValue): string {
  const text = formatJson(config)
  return /[^ -~\xa0-\ufffd]/.test(text) ? formatYaml(config) : `${text}\n`
}

/** The configuration as a text with comments. */
function remarked(random: Random, config: MapValue): string {
  const text = random.chance(0.15) ? jsonOf(config) : formatYaml(config)
  if (/[|'"]/.test(text)) return text
  let count = 0
  const lines = text
    .trimEnd()
    .split("\n")
    .map(line => {
      const above = random.chance(0.1) ? `${/^ */.exec(line)?.[0]}# r${count++}.\n` : ""
      return above + line + (random.chance(0.1) ? ` # r${count++}.` : "")
    })
  return `${lines.join("\n")}\n`
}

function isAnnotation(element: PathElement): boolean {
  return element.kind === "field" && element.name === lastAppliedAnnotation
}

function pathOf(steps: readonly string[]): Path {
  return steps.map(step => parseFieldsV1Key(step) as PathElement)
}

/** The value after a JSON Patch, applied step by step. */
function patched(config: MapValue, patch: Resolution["patch"]): Value {
  return patch.reduce<Value>((value, { path, value: next }) => {
    let at: Value = value
    const steps = path
      .slice(1)
      .split("/")
      .map(part => {
        const name = part.replaceAll("~1", "/").replaceAll("~0", "~")
        const step = Array.isArray(at) ? Number(name) : name
        at = (at as Record<string | number, Value>)[step] as Value
        return step
      })
    return withChanges(value, [{ steps, value: next }]) as Value
  }, config)
}

function show(value: Value | undefined): string {
  return value === undefined ? "absent" : formatJson(value)
}
