/**
 * Records what released tools do with the stories: `npm run replay -- appliers [TOOL...]` builds oracle/appliers, lets each tool play its
 * stories on the test API server, and writes test/vectors/appliers.json.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { listen } from "../../../src/apiserver/node/listen.js"
import { readManagedFields } from "../../../src/managedfields/entries/entry.js"
import { own } from "../../../src/value/object.js"
import { isMap, type MapValue } from "../../../src/value/value.js"
import { build, Program, type ProgramName, programs } from "./programs.js"
import { type RecordedStory, vectorsFile, withoutServerFields } from "./recorded.js"
import { type ApplierStory, type StoryStep, type StoryTool, storiesFor, storyTools } from "./stories.js"

/** The name of a tool in the requests of the program. */
const programTools: Readonly<Record<StoryTool, string>> = {
  helm: "helm",
  kubectl: "kubectl",
  flux: "flux",
  "flux-helm": "flux-helm",
  argocd: "argocd",
  crossplane: "crossplane",
  "client-go": "controller-runtime",
}

class Recorder {
  private readonly programs: Readonly<Record<ProgramName, Program>>
  readonly #server: { readonly url: string }
  readonly #tool: StoryTool

  constructor(server: { readonly url: string }, tool: StoryTool) {
    this.#server = server
    this.#tool = tool
    const start = (name: ProgramName) => new Program(name, server.url)
    this.programs = { appliers: start("appliers"), argocd: start("argocd"), crossplane: start("crossplane") }
  }

  async record(story: ApplierStory, namespace: string): Promise<RecordedStory> {
    const { name, steps, force = false, ignore = [] } = story
    const config = placed(story.config, namespace)
    const place = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }
    await this.send("POST", "/api/v1/namespaces?fieldManager=test", "application/json", place)
    for (const step of steps) await this.play(step, namespace, config)
    const live = await this.read(config)
    const start = new Date().toISOString()
    const error = await this.apply(config, namespace, { force, ignore, tool: programTools[this.#tool] })
    const after = await this.read(config)
    const time = latestTime(after, start)
    return {
      tool: this.#tool,
      name,
      namespace,
      time,
      config,
      force,
      ...(ignore.length > 0 && { ignore }),
      ...(live && { live }),
      ...(after && { after: withoutServerFields(after) }),
      ...(error !== undefined && { error }),
    }
  }

  close(): void {
    for (const program of Object.values(this.programs)) program.close()
  }

  private async play(step: StoryStep, namespace: string, config: MapValue): Promise<void> {
    if ("tool" in step) {
      const { by = programTools[this.#tool], force = false } = step
      const error = await this.apply(placed(step.tool, namespace), namespace, { force, tool: by })
      if (error !== undefined) throw new Error(error)
      return
    }
    const { manager } = step
    if ("patch" in step) {
      const type = Array.isArray(step.patch) ? "application/json-patch+json" : "application/merge-patch+json"
      await this.send(
        "PATCH",
        `${pathOf(config)}${step.subresource ? `/${step.subresource}` : ""}?fieldManager=${manager}`,
        type,
        step.patch,
      )
    } else if ("create" in step) {
      const object = placed(step.create, namespace)
      const collection = pathOf(object).replace(/\/[^/]*$/, "")
      await this.send("POST", `${collection}?fieldManager=${manager}`, "application/json", object)
    } else {
      const object = placed(step.apply, namespace)
      await this.send(
        "PATCH",
        `${pathOf(object)}?fieldManager=${manager}&force=${step.force === true}`,
        "application/apply-patch+yaml",
        object,
      )
    }
  }

  private apply(
    config: MapValue,
    namespace: string,
    options: MapValue & { readonly tool: string },
  ): Promise<string | undefined> {
    const { manager, release } = { ...storyTools[this.#tool], ...(options.tool === "helm3" && { release: "shop" }) }
    const manifest = JSON.stringify(config)
    const program = this.programs[programs.find(name => options.tool.startsWith(name)) ?? "appliers"]
    return program.run({ manifest, release, namespace, manager, serverSide: "true", ...options })
  }

  private async read(config: MapValue): Promise<MapValue | undefined> {
    const response = await fetch(this.#server.url + pathOf(config))
    return response.ok ? ((await response.json()) as MapValue) : undefined
  }

  private async send(method: string, path: string, type: string, body: unknown): Promise<void> {
    const response = await fetch(this.#server.url + path, {
      method,
      headers: { "content-type": type },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  }
}

/** Returns the time of the last write, which may come more than a second after the start of a slow tool. */
function latestTime(object: MapValue = {}, start: string): string {
  const times = (readManagedFields(object) ?? []).flatMap(({ time }) => (time === undefined ? [] : [time]))
  return [start, ...times].toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1) as string
}

function placed(object: MapValue, namespace: string): MapValue {
  const metadata = own(object, "metadata")
  return { ...object, metadata: { ...(isMap(metadata ?? null) ? (metadata as MapValue) : {}), namespace } }
}

function pathOf({ apiVersion, kind, metadata }: MapValue): string {
  const { name, namespace } = metadata as { name: string; namespace: string }
  const version = apiVersion as string
  return `/${version.includes("/") ? "apis" : "api"}/${version}/namespaces/${namespace}/${(kind as string).toLowerCase()}s/${name}`
}

async function main(names: readonly string[]): Promise<void> {
  programs.forEach(build)
  const tools = Object.keys(storyTools) as StoryTool[]
  const meant = tools.filter(tool => names.length === 0 || names.includes(tool))
  const kept = names.length === 0 ? [] : (JSON.parse(readFileSync(vectorsFile, "utf8")) as RecordedStory[])
  const recorded = kept.filter(({ tool }) => !meant.includes(tool))
  for (const tool of meant) {
    const server = await listen()
    const recorder = new Recorder(server, tool)
    try {
      for (const [i, story] of storiesFor(tool).entries()) {
        try {
          recorded.push(await recorder.record(story, `story-${i + 1}`))
        } catch (error) {
          throw new Error(`${tool}: ${story.name}: ${(error as Error).message}`)
        }
      }
    } finally {
      recorder.close()
      await server.close()
    }
    process.stderr.write(`${tool}: ${storiesFor(tool).length} stories\n`)
  }
  const lines = recorded.map(story => JSON.stringify(story))
  writeFileSync(vectorsFile, `[\n${lines.join(",\n")}\n]\n`)
}

await main(process.argv.slice(2))
