/** How the live objects of examples/stories came about: the requests that made them, which the engine carries out. */

import { formatYaml, parseYaml } from "../../../src/io/yaml.js"
import { writeJson } from "../../../src/json/json.js"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import { lastAppliedAnnotation } from "../../../src/managedfields/chain/last-applied.js"
import { withoutManagedFields } from "../../../src/managedfields/entries/entry.js"
import { FieldManager } from "../../../src/managedfields/field-manager.js"
import type { MapValue } from "../../../src/value/value.js"
import { read } from "../../support/examples.js"

/** A request of a manager, at a time of January 2026. */
interface Step {
  readonly by: string
  readonly at: string
  /** Applies this YAML; by force, since others may have been there. */
  readonly apply?: string
  /** Creates an object of this YAML, other than by an apply. */
  readonly create?: string
  /** Writes the live object with this part of its YAML, which is there once, replaced. */
  readonly edit?: readonly [from: string, to: string]
  readonly subresource?: string
}

/** The time at which the stories are told. */
export const now = new Date("2026-01-09T12:00:00Z")

/** The configuration of a story with parts of its text replaced: what was applied before. */
function before(story: string, ...edits: readonly (readonly [string, string])[]): string {
  return edits.reduce(edited, read(`examples/stories/${story}/config.yaml`))
}

function edited(yaml: string, [from, to]: readonly [string, string]): string {
  const parts = yaml.split(from)
  if (parts.length !== 2) throw new Error(`${JSON.stringify(from)} is there ${parts.length - 1} times in:\n${yaml}`)
  return parts.join(to)
}

const memoryLimit = `apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: default}
spec:
  template:
    spec:
      containers:
      - name: web
        resources: {limits: {memory: 128Mi}}
`

const ownVariables = `apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  template:
    spec:
      containers:
      - name: web
        env:
        - {name: LEVEL, value: "1"}
        - {name: CHECK, value: "on"}
`

/** The object with those defaults of an API server that the stories are about. */
function defaults(object: MapValue): MapValue {
  const yaml = formatYaml(object)
    .replace("strategy: {}\n", "strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}\n")
    .replaceAll(/^( *)containerPort: \d+\n(?! *protocol:)/gm, "$&$1protocol: TCP\n")
  return parsed(yaml)
}

/** By story, in the order in which examples/stories/README.md tells them. */
export const histories: Readonly<Record<string, readonly Step[]>> = {
  "autoscaled-replicas": [
    { by: "ci", at: "06T12:00:00", apply: memoryLimit },
    {
      by: "web-team",
      at: "07T12:00:00",
      apply: before(
        "autoscaled-replicas",
        [" web:1.1 # the new one", " web:1.0\n        resources: {limits: {memory: 128Mi}}"],
        ["env:\n", 'env:\n        - {name: OLD, value: "1"}\n'],
      ),
    },
    { by: "autoscaler", at: "09T11:56:00", edit: ["replicas: 3", "replicas: 7"], subresource: "scale" },
  ],
  "shared-environment": [
    { by: "security", at: "09T07:00:00", apply: ownVariables },
    {
      by: "web-team",
      at: "09T11:59:55",
      apply: before("shared-environment", ['        - {name: LEVEL, value: "3"}\n', ""]),
    },
  ],
  "helm-over-edit": [
    {
      by: "helm",
      at: "02T12:00:00",
      apply: before("helm-over-edit", ["shop-1.2.0", "shop-1.1.0"], ["web:1.2.0", "web:1.1.0"], ["256Mi", "128Mi"]),
    },
    { by: "kubectl-edit", at: "08T03:12:00", edit: ["memory: 128Mi", "memory: 512Mi"] },
  ],
  "client-side-first": [
    {
      by: "kubectl-client-side-apply",
      at: "02T12:00:00",
      create: lastApplied(before("client-side-first", ["theme: light", "theme: dark\n  banner: Sale!"])),
    },
  ],
  "changed-port": [
    { by: "web-team", at: "07T12:00:00", apply: before("changed-port", ["9090", "8080"]) },
    { by: "mesh", at: "08T12:00:00", edit: ["protocol: TCP", "protocol: TCP\n          hostPort: 80"] },
  ],
  "switched-volume": [
    {
      by: "web-team",
      at: "07T12:00:00",
      apply: before("switched-volume", ["persistentVolumeClaim:\n          claimName: shop-cache", "emptyDir: {}"]),
    },
    { by: "kubectl-patch", at: "08T12:00:00", edit: ["emptyDir: {}", "emptyDir: {sizeLimit: 1Gi}"] },
  ],
  "recreate-strategy": [
    {
      by: "web-team",
      at: "07T12:00:00",
      apply: before("recreate-strategy", ["  strategy:\n    type: Recreate # the database takes one writer\n", ""]),
    },
    { by: "kubectl-edit", at: "08T12:00:00", edit: ["maxSurge: 25%", "maxSurge: 100%"] },
  ],
  "atomic-tolerations": [
    {
      by: "web-team",
      at: "07T12:00:00",
      apply: before("atomic-tolerations", ["      - {key: gpu, operator: Exists}\n", ""]),
    },
    {
      by: "node-placer",
      at: "08T12:00:00",
      edit: ["tolerations:\n", "tolerations:\n      - {key: spot, operator: Exists}\n"],
    },
  ],
}

/** The object as client-side apply sends it: with what was applied in an annotation. */
function lastApplied(yaml: string): string {
  const object = parsed(yaml)
  const annotations = { [lastAppliedAnnotation]: `${writeJson(object)}\n` }
  return formatYaml({ ...object, metadata: { ...(object.metadata as MapValue), annotations } })
}

/** The live object after these requests, as `kubectl get -o yaml --show-managed-fields` prints it. */
export function liveAfter(history: readonly Step[]): string {
  let live: MapValue | undefined
  for (const { by, at, apply, create, edit, subresource = "" } of history) {
    const manager = new FieldManager({ types: kubernetesTypes, clock: () => new Date(`2026-01-${at}Z`), defaults })
    const request = { manager: by, subresource }
    if (apply !== undefined) live = manager.apply<MapValue>(live, parsed(apply), { ...request, force: true }).object
    else {
      const next = create ?? edited(formatYaml(withoutManagedFields(live as MapValue)), edit ?? ["", ""])
      live = manager.update<MapValue>(live, parsed(next), request).object
    }
  }
  const { metadata, ...rest } = live as { readonly metadata: MapValue } & MapValue
  const { managedFields = [], ...others } = metadata
  const { apiVersion, kind, ...contents } = rest as MapValue
  const stored = { ...others, resourceVersion: "41", managedFields }
  return formatYaml({ apiVersion, kind, metadata: stored, ...contents } as MapValue)
}

function parsed(yaml: string): MapValue {
  return parseYaml(yaml) as MapValue
}
