// The Kubernetes objects of a Pulumi program in YAML, whose resources have types such as `kubernetes:apps/v1:Deployment`.
//
// A value may be an expression: `${name.field}` or a function such as `fn::readFile`. The reader replaces expressions that the program itself
// answers: variables, defaults of the configuration, and values of other Kubernetes resources. All others are problems of the object.
import { StructuredMergeError } from "../../errors.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { anObject, requireArgument } from "../../value/argument.js"
import { type Steps, valueAtSteps } from "../../value/change.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../../value/depth.js"
import { listAt, mapAt, textAt, withKeys } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { formatPointer } from "../../value/pointer.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** A Kubernetes object that a Pulumi program configures. */
export interface PulumiObject {
  /** The name of its resource in the program. */
  readonly resource: string
  /** The object, with its apiVersion and kind, and without expressions. Shares values with the program. */
  readonly object: MapValue
  /** The steps from the program to the properties of the resource: keys of maps and indexes of lists. */
  readonly steps: Steps
}

/** A remark about a part of a Pulumi program. */
export interface PulumiRemark {
  /** The steps from the program to the part. */
  readonly steps: Steps
  /** The remark, for people. */
  readonly message: string
}

/** The content of a Pulumi program. */
export interface PulumiProgram {
  /** The objects, in the order of the program. */
  readonly objects: readonly PulumiObject[]
  /** The values that only Pulumi knows. Objects with such values are left out. */
  readonly problems: readonly PulumiRemark[]
  /** Resources and settings that are not followed. */
  readonly notes: readonly PulumiRemark[]
}

/** Whether the value is the document of a Pulumi program, in YAML or in another language. */
export function isPulumiProgram(value: Value | undefined): value is MapValue {
  if (!isMap(value) || own(value, "apiVersion") !== undefined || own(value, "kind") !== undefined) return false
  const runtime = runtimeOf(value)
  if (languages.includes(runtime)) return true
  const resources = Object.values(mapAt(value, "resources"))
  return runtime === "yaml" ? true : resources.some(resource => isMap(resource) && isKubernetesType(resource))
}

/** Other languages of Pulumi. */
const languages: readonly string[] = ["nodejs", "python", "go", "dotnet", "java"]

function runtimeOf(program: MapValue): string {
  return textAt(program, "runtime") || textAt(mapAt(program, "runtime"), "name")
}

function isKubernetesType(resource: MapValue): boolean {
  return textAt(resource, "type").startsWith("kubernetes:")
}

/**
 * Reads the Kubernetes objects of a Pulumi program in YAML. Expressions are replaced as far as the program itself has their values. An object
 * without a name gets its resource's name, to which Pulumi appends random characters. Throws a StructuredMergeError for a program in another
 * language, and a ValidationError if expressions make a value too deep or too large.
 *
 * @example
 * ```ts
 * import { readPulumiProgram } from "structured-merge-diff/appliers"
 *
 * const { objects, problems } = readPulumiProgram({
 *   runtime: "yaml",
 *   variables: { labels: { app: "web" } },
 *   resources: {
 *     web: { type: "kubernetes:core/v1:ConfigMap", properties: { metadata: { name: "web", labels: "${labels}" } } },
 *     db: { type: "kubernetes:core/v1:ConfigMap", properties: { data: { host: "${server.address}" } } },
 *   },
 * })
 * console.log(JSON.stringify(objects.map(({ object }) => object)))
 * // [{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","labels":{"app":"web"}}}]
 * console.log(problems[0]?.steps.join("."))
 * // resources.db.properties.data.host
 * ```
 */
export function readPulumiProgram(document: object): PulumiProgram {
  requireArgument("document", document, anObject)
  const program = document as MapValue
  const runtime = runtimeOf(program)
  if (languages.includes(runtime)) {
    throw new StructuredMergeError("bad-request", `is a Pulumi program in ${runtime}: ${remedy}`)
  }
  const resources = mapAt(program, "resources")
  const evaluation = new Evaluation(program)
  const objects: PulumiObject[] = []
  for (const name in resources) {
    const resource = own(resources, name)
    if (!isMap(resource) || own(resource, "get") !== undefined) continue
    evaluation.notes.push(...settingsOf(name, resource))
    if (!isKubernetesType(resource)) continue
    const object = objectOf(name, resource, evaluation)
    if (object !== undefined) objects.push({ resource: name, object, steps: ["resources", name, "properties"] })
  }
  return { objects, problems: evaluation.problems, notes: evaluation.notes }
}

