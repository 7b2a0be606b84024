// `smd simulate --record`: makes a story of the history of one object in a log.
//
// log.ts reads the log, recorder.ts turns its entries into steps and plays them (requests.ts finds the request of a write, and writer.ts
// the manager), and summary.ts formats the result.

import { fieldChanges } from "../../tools/ownership/field-changes.js"
import { type ObjectName, objectName } from "../../tools/ownership/object-name.js"
import { keyOf } from "../../tools/simulator/simulation/objects.js"
import { runStory } from "../../tools/simulator/story/run-story.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { readFiles } from "../input/application.js"
import { namedObjects } from "../input/cluster-operands.js"
import { namesCluster } from "../input/cluster-options.js"
import { type Document, InputError } from "../input/document.js"
import { isDefinition } from "../input/document-types.js"
import { type Context, fileName, type Input } from "../input/input.js"
import { isKubernetes } from "../input/managed-fields.js"
import { UsageError } from "../input/options.js"
import { formatDocument } from "../output/document.js"
import { objectTitle } from "../output/object-title.js"
import type { Secrets } from "../secrets/secrets.js"
import type { SimulateArguments } from "../simulate/options.js"
import { storyOptions } from "../simulate/stories.js"
import { type LogEntry, readLog } from "./log.js"
import { Recorder } from "./recorder.js"
import { withEntries } from "./requests.js"
import { formatSummary } from "./summary.js"

/** Reads the object of `--record` from a file, or from a cluster with the definition of its kind. */
async function readRecorded(file: string, args: SimulateArguments, input: Input): Promise<readonly Document[]> {
  if (!namesCluster(args)) return await readFiles([file], false, input)
  const cluster = await input.openCluster(args)
  const objects = await cluster.objects(namedObjects([file], {}), { namespace: args.namespace })
  const definitions = await Promise.all(objects.map(({ value }) => cluster.definitionOf(value)))
  return [...objects, ...definitions.filter(definition => definition !== undefined)]
}

/** Prints the story of the object in `--record` according to the log in `--record-from`, and returns the exit status. */
export async function recordStory({ args, input, terminal }: Context<SimulateArguments>): Promise<number> {
  const [operand] = args.operands
  if (operand !== undefined) throw new UsageError(`unexpected ${operand}: --record plays no stories`)
  const { record: file, recordFrom: log } = args
  if (file === undefined) throw new UsageError("--record is required")
  if (log === undefined) throw new UsageError("--record-from is required")
  const documents = await readRecorded(file, args, input)
  const [document, another] = documents.filter(one => !isDefinition(one))
  if (document === undefined || another !== undefined || !isMap(document.value) || !isKubernetes(document.value)) {
    throw new InputError(`${file}: expected one object, besides definitions of its kind`)
  }
  const live = document.value
  const target = objectName(live)
  const definitions = documents.filter(isDefinition).map(({ value }) => value as MapValue)
  const title = `History of ${objectTitle(target)}`
  const kinds = definitions.length > 0 ? { definitions } : {}
  const options = await storyOptions([kinds])
  const { types } = runStory({ title, ...kinds, steps: [] }, options).simulation
  if (types.find(target.apiVersion, target.kind) === undefined) {
    const what = `${target.apiVersion} ${target.kind}`
    throw new InputError(
      `${document.at(["kind"])}: no type is known for ${what}; the file may contain its definition too`,
    )
  }
  const recorder = new Recorder(
    target,
    objects => runStory({ title, ...kinds, objects, steps: [] }, options).simulation,
  )
  let entries = 0
  for await (const entry of readLog(log, target, input)) {
    terminal.progress(`${++entries} entries, line ${entry.line}`)
    learnEntry(entry, target, input.secrets)
    recorder.add(entry)
  }
  terminal.progress(undefined)
  if (recorder.writes.length === 0) throw new InputError(`${log}: contains no write to ${objectTitle(target)}`)
  const { objects, steps, writes, remarks } = recorder
  const about = `Made from ${fileName(log)}: the requests, and their results according to the log.`
  const story = { title, about, ...kinds, ...(objects.length > 0 && { objects }), steps }
  terminal.write(formatDocument(input.secrets.hide(story as unknown as MapValue), "yaml"))
  const later = fieldChanges(types, recorder.live, withEntries(live))
  const last = writes[writes.length - 1]?.line ?? 0
  const paths = later.slice(0, 3).map(({ path }) => path)
  const after = {
    line: last,
    message: `afterwards ${file} differs in ${paths.join(", ")}${later.length > 3 ? " and others" : ""}`,
  }
  terminal.report(formatSummary(target, writes, later.length > 0 ? [...remarks, after] : remarks, terminal))
  return 0
}

/** Learns the secrets of an entry. A patch in a request does not say that it is for a Secret, but the object in the log does. */
function learnEntry(entry: LogEntry, target: ObjectName, secrets: Secrets): void {
  const { state, request, status } = { request: undefined, status: undefined, ...entry }
  const parts = { state, status, object: keyOf(target), patch: request }
  const known = Object.entries(parts).filter(([, part]) => part !== undefined)
  secrets.learn(Object.fromEntries(known) as Value)
}
