// Recordings of a kube-apiserver: test/vectors/api-server.json.gz, selected by scripts/select-api-server.mjs.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { parseJson } from "../../src/json/json.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { deepFreeze } from "./deep-freeze.js"
import { projectRoot } from "./entries.js"

export interface Story {
  readonly name: string
  /** The topic of the story. */
  readonly object: { readonly apiVersion: string; readonly kind: string }
  readonly crds: readonly MapValue[]
  /** The reset fields, by the version of an endpoint, its subresource, and the version of an owner. */
  readonly resetFields: { readonly [apiVersion: string]: { readonly [subresource: string]: MapValue } }
  readonly steps: readonly Step[]
  /** The calls of FieldManagers in each step. */
  readonly calls: readonly (readonly Call[])[]
}

export interface Endpoint {
  readonly apiVersion: string
  readonly kind: string
  readonly subresource: string
}

export interface Call extends Endpoint {
  readonly op: "apply" | "update" | "crd-update"
  readonly manager: string
  readonly force?: boolean
  /** The live object, or the zero value if none exists yet. */
  readonly live: MapValue
  readonly config: MapValue
  readonly next: MapValue
  /** Whether the managedFields of the request reset all owners. */
  readonly reset?: boolean
  /** The result of an apply before defaults were filled in; absent if it changed nothing. */
  readonly merged?: MapValue
  readonly result?: MapValue
  readonly error?: string
  /** The answer to which the error leads; absent for 500. */
  readonly status?: MapValue
  readonly crd: MapValue
}

export interface Step {
  readonly verb: string
  readonly apiVersion: string
  readonly subresource?: string
  readonly manager?: string
  readonly userAgent?: string
  readonly force?: boolean
  readonly dryRun?: boolean
  readonly body: MapValue | string
  readonly status: number
  readonly response: MapValue
  /** The main object afterwards, if the response is another object. */
  readonly live?: MapValue
  /** The object afterwards, at each version. */
  readonly views?: { readonly [apiVersion: string]: MapValue }
  /** The object that an update passed to the FieldManager, if the server changed it afterwards. */
  readonly next?: MapValue
}

/** Returns every story of the vectors, frozen. */
export function readStories(): readonly Story[] {
  const text = unpacked(join(projectRoot, "test/vectors/api-server.json.gz"))
  return deepFreeze(parseJson(text)) as unknown as readonly Story[]
}

/** Returns the complete recording: one story per line, each with its calls from the other file. All are frozen. */
export function* recordedStories(storiesFile: string, callsFile: string): Generator<Story> {
  const read = (file: string) => unpacked(file).trim().split("\n")
  const calls = read(callsFile)
  for (const [index, line] of read(storiesFile).entries()) {
    const story = parseJson(line) as unknown as Story
    const traced = parseJson(calls[index] ?? "{}") as unknown as {
      readonly name: string
      readonly steps: Story["calls"]
    }
    if (traced.name !== story.name) throw new Error(`${callsFile} has ${traced.name} in the place of ${story.name}`)
    yield deepFreeze({ ...story, calls: traced.steps } as unknown as Value) as unknown as Story
  }
}

function unpacked(file: string): string {
  return gunzipSync(readFileSync(file)).toString("utf8")
}
