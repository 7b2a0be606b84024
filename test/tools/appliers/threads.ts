/**
 * Plays the stories of threads in examples/stories with released tools: `npm run replay -- threads` lets the tool of each step with `as` write to
 * a test API server, sends the other steps itself, and checks the expectations of the stories on the stored objects.
 */
import { isDeepStrictEqual } from "node:util"
import { type Listening, listen } from "../../../src/apiserver/node/listen.js"
import { parseYaml } from "../../../src/io/yaml.js"
import { blame } from "../../../src/tools/ownership/blame.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { read } from "../../support/documents.js"
import { allStories, storiesFolder } from "../../support/stories.js"
import { build, Program, type ProgramName } from "./programs.js"

interface Settings {
  readonly as?: string
  readonly force?: boolean
  readonly subresource?: string
}

interface Step extends Settings {
  readonly manager: string
  readonly apply?: MapValue
  readonly create?: MapValue
  readonly update?: MapValue
  readonly patch?: Value
  readonly expect?: {
    readonly error?: string
    readonly conflicts?: readonly { readonly field: string; readonly with: string }[]
    readonly values?: Readonly<Record<string, Value>>
    readonly absent?: readonly string[]
    readonly owners?: Readonly<Record<string, string | readonly string[]>>
  }
}

interface Thread {
  readonly definitions?: readonly MapValue[]
  readonly managers: Readonly<Record<string, Settings>>
  readonly steps: readonly Step[]
}

/** The program that has the tool, if it is not `appliers`. */
const programOf: Readonly<Record<string, ProgramName>> = { argocd: "argocd", crossplane: "crossplane" }
const programNames: readonly ProgramName[] = ["appliers", "argocd", "crossplane"]

class Player {
  private readonly listening: Listening
  private readonly thread: Thread

  constructor(listening: Listening, thread: Thread) {
    this.listening = listening
    this.thread = thread
  }

  /** Plays all steps. Returns what differs from the expectations. */
  async play(): Promise<readonly string[]> {
    const { definitions = [], managers, steps } = this.thread
    for (const definition of definitions)
      await this.send("POST", collectionOf(definition), "application/json", definition)
    const problems: string[] = []
    let object = ""
    for (const [i, given] of steps.entries()) {
      const step = { ...managers[given.manager], ...given }
      const config = step.apply ?? step.create ?? step.update
      if (config !== undefined)
        object = `${collectionOf(config)}/${(config.metadata as { readonly name: string }).name}`
      const error = await this.request(step, object)
      const live = JSON.parse(await this.send("GET", object)) as MapValue
      problems.push(...differences(step, live, error).map(problem => `step ${i + 1}: ${problem}`))
    }
    return problems
  }

  /** Returns the message of the tool or server, if it failed. */
  private async request(step: Step, object: string): Promise<string | undefined> {
    const { as, force = false, manager, apply, create, update, patch, subresource } = step
    if (as !== undefined && apply !== undefined) {
      const program = new Program(programOf[as] ?? "appliers", this.listening.url)
      const manifest = JSON.stringify({ ...apply, metadata: { ...(apply.metadata as MapValue), ...placeOf(apply) } })
      const release = ["kubectl", "crossplane"].includes(as) ? "" : "story"
      const request = { tool: as, manifest, release, namespace, manager, force, serverSide: "true" }
      return await program.run(request).finally(() => program.close())
    }
    try {
      const options = `?fieldManager=${manager}`
      if (create !== undefined) await this.send("POST", collectionOf(create) + options, "application/json", create)
      if (update !== undefined) {
        const { metadata } = JSON.parse(await this.send("GET", object)) as { readonly metadata: MapValue }
        const { resourceVersion } = metadata as { readonly resourceVersion: string }
        const next = { ...update, metadata: { ...(update.metadata as MapValue), resourceVersion } }
        await this.send("PUT", object + options, "application/json", next)
      }
      if (apply !== undefined)
        await this.send("PATCH", `${object}${options}&force=${force}`, "application/apply-patch+yaml", apply)
      if (patch !== undefined) {
        const type = Array.isArray(patch) ? "application/json-patch+json" : "application/merge-patch+json"
        await this.send("PATCH", `${object}${subresource ? `/${subresource}` : ""}${options}`, type, patch)
      }
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  private async send(method: string, path: string, type = "application/json", body?: Value): Promise<string> {
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(this.listening.url + path, { method, headers: { "content-type": type }, ...content })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text
  }
}

const namespace = "default"

function placeOf({ kind }: MapValue): { readonly namespace?: string } {
  return kind === "CustomResourceDefinition" ? {} : { namespace }
}

/** Returns the path of the collection that has the object. */
function collectionOf(object: MapValue): string {
  const version = object.apiVersion as string
  const place = placeOf(object).namespace === undefined ? "" : `/namespaces/${namespace}`
  return `/${version.includes("/") ? "apis" : "api"}/${version}${place}/${(object.kind as string).toLowerCase()}s`
}

/** Returns what differs from the expectations of a step. */
function differences({ expect = {} }: Step, live: MapValue, error: string | undefined): readonly string[] {
  const { conflicts = [], values = {}, absent = [], owners = {} } = expect
  const fails = expect.error !== undefined || conflicts.length > 0
  const problems = fails === (error !== undefined) ? [] : [`${fails ? "no error" : error}`]
  const parts = [expect.error ?? "", ...conflicts.flatMap(({ field, with: owner }) => [field, owner])]
  problems.push(...parts.filter(part => error?.includes(part) === false).map(part => `${part} is not in ${error}`))
  const fields = new Map(blame(live).fields.map(field => [field.path, field]))
  for (const [path, value] of Object.entries(values)) {
    if (!isDeepStrictEqual(fields.get(path)?.value, value)) problems.push(`${path} is ${fields.get(path)?.value}`)
  }
  for (const path of absent) if (fields.get(path)?.value !== undefined) problems.push(`${path} is there`)
  for (const [path, expected] of Object.entries(owners)) {
    const found = (fields.get(path)?.owners ?? []).map(({ manager }) => manager).sort()
    if (!isDeepStrictEqual(found, [expected].flat().toSorted())) problems.push(`${path} belongs to ${found}`)
  }
  return problems
}

async function main(): Promise<void> {
  programNames.forEach(build)
  for (const name of allStories.filter(story => /-\d+$/.test(story))) {
    const listening = await listen()
    try {
      const thread = parseYaml(read(`${storiesFolder}/${name}/story.yaml`)) as unknown as Thread
      const problems = await new Player(listening, thread).play()
      process.stdout.write(`${name}: ${thread.steps.length} steps, ${problems.length} differences\n`)
      for (const problem of problems) process.stdout.write(`  ${problem}\n`)
      if (problems.length > 0) process.exitCode = 1
    } finally {
      await listening.close()
    }
  }
}

await main()
