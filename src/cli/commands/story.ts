import { valueAt } from "../../fieldpath/lookup.js"
import { type Managers, noManagers } from "../../fieldpath/managers.js"
import { comparePaths, formatPath, pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { parseYaml } from "../../io/yaml.js"
import type { ManagedFieldsEntry } from "../../managedfields/entries/entry.js"
import { ConflictError } from "../../merge/conflict.js"
import { type UpdateResult, Updater } from "../../merge/updater.js"
import { compileSchema, type Type } from "../../typed/type.js"
import { TypedValue } from "../../typed/typed-value.js"
import type { MapValue, Value } from "../../value/value.js"
import { loadKubernetes } from "../input/built-in-types.js"
import { conflictsByField, formatConflicts } from "../output/conflicts.js"
import { absent, alignColumns, count, indent, listWords, showValue } from "../output/layout.js"
import { ownedFields, ownershipTable, ownersOf } from "../output/ownership.js"
import type { Terminal } from "../terminal.js"
import type { Command } from "./command.js"

export const story: Command = {
  name: "story",
  summary: "Watch three managers share one Deployment",
  operands: "",
  options: [],
  notes: ["Everything shown is computed as it is printed, with the built-in type of a Deployment."],
  examples: ["smd story"],
  async run({ args, terminal }) {
    args.expect()
    const { kubernetesRelease, kubernetesSchema } = await loadKubernetes()
    const type = compileSchema(kubernetesSchema()).type("io.k8s.api.apps.v1.Deployment")
    terminal.write(`One Deployment, three managers. The types are those of Kubernetes ${kubernetesRelease}.\n`)
    new Story(type, terminal).tell()
    return 0
  },
}

const manifest = (image: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  labels: {app: shop}
spec:
  replicas: 3
  selector:
    matchLabels: {app: shop}
  template:
    metadata:
      labels: {app: shop}
    spec:
      containers:
      - name: web
        image: ${image}
        ports:
        - containerPort: 8080
`

const sidecar = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  annotations: {mesh.example.com/injected: "true"}
spec:
  template:
    metadata:
      labels: {app: shop, mesh: enabled}
    spec:
      containers:
      - name: proxy
        image: mesh-proxy:2.1
`

const apiVersion = "apps/v1"

/** The fields that say which object it is, which nobody owns. */
const identity = FieldSet.of([pathOf("apiVersion"), pathOf("kind"), pathOf("metadata", "name")])

/** An object and its managers, and a record of what happens to them. */
class Story {
  private readonly type: Type
  private readonly terminal: Terminal
  private readonly updater = new Updater({ ignoredFields: new Map([[apiVersion, identity]]) })
  private live: TypedValue
  private managers: Managers = noManagers
  private step = 0

  constructor(type: Type, terminal: Terminal) {
    this.type = type
    this.terminal = terminal
    this.live = TypedValue.of({}, type)
  }

  tell(): void {
    this.title("web-team applies its manifest, and so creates the object")
    this.apply("web-team", manifest("web:1.0"))
    this.title("autoscaler updates the number of replicas: an update takes what it changes")
    this.update("autoscaler", object => ({ ...object, spec: { ...object.spec, replicas: 7 } }))
    this.title("web-team applies again: a new image, and still 3 replicas")
    this.apply("web-team", manifest("web:1.1"))
    this.title("mesh applies a configuration of its own: only what it cares for")
    this.apply("mesh", sidecar)
    this.title("web-team applies once more, with force")
    this.apply("web-team", manifest("web:1.1"), true)
    this.showOwnership()
  }

  private apply(manager: string, yaml: string, force = false): void {
    const config = TypedValue.of(parseYaml(yaml), this.type)
    try {
      this.accept(this.updater.apply(this.live, config, { manager, apiVersion, managers: this.managers, force }))
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      const conflicts = conflictsByField(error, manager => this.ownerOf(manager))
      this.print(formatConflicts(manager, conflicts, this.terminal.style))
      this.print("\nNothing is applied: the object and its managers stay as they were.")
    }
  }

  private update(manager: string, edit: (object: Deployment) => Deployment): void {
    const next = TypedValue.of(edit(this.live.value as Deployment), this.type)
    this.accept(this.updater.update(this.live, next, { manager, apiVersion, managers: this.managers }))
  }

  /** Shows what an operation changed, values and owners, and goes on from there. */
  private accept({ object, managers }: UpdateResult): void {
    const rows: string[][] = []
    const fields = ownedFields(this.managers).union(ownedFields(managers)).leaves()
    for (const path of Array.from(fields).sort(comparePaths)) {
      const values = change(showValue(valueAt(this.live.value, path)), showValue(valueAt(object.value, path)))
      const owners = change(ownersOf(this.managers, path), ownersOf(managers, path))
      if (values.changed || owners.changed) rows.push([formatPath(path), values.text, owners.text])
    }
    const summary = `${count(rows.length, "field")}, all owned by ${listWords([...managers.keys()])}`
    this.print(this.managers.size === 0 ? summary : alignColumns(rows).join("\n"))
    this.live = object
    this.managers = managers
  }

  private showOwnership(): void {
    const { style } = this.terminal
    const [head = "", ...rows] = ownershipTable(this.live.value, this.managers)
    this.terminal.write(`\n${style.strong("Who owns what in the end")}\n`)
    this.print([style.faint(head), ...rows].join("\n"))
  }

  private title(text: string): void {
    this.step++
    this.terminal.write(`\n${this.terminal.style.strong(`${this.step}. ${text}`)}\n`)
  }

  private print(text: string): void {
    this.terminal.write(`${indent(text, 3)}\n`)
  }

  private ownerOf(manager: string): ManagedFieldsEntry {
    return { manager, operation: this.managers.get(manager)?.applied ? "Apply" : "Update", apiVersion }
  }
}

interface Deployment {
  readonly [key: string]: Value
  readonly spec: MapValue
}

/** `before -> after`, or only one of them if the other says nothing more. */
function change(before: string, after: string): { readonly changed: boolean; readonly text: string } {
  const grown = before === after || before === "" || before === absent
  return { changed: before !== after, text: grown ? after : `${before} -> ${after}` }
}
