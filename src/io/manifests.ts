// Manifests: texts with Kubernetes objects, as people keep them in files.
import { ParseError } from "../errors.js"
import { own } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { parseYamlWithPositions, type YamlDocument } from "./yaml.js"

/** The metadata of a manifest: a map, whose name and namespace are strings if they are present. */
export type ManifestMetadata = MapValue & {
  /** Absent if the object has `generateName`, or no name yet. */
  readonly name?: string
  /** Absent if the caller who applies the object chooses the namespace, and for kinds without namespaces. */
  readonly namespace?: string
}

/** A Kubernetes object read from a text. Nothing is known yet about its other fields. */
export type Manifest = MapValue & {
  /** Never empty. */
  readonly apiVersion: string
  /** Never empty. */
  readonly kind: string
  /** Absent in objects without metadata, such as a kustomization or a kubeconfig. */
  readonly metadata?: ManifestMetadata
}

/**
 * Returns the Kubernetes objects of a YAML or JSON text, in its order. Skips documents that are empty or null. Replaces a list by its items: a
 * `kind: List`, or any other kind that ends in `List` and has `items`. As in kubectl, items without apiVersion and kind get both from the
 * list.
 *
 * Throws a ParseError for text that is not YAML, and for the first document or item that is not an object, lacks apiVersion or kind, or has
 * metadata, a name or a namespace of the wrong type. The message has the number of the document and the line, both counted from 1:
 * `document 2, line 7: kind is missing`.
 *
 * @example
 * ```ts
 * import { parseManifests } from "structured-merge-diff/io"
 *
 * const text = "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: b}}"
 * for (const { kind, metadata } of parseManifests(text)) console.log(kind, metadata?.name)
 * // Pod a
 * // Pod b
 * ```
 */
export function parseManifests(text: string): Manifest[] {
  const manifests: Manifest[] = []
  parseYamlWithPositions(text).forEach((document, index) => {
    const { value } = document
    if (value !== undefined && value !== null) new ManifestReader(document, index + 1, manifests).read(value, [])
  })
  return manifests
}

type Steps = readonly (string | number)[]

/** Reads one document, and adds its objects to `manifests`. */
class ManifestReader {
  private readonly document: YamlDocument
  private readonly number: number
  private readonly manifests: Manifest[]

  constructor(document: YamlDocument, number: number, manifests: Manifest[]) {
    this.document = document
    this.number = number
    this.manifests = manifests
  }

  /** `steps` lead to the value, and `list` is the list that contains it. */
  read(value: Value, steps: Steps, list?: Manifest): void {
    if (!isMap(value)) this.fail(steps, `expected an object with apiVersion and kind, found ${valueKind(value)}`)
    const object = list === undefined ? value : withTypeOfItem(value, list)
    for (const field of ["apiVersion", "kind"]) this.checkText(object, field, steps, true)
    this.checkMetadata(object, steps)
    const manifest = object as Manifest
    if (!isObjectList(manifest)) {
      this.manifests.push(manifest)
      return
    }
    const items = own(manifest, "items") ?? []
    if (!isList(items)) this.fail([...steps, "items"], `items: expected a list, found ${valueKind(items)}`)
    items.forEach((item, i) => this.read(item, [...steps, "items", i], manifest))
  }

  private checkMetadata(object: MapValue, steps: Steps): void {
    const metadata = own(object, "metadata")
    if (metadata === undefined) return
    const inside = [...steps, "metadata"]
    if (!isMap(metadata)) this.fail(inside, `metadata: expected a map, found ${valueKind(metadata)}`)
    for (const field of ["name", "namespace"]) this.checkText(metadata, field, inside, false)
  }

  private checkText(map: MapValue, field: string, steps: Steps, required: boolean): void {
    const value = own(map, field)
    if (typeof value === "string" && (value !== "" || !required)) return
    if (value === undefined && !required) return
    if (value === undefined) this.fail(steps, `${field} is missing`)
    this.fail([...steps, field], `${field}: expected a string, found ${valueKind(value)}`)
  }

  private fail(steps: Steps, message: string): never {
    const line = this.document.positionOf(steps)?.line
    throw new ParseError(`document ${this.number}${line === undefined ? "" : `, line ${line}`}: ${message}`)
  }
}

/** Whether the object is a list that stands for its items. A custom resource may have a kind such as `AllowList`, but has no `items`. */
export function isObjectList(manifest: Manifest): boolean {
  const { apiVersion, kind } = manifest
  return (apiVersion === "v1" && kind === "List") || (kind.endsWith("List") && own(manifest, "items") !== undefined)
}

/** Returns the item with apiVersion and kind, which API servers leave out of the items of a PodList and the like. */
export function withTypeOfItem(item: MapValue, { apiVersion, kind }: Manifest): MapValue {
  if (kind === "List" || own(item, "apiVersion") !== undefined || own(item, "kind") !== undefined) return item
  return { apiVersion, kind: kind.slice(0, -"List".length), ...item }
}

function valueKind(value: Value): string {
  if (value === null) return "null"
  if (value === "") return "an empty one"
  if (isList(value)) return "a list"
  return isMap(value) ? "a map" : `a ${typeof value === "bigint" ? "number" : typeof value}`
}
