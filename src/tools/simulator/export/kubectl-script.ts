// Writes a story as a shell script of kubectl commands.
import { formatYaml } from "../../../io/yaml-format.js"
import { writeJson } from "../../../json/json.js"
import { lastAppliedAnnotation, lastAppliedOf } from "../../../managedfields/chain/last-applied.js"
import { metadataOf, withMetadata } from "../../../schema/metadata.js"
import { listAt } from "../../../value/fields.js"
import { quoteForShell } from "../../../value/quote.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"
import { type ObjectName, objectName } from "../../ownership/object-name.js"
import type { ObjectRequest } from "../simulation/request.js"
import { clusterNamespaces, isNamespaceIn, type PortableStep, type PortableStory } from "./portable-story.js"
import { comment, hasControls, withEscapes } from "./text.js"

/**
 * Returns the story as a script. The shell of the user only passes it on to `sh`, so that comments and exclamation marks of texts mean nothing
 * in an interactive shell. `sh` stops at the first command that fails unexpectedly.
 */
export function kubectlScript(story: PortableStory): string {
  const { title, notes, namespaces, crds, unions = "off", objects, steps } = story
  const parts = [
    comments([title, `For ${placeFor(unions)}`, ...notes]),
    ...namespaces.map(createNamespace),
    ...(crds.length === 0 ? [] : [`# Definitions\n${defined(crds)}`]),
    ...objects.map(object => {
      return comments([objectNote]) + written(object, isNamespaceIn(clusterNamespaces, objectName(object)))
    }),
    ...steps.map(step => commandsOf(step, [...clusterNamespaces, ...namespaces])),
  ]
  return withInput("sh -e", parts.join("\n"), { mark: "STORY" })
}

function placeFor(policy: string): string {
  if (policy === "off") return "a test cluster without these objects, or for: smd serve -- sh FILE"
  return `a server with unions, which clusters don't have: smd serve --unions ${policy} -- sh FILE`
}

const objectNote = "An object of the start, with its owners. Its uid, times of creation and resourceVersion are new."

/** `existing` are namespaces that exist before the step. */
function commandsOf({ notes, step, request, result, schema }: PortableStep, existing: readonly string[]): string {
  const { error, target, before } = step
  if (result !== undefined)
    return comments(notes) + written(result, before !== undefined || isNamespaceIn(existing, target))
  if (schema !== undefined) {
    const policy = schema.unions === undefined ? [] : [`The union policy changes to ${schema.unions}.`]
    return comments([...notes, ...policy]) + (schema.crds.length === 0 ? "" : defined(schema.crds))
  }
  if (request === undefined || target === undefined) return comments(notes)
  const expected = error === undefined ? [] : [`This is expected to be refused: ${error.message}`]
  const text = commandOf(request, target, error === undefined ? "" : " || true")
  return comments([...notes, ...expected]) + (text ?? unsendable)
}

/** Returns the command of a request; undefined if a name could not be an argument. */
function commandOf(request: ObjectRequest, target: ObjectName, end: string): string | undefined {
  const { manager = "", subresource = "" } = { subresource: "", ...request }
  if (hasControls(manager + subresource + (target.namespace ?? ""))) return undefined
  const by = [`--field-manager=${manager}`, ...(subresource === "" ? [] : [`--subresource=${subresource}`])]
  const send = (words: readonly string[], object: object) =>
    withInput(command(...words, ...by, ...inNamespace(target), "-f", "-"), formatYaml(object as MapValue), { end })
  if ("apply" in request) {
    return send(["apply", "--server-side", ...(request.force === true ? ["--force-conflicts"] : [])], request.apply)
  }
  if ("update" in request) return send(["replace"], request.update)
  if ("create" in request) return send(["create"], request.create)
  const named = argumentsOf(target)
  if (named === undefined) return undefined
  if ("delete" in request) return `${command("delete", ...named, "--wait=false")}${end}\n`
  return patch(named, request.patch as Value, by, end)
}

/** Returns the command of a patch. The patch is not an argument, because systems limit the length of arguments. */
function patch(named: readonly string[], value: Value, options: readonly string[] = [], end = ""): string {
  const type = `--type=${isMap(value) ? "merge" : "json"}`
  const line = command("patch", ...named, type, ...options, "--patch-file=/dev/stdin")
  return withInput(line, withEscapes(writeJson(value)), { end })
}

/** Returns the commands that write an object and then its owners. Writing managedFields alone makes nobody an owner. */
function written(object: MapValue, exists: boolean): string {
  const { status = null } = object
  const managedFields = listAt(metadataOf(object), "managedFields")
  const named = argumentsOf(objectName(object))
  if (named === undefined) return unsendable
  const owners = managedFields.length > 0 ? managedFields : [{}]
  const body = withMetadata(object, ownMetadata)
  const lastApplied = lastAppliedOf(object)
  return [
    withInput(command(exists ? "replace" : "create", "-f", "-"), formatYaml(body)),
    exists || status === null ? "" : patch(named, { status }, ["--subresource=status"], " || true"),
    // kubectl has replaced the annotation with one for the body.
    lastApplied === "" ? "" : patch(named, { metadata: { annotations: { [lastAppliedAnnotation]: lastApplied } } }),
    patch(named, [{ op: "add", path: "/metadata/managedFields", value: owners }]),
  ].join("")
}

/** The metadata that a server sets itself. */
const ownMetadata = {
  managedFields: undefined,
  uid: undefined,
  resourceVersion: undefined,
  creationTimestamp: undefined,
  generation: undefined,
  selfLink: undefined,
}

function defined(crds: readonly MapValue[]): string {
  const text = crds.map(crd => formatYaml(crd)).join("---\n")
  const names = crds.map(crd => objectName(crd).name).filter(name => !hasControls(name))
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
  return [`${type}/${name}`, ...inNamespace({ namespace })]
}

function inNamespace({ namespace }: { readonly namespace?: string | undefined }): readonly string[] {
  return namespace === undefined ? [] : [`--namespace=${namespace}`]
}

function command(...words: readonly string[]): string {
  return ["kubectl", ...words.map(quoteForShell)].join(" ")
}

/** Returns the command with the text as its input. No line of the text ends the input early. */
function withInput(line: string, text: string, { end = "", mark = "EOF" } = {}): string {
  const lines = new Set(text.split("\n"))
  let last = mark
  for (let i = 2; lines.has(last); i++) last = `${mark}${i}`
  return `${line} <<'${last}'${end}\n${text}${text.endsWith("\n") ? "" : "\n"}${last}\n`
}

function comments(notes: readonly string[]): string {
  return comment(notes, "#")
}

const unsendable = comments(["kubectl can't send this: a name is not valid."])