const remedy = "give the manifests that Pulumi renders with renderYamlToDirectory"

/** Returns remarks about settings of a resource that matter and are not followed. */
function settingsOf(name: string, resource: MapValue): PulumiRemark[] {
  const notes: PulumiRemark[] = []
  const properties = mapAt(resource, "properties")
  const about = (steps: Steps, message: string) => notes.push({ steps: ["resources", name, ...steps], message })
  if (isKubernetesType(resource) && listAt(mapAt(resource, "options"), "ignoreChanges").length > 0)
    about(["options", "ignoreChanges"], "ignoreChanges is not followed: Pulumi keeps its last values of these fields")
  if (textAt(resource, "type") !== "pulumi:providers:kubernetes") return notes
  if (own(properties, "namespace") !== undefined)
    about(
      ["properties", "namespace"],
      "the namespace of a provider is not followed: name it for objects without a namespace",
    )
  if (own(properties, "enableServerSideApply") === false)
    about(
      ["properties", "enableServerSideApply"],
      "the provider applies client-side: the answer is about server-side apply",
    )
  return notes
}

/** Returns the object of a resource; undefined if only Pulumi knows it. */
function objectOf(name: string, resource: MapValue, evaluation: Evaluation): MapValue | undefined {
  const properties = mapAt(resource, "properties")
  const type = textAt(resource, "type")
  const kind = kindOfType(type)
  if (kind === undefined) {
    evaluation.notes.push({ steps: ["resources", name, "type"], message: `${type} is not followed: ${remedy}` })
    return undefined
  }
  const problems = evaluation.problems.length
  const given = { ...kind, ...properties }
  evaluation.mayReveal = given.kind === "Secret"
  const object = evaluation.valueOf(given, ["resources", name, "properties"]) as MapValue
  if (evaluation.problems.length > problems) return undefined
  const isNamed = metaText(object, "name") !== "" || metaText(object, "generateName") !== ""
  if (isNamed || isList(own(object, "items"))) return object
  const message = `has no metadata.name, so Pulumi appends random characters to ${name}: a live object is found only by its whole name`
  evaluation.notes.push({ steps: ["resources", name], message })
  const metadata = metadataOf(object)
  const annotations = { ...mapAt(metadata, "annotations"), "pulumi.com/autonamed": "true" }
  return withKeys(object, { metadata: withKeys(metadata, { name, annotations }) })
}

/** Returns the kind of the object that a resource of this type configures; undefined if Pulumi renders its objects from other sources. */
function kindOfType(type: string): { readonly apiVersion?: string; readonly kind?: string } | undefined {
  if (/^kubernetes:apiextensions\.k8s\.io:CustomResource(Patch)?$/.test(type)) return {}
  const [, group = "", version = "", kind = ""] = /^kubernetes:([\w.-]+)\/(\w+):(\w+)$/.exec(type) ?? []
  if (kind === "" || rendered.includes(group)) return undefined
  return { apiVersion: group === "core" ? version : `${group}/${version}`, kind: kind.replace(/(?<=.)Patch$/, "") }
}

/** Modules with resources that stand for other sources: files, charts and kustomizations. */
const rendered: readonly string[] = ["yaml", "kustomize", "helm.sh"]

/** Replaces the expressions of a program by their values, as far as the program has them. */
class Evaluation {
  readonly problems: PulumiRemark[] = []
  readonly notes: PulumiRemark[] = []
  /** Whether values that the program marks as secret may be part of the object. */
  mayReveal = false
  private readonly program: MapValue
  /** The places whose values are being computed, as pointers. */
  private readonly open = new Set<string>()
  /** The names of configuration whose default was taken. */
  private readonly defaults = new Set<string>()
  private parts = maxParts
  private depth = 0

  constructor(program: MapValue) {
    this.program = program
  }

  /** Returns the value at these steps without expressions. Returns null in the place of unknown values, and adds problems. */
  valueOf(value: Value, steps: Steps): Value {
    this.parts -= typeof value === "string" ? 1 + value.length : 1
    if (this.parts < 0) throw tooLarge()
    if (++this.depth > maxDepth) throw tooDeep()
    const found = this.evaluated(value, steps)
    this.depth--
    return found
  }

