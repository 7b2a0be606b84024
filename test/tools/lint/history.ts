/** Objects and their writers, made by requests to a FieldManager, which does what an API server does. */
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { changeApiVersion, FieldManager, type TypeFinder } from "../../../src/managedfields/index.js"
import { type LintObjectOptions, lintObject } from "../../../src/tools/lint/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { configMap as configMapOf } from "../../support/config-map.js"
import { deepFreeze } from "../../support/deep-freeze.js"

export const annotation = "kubectl.kubernetes.io/last-applied-configuration"
export const clientSide = "kubectl-client-side-apply"

/** An object and its writers, second by second. */
export class History {
  object: MapValue | undefined
  private readonly manager: FieldManager
  private seconds = 0

  constructor(types: TypeFinder = kubernetesTypes, defaults = (object: MapValue) => object) {
    const clock = () => new Date(Date.UTC(2026, 0, 1, 0, 0, this.seconds++))
    const converter = changeApiVersion(types, { dropMissing: types === kubernetesTypes })
    this.manager = new FieldManager({ types, clock, converter, defaults })
  }

  apply(manager: string, config: MapValue, force = false): this {
    this.object = deepFreeze(this.manager.apply(this.object, config, { manager, force }).object)
    return this
  }

  update(manager: string, change: (object: MapValue) => MapValue, subresource = ""): this {
    this.object = deepFreeze(
      this.manager.update(this.object, change(this.object ?? {}), { manager, subresource }).object,
    ) as MapValue
    return this
  }

  /** A write as kubectl makes it without --server-side. */
  applyClientSide(config: MapValue): this {
    const annotations = { [annotation]: `${JSON.stringify(config)}\n` }
    return this.update(clientSide, live => ({
      ...live,
      ...config,
      metadata: { ...meta(live), ...meta(config), annotations },
    }))
  }

  set(change: (object: MapValue) => MapValue): this {
    this.object = deepFreeze(change(this.object as MapValue))
    return this
  }

  found(options: LintObjectOptions = { types: kubernetesTypes }): string[] {
    return lintObject(this.object ?? {}, options).map(({ code, path }) => `${code} ${path}`)
  }
}

export function meta(object: MapValue): MapValue {
  return (object.metadata ?? {}) as MapValue
}

export function configMap(data: MapValue, labels?: MapValue): MapValue {
  return deepFreeze(configMapOf("web", data, labels && { labels }))
}

export function service(...ports: MapValue[]): MapValue {
  return deepFreeze({ apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports } })
}
