// Writes a story as a shell script of kubectl commands.
import { isMap, type MapValue, type Value } from "structured-merge-diff"
import { formatYaml, writeJson } from "structured-merge-diff/io"
import type { SimulationRequest } from "structured-merge-diff/simulator"
import {
  type CopiedStep,
  copiedSteps,
  hasUnions,
  nameOf,
  namespacesOf,
  notesOnDefaults,
  type ObjectName,
  type PlayedStory,
  servedDefinitions,
  withoutMetadata,
} from "./copied-steps.js"

/**
 * Returns the first `at` steps of a story as a script. The shell of the user only passes it on to `sh`, so that comments and exclamation marks
 * of texts mean nothing in an interactive shell. `sh` stops at the first command that fails unexpectedly. `remarks` are for people.
 */
export function kubectlText(played: PlayedStory, at: number, remarks: readonly string[] = []): string {
  const { story } = played
  const { crds, notes } = servedDefinitions(story.definitions)
  const policy = story.unions ?? (hasUnions(story.definitions) ? "extended" : "off")
  const parts = [
    comments([
      story.title,
      `The story up to step ${at}, for ${placeFor(policy)}`,
      ...remarks,
      ...notesOnDefaults(story),
      ...notes,
    ]),
    ...namespacesOf(played, at).map(createNamespace),
    ...(crds.length === 0 ? [] : [`# Definitions\n${defined(crds)}`]),
    ...(story.objects ?? []).map(object => `${comments([objectNote])}${written(object, false)}`),
    ...copiedSteps(played, at, "kubectl").map(step => copied(step, played)),
  ]
  return withInput("sh -e", parts.join("\n"), { mark: "STORY" })
}

function placeFor(policy: string): string {
  if (policy === "off") return "a test cluster without these objects, or for: smd serve -- sh FILE"
  return `a server with unions, which clusters don't have: smd serve --unions ${policy} -- sh FILE`
}

const objectNote = "An object of the start, with its owners. Its uid, times of creation and resourceVersion are new."

function copied({ notes, step, request, result }: CopiedStep, { story }: PlayedStory): string {
  const { error, target } = step
  if (result !== undefined) return comments(notes) + written(result, step.before !== undefined)
  if (request !== undefined && "changeSchema" in request) {
    const schema = story.schemas?.[request.changeSchema]
    const { crds, notes: more } = servedDefinitions(schema?.definitions ?? story.definitions)
    const policy = schema?.unions === undefined ? [] : [`The union policy changes to ${schema.unions}.`]
    return comments([...notes, ...policy, ...more]) + (crds.length === 0 ? "" : defined(crds))
  }
  if (request === undefined || target === undefined) return comments(notes)
  const expected = error === undefined ? [] : [`This is expected to be refused: ${error.message}`]
  const text = commandOf(request, target, error === undefined ? "" : " || true")
  return comments([...notes, ...expected]) + (text ?? comments(["kubectl can't send this: a name is not valid."]))
}

/** Returns the command of a request; undefined if a name could not be an argument. */
function commandOf(request: Exclude<SimulationRequest, { changeSchema: string }>, target: ObjectName, end: string) {
  const { manager = "", subresource = "" } = { subresource: "", ...request }
  if (hasControls(manager + subresource)) return undefined
  const by = [`--field-manager=${manager}`, ...(subresource === "" ? [] : [`--subresource=${subresource}`])]
  const send = (words: readonly string[], object: object) =>
    withInput(command(...words, ...by, "-f", "-"), formatYaml(object as MapValue), { end })
  if ("apply" in request) {
    return send(["apply", "--server-side", ...(request.force === true ? ["--force-conflicts"] : [])], request.apply)
  }
  if ("update" in request) return send(["replace"], request.update)
  if ("create" in request) return send(["create"], request.create)
  const named = argumentsOf(target)
  if (named === undefined) return undefined
  if ("delete" in request) return `${command("delete", ...named, "--wait=false")}${end}\n`
  return `${patch(named, request.patch as Value, by)}${end}\n`
}

function patch(named: readonly string[], value: Value, options: readonly string[]): string {
  return command("patch", ...named, `--type=${isMap(value) ? "merge" : "json"}`, ...options, "-p", json(value))
}

/** Returns the commands that write an object and then its owners. Writing managedFields alone makes nobody an owner. */
function written(object: MapValue, exists: boolean): string {
  const { metadata = null, status = null } = object
  const { managedFields = [] } = isMap(metadata) ? metadata : {}
  const named = argumentsOf(nameOf(object))
  if (named === undefined) return comments(["kubectl can't send this: a name is not valid."])
  const owners = Array.isArray(managedFields) && managedFields.length > 0 ? managedFields : [{}]
  const body = withoutMetadata(object, ownMetadata)
  return [
    withInput(command(exists ? "replace" : "create", "-f", "-"), formatYaml(body)),
    exists || status === null ? "" : `${patch(named, { status }, ["--subresource=status"])} || true\n`,
    `${patch(named, [{ op: "add", path: "/metadata/managedFields", value: owners }], [])}\n`,
  ].join("")
}

/** The metadata that a server sets itself. */
const ownMetadata = ["managedFields", "uid", "resourceVersion", "creationTimestamp", "generation", "selfLink"]

function defined(crds: readonly MapValue[]): string {
  const text = crds.map(crd => formatYaml(crd)).join("---\n")
  const names = crds.map(crd => nameOf(crd).name).filter(name => !hasControls(name))
  const wait = command("wait", "--for=condition=Established", "--timeout=60s", ...names.map(name => `crd/${name}`))
  return `${withInput(command("apply", "--server-side", "--force-conflicts", "-f", "-"), text)}${wait}\n`
}

function createNamespace(name: string): string {
  return `kubectl get namespace ${name} >/dev/null 2>&1 || kubectl create namespace ${name}\n`
}

/** Returns the arguments that name an object; undefined if they would not be names to kubectl. */
function argumentsOf({ apiVersion, kind, namespace, name }: ObjectName): readonly string[] | undefined {
  const [version = "", group] = apiVersion.split("/").reverse()
  const type = group === undefined ? kind : `${kind}.${version}.${group}`
  if (!/^[A-Za-z][-.A-Za-z0-9]*$/.test(type) || hasControls(`${name}${namespace ?? ""}`)) return undefined
  return [`${type}/${name}`, ...(namespace === undefined ? [] : [`--namespace=${namespace}`])]
}

function command(...words: readonly string[]): string {
  return ["kubectl", ...words.map(quoted)].join(" ")
}

function quoted(word: string): string {
  return /^[-\w@%+=:,./]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Returns the command with the text as its input. No line of the text ends the input early. */
function withInput(line: string, text: string, { end = "", mark = "EOF" } = {}): string {
  const lines = new Set(text.split("\n"))
  let last = mark
  for (let i = 2; lines.has(last); i++) last = `${mark}${i}`
  return `${line} <<'${last}'${end}\n${text}${text.endsWith("\n") ? "" : "\n"}${last}\n`
}

/** Writes JSON in printable characters, since terminals act on others. */
function json(value: Value): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  return writeJson(value).replace(controls, character => character.split("").map(escaped).join(""))
}

const controls = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

function hasControls(text: string): boolean {
  return text.search(controls) >= 0
}

function comments(notes: readonly string[]): string {
  const lines = notes.flatMap(note => note.trim().split("\n"))
  return lines.map(line => `# ${line.replace(controls, " ").trim()}\n`).join("")
}