  private evaluated(value: Value, steps: Steps): Value {
    if (typeof value === "string") return value.includes("$") ? this.textOf(value, steps) : value
    if (isList(value)) {
      const items = value.map((item, i) => this.valueOf(item, [...steps, i]))
      return items.every((item, i) => item === value[i]) ? value : items
    }
    if (!isMap(value)) return value
    const [name = "", ...others] = Object.keys(value)
    if (others.length === 0 && /^fn::/i.test(name)) return this.called(name, own(value, name) ?? null, [...steps, name])
    const changes: Record<string, Value> = {}
    for (const key in value) put(changes, key, this.valueOf(own(value, key) ?? null, [...steps, key]))
    return withKeys(value, changes)
  }

  private called(name: string, argument: Value, steps: Steps): Value {
    if (name.toLowerCase() === "fn::secret" && this.mayReveal) return this.valueOf(argument, steps)
    return this.unknown(`only Pulumi runs ${name}`, steps)
  }

  private textOf(text: string, steps: Steps): Value {
    const [, whole] = /^\$\{([^{}]*)\}$/.exec(text) ?? []
    if (whole !== undefined) return this.referenced(whole, steps)
    return text.replace(/\$\$|\$\{([^{}]*)\}/g, (_, reference?: string) => {
      if (reference === undefined) return "$"
      const value = this.referenced(reference, steps)
      if (!isList(value) && !isMap(value)) return String(value ?? "")
      return String(this.unknown(`\${${reference}} is not a text`, steps))
    })
  }

  private referenced(reference: string, steps: Steps): Value {
    const access = stepsOf(reference)
    const target = access && this.targetOf(access)
    if (target === undefined) return this.unknown(`only Pulumi knows \${${reference}}`, steps)
    const place = formatPointer(target.steps)
    if (this.open.has(place)) return this.unknown(`\${${reference}} refers to itself`, steps)
    this.open.add(place)
    const value = this.valueOf(target.value, target.steps)
    this.open.delete(place)
    return value
  }

  private unknown(message: string, steps: Steps): null {
    this.problems.push({ steps, message: `${message}: write its value, or ${remedy}` })
    return null
  }

  /** Returns the value that a reference leads to, with its expressions, and the steps to it; undefined if the program does not have it. */
  private targetOf([name = "", ...rest]: readonly (string | number)[]): Target | undefined {
    const { program } = this
    if (name === "pulumi") return targetAt(program, rest[0] === "project" ? ["name"] : [])
    const variables: Steps = ["variables", name]
    if (valueAtSteps(program, variables) !== undefined) return targetAt(program, [...variables, ...rest])
    for (const section of ["config", "configuration"]) {
      const setting: Steps = [section, name]
      const found = valueAtSteps(program, setting)
      if (found === undefined) continue
      this.noteDefault(String(name), setting)
      const parts: Steps[] = isMap(found) ? [["default"], ["value"]] : [[]]
      return parts.map(part => targetAt(program, [...setting, ...part, ...rest])).find(target => target !== undefined)
    }
    const resource = valueAtSteps(program, ["resources", name])
    if (!isMap(resource) || !isKubernetesType(resource) || rest.length === 0) return undefined
    return targetAt(program, ["resources", name, "properties", ...rest])
  }

  private noteDefault(name: string, steps: Steps): void {
    if (this.defaults.has(name)) return
    this.defaults.add(name)
    this.notes.push({ steps, message: `takes the default of ${name}: a stack may have another value` })
  }
}

interface Target {
  readonly value: Value
  readonly steps: Steps
}

function targetAt(program: MapValue, steps: Steps): Target | undefined {
  const value = steps.length === 0 ? undefined : valueAtSteps(program, steps)
  return value === undefined ? undefined : { value, steps }
}

/** Returns the steps of a reference such as `web.spec.ports[0]["name"]`; undefined for anything else. */
function stepsOf(reference: string): readonly (string | number)[] | undefined {
  if (!/^[\w:-]+(\.[\w-]+|\[\d+\]|\["[^"]*"\])*$/.test(reference)) return undefined
  return Array.from(reference.matchAll(/\["([^"]*)"\]|\[(\d+)\]|[\w:-]+/g), ([text, quoted, index]) => {
    return quoted ?? (index === undefined ? text : Number(index))
  })
}
