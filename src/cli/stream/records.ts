// Turns the values of a stream into lines of output.
//
// A line is a record: the identity of an object, and either the command's result for it or an error. It does not contain the place of
// the object unless `--where` is given, so that the same objects make the same lines however a fleet is cut into streams.
import { isAscii, isUtf8 } from "node:buffer"
import { ParseError, StructuredMergeError } from "../../errors.js"
import { isObjectList, type Manifest, withTypeOfItem } from "../../io/manifests.js"
import { parseJson, writeJson } from "../../json/json.js"
import type { Steps } from "../../value/change.js"
import { textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { formatObjectName } from "../input/application.js"
import { type Document, InputError } from "../input/document.js"
import { UsageError } from "../input/options.js"
import type { Secrets } from "../secrets/secrets.js"
import { printable, printableJson } from "../terminal/layout.js"
import { isAuditEvent, storedObject } from "./audit.js"
import { type Identity, identityOf } from "./identity.js"
import type { Judgement, StreamedCommand } from "./judge.js"
import { listHead } from "./list-head.js"
import type { StreamSettings } from "./options.js"
import { isInShard } from "./shard.js"
import { Splitter } from "./splitter.js"
import { type Batch, maxValue, type Unit, type UnitProblem } from "./unit.js"

/** The records of a batch. */
export interface BatchRecords {
  /** A line for each record, with its line break. */
  readonly text: string
  readonly records: number
  readonly errors: number
  /** The first errors for people, with their places. */
  readonly problems: readonly string[]
  /** The highest exit status of the objects. */
  readonly status: number
  /** The number of writes whose object the audit log does not contain. */
  readonly notLogged: number
  /** Whether values are hidden in these records or earlier ones. */
  readonly hasHidden: boolean
  /** Set if the run stops here, because there was an error and `--fail-fast` is given. */
  readonly isLast: boolean
}

/** The number of errors that people see, in a batch and in all. */
export const mostProblems = 20

/** The reason why a value has no result: a code for programs and a message for people. */
interface Failure {
  readonly code: string
  readonly message: string
}

const failures: Readonly<Record<UnitProblem | "not-utf8", string>> = {
  broken: "is not JSON",
  "broken-list": "the list is not JSON here; reading continues at the next line that begins with {",
  "too-large": `is larger than ${maxValue / 2 ** 20} MB`,
  "no-object":
    "is not a JSON object; --stream does not read YAML: print the objects as JSON (kubectl get -o json), or leave out --stream",
  "not-utf8": "is not UTF-8 text",
}

/** Makes records of batches. */
export class RecordWriter {
  private readonly command: StreamedCommand
  private readonly judge: (document: Document) => Judgement
  private readonly settings: StreamSettings
  private readonly secrets: Secrets
  private text = ""
  private records = 0
  private errors = 0
  private problems: string[] = []
  private status = 0
  private notLogged = 0
  /** Whether the current object may have secrets. */
  private hidesText = false

  constructor(
    command: StreamedCommand,
    judge: (document: Document) => Judgement,
    settings: StreamSettings,
    secrets: Secrets,
  ) {
    this.command = command
    this.judge = judge
    this.settings = settings
    this.secrets = secrets
  }

  /** The records of a batch. */
  write({ bytes, units }: Batch): BatchRecords {
    this.text = ""
    this.records = 0
    this.errors = 0
    this.problems = []
    this.status = 0
    this.notLogged = 0
    this.addUnits(bytes, units)
    const { text, records, errors, problems, status, notLogged } = this
    const { hasHidden } = this.secrets
    return { text, records, errors, problems, status, notLogged, hasHidden, isLast: this.isStopped }
  }

  private get isStopped(): boolean {
    return this.settings.failsFast && this.errors > 0
  }

  private addUnits(all: Uint8Array, units: readonly Unit[]): void {
    const bytes = Buffer.from(all.buffer, all.byteOffset, all.byteLength)
    const encoding = isAscii(bytes) ? "latin1" : "utf8"
    const isText = encoding === "latin1" || isUtf8(bytes)
    for (const unit of units) {
      if (this.isStopped) return
      const { start, end, problem } = unit
      if (problem !== undefined) this.fail(unit, problem)
      else if (isText || isUtf8(bytes.subarray(start, end))) this.addText(unit, bytes.toString(encoding, start, end))
      else if (unit.isLine) this.addLine(unit, bytes.subarray(start, end))
      else this.fail(unit, "not-utf8")
    }
  }

  private addText(unit: Unit, text: string): void {
    let value: Value
    try {
      value = parseJson(text)
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      if (unit.isLine) this.addLine(unit, Buffer.from(text))
      else this.fail(unit, "broken")
      return
    }
    this.addValue(unit, unit.list === undefined ? value : asItem(value, unit.list))
  }

  /** Splits a line that is not a single value: it may hold several. */
  private addLine({ file, line }: Unit, bytes: Uint8Array): void {
    const splitter = new Splitter(file, { line })
    splitter.push(bytes)
    splitter.end()
    const batch = splitter.take()
    if (batch !== undefined) this.addUnits(batch.bytes, batch.units)
  }

  /** Adds a value, or the items of a List. */
  private addValue(unit: Unit, value: Value): void {
    if (this.isStopped) return
    const items = itemsOf(value)
    if (items === undefined) this.addObject(unit, value)
    else for (const item of items) this.addValue(unit, item)
  }

  private addObject(unit: Unit, value: Value): void {
    const { isAudit, shard } = this.settings
    if (!isMap(value) || (isAudit && !isAuditEvent(value))) {
      const message = isAudit ? "expected an event of audit.k8s.io" : "expected an object"
      this.addFailure(unit, identityOf(undefined), { code: "no-object", message })
      return
    }
    const object = isAudit ? storedObject(value) : value
    if (object === "not-logged") this.notLogged++
    if (object === undefined || object === "not-logged") return
    const { subjectOf } = this.command
    const identity = identityOf(subjectOf === undefined ? object : subjectOf(object))
    if (shard !== undefined && !isInShard(identity, shard)) return
    this.hidesText = this.learnSecrets(object)
    let result: string
    try {
      const judgement = this.judge(documentOf(unit.file, object, this.secrets))
      result = jsonOf(judgement.result)
      // Most objects have no findings, and then nothing is hidden and no secret has to be found.
      if (this.hidesText && result !== "[]") {
        result = this.secrets.guard(jsonOf(this.secrets.hide(parseJson(result)) as object))
      }
      this.status = Math.max(this.status, judgement.status)
    } catch (error) {
      this.addFailure(unit, identity, failureOf(error))
      return
    }
    this.addRecord(unit, identity, this.command.result, result)
  }

  /**
   * Learns the secrets of an object, or of the objects in a pair, and forgets those before it: the marks in a record must not depend on
   * other objects. Returns whether there may be secrets.
   */
  private learnSecrets(object: MapValue): boolean {
    const { secrets } = this
    const parts = this.command.subjectOf === undefined ? [object] : Object.values(object).filter(isMap)
    if (parts.every(part => secrets.isOpen(part))) return false
    secrets.forget()
    for (const part of parts) secrets.learn(part)
    return true
  }

  private fail(unit: Unit, problem: UnitProblem | "not-utf8"): void {
    const code = problem === "broken" || problem === "broken-list" ? "not-json" : problem
    this.addFailure(unit, identityOf(undefined), { code, message: failures[problem] })
  }

  private addFailure(unit: Unit, identity: Identity, { code, message }: Failure): void {
    const { shard } = this.settings
    if (shard !== undefined && !isInShard(identity, shard)) return
    const failure = { code, message: this.hidesText ? this.secrets.guard(message) : message }
    this.errors++
    if (this.problems.length < mostProblems) this.problems.push(this.named(problemOf(unit, identity, failure)))
    this.addRecord(unit, identity, "error", jsonOf(failure))
  }

  private addRecord(unit: Unit, identity: Identity, key: string, json: string): void {
    const where = this.settings.showsPlace ? `"where":${jsonOf({ file: unit.file, line: unit.line })},` : ""
    this.text += `${printableJson(`{${this.named(jsonOfIdentity(identity))}${where}"${key}":${json}}`)}\n`
    this.records++
  }

  /** Returns a text with the name of the current object. It stays as it is unless a mask covers it: programs find objects by their names. */
  private named(text: string): string {
    return this.hidesText && this.secrets.hidesNames ? this.secrets.guard(text) : text
  }
}

/** The items of a List; undefined for any other value. */
function itemsOf(value: Value): readonly Value[] | undefined {
  if (!isMap(value)) return undefined
  const items = own(value, "items")
  if (isList(items)) {
    const head = listHead(value)
    return head && items.map(item => asItem(item, head))
  }
  const isObject = textAt(value, "apiVersion") !== "" && textAt(value, "kind") !== ""
  return isObject && isObjectList(value as Manifest) && (items ?? null) === null ? [] : undefined
}

/** The item with the apiVersion and kind that the List implies. */
function asItem(item: Value, { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): Value {
  return isMap(item) && apiVersion !== "" && kind !== "" ? withTypeOfItem(item, { apiVersion, kind }) : item
}

/** The object as a document without places: messages about it contain the paths of fields instead. */
function documentOf(file: string, value: MapValue, secrets: Secrets): Document {
  const place = { file, position: undefined }
  return { file, source: { file, text: "" }, value, secrets, placeOf: () => place, at: formatSteps }
}

function formatSteps(steps: Steps): string {
  return steps.length === 0
    ? "the object"
    : steps.map(step => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")
}

function failureOf(error: unknown): Failure {
  if (error instanceof InputError || error instanceof UsageError) return { code: "bad-input", message: error.message }
  if (error instanceof StructuredMergeError) return { code: error.code, message: error.message }
  return { code: "internal", message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
}

function problemOf({ file, line }: Unit, identity: Identity, { message }: Failure): string {
  const which = identity.kind === "" ? "" : `${formatObjectName(identity)}: `
  return printable(`${file}:${line}: ${which}${message.replaceAll("\n", "; ")}`)
}

function jsonOfIdentity({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return (
    keyed('"apiVersion":', apiVersion) +
    keyed('"kind":', kind) +
    keyed('"namespace":', namespace) +
    keyed('"name":', name) +
    keyed('"uid":', uid)
  )
}

function keyed(key: string, text: string): string {
  return text === "" ? "" : `${key}${JSON.stringify(text)},`
}

/** The data as JSON. JSON.stringify is many times faster than our writer, but throws for bigints. */
function jsonOf(data: object): string {
  try {
    return JSON.stringify(data)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return writeJson({ ...data } as unknown as Value)
  }
}
