/** An informer of @kubernetes/client-node on a server with faults: which of them it survives on its own, and which need an error handler. */
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node"
import { expect, it } from "vitest"
import type { FaultRule } from "../../src/apiserver/index.js"
import { listen } from "../../src/apiserver/node/listen.js"

const namespace = "default"
const body = (name: string): V1ConfigMap => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })
const watch = { verb: "watch", times: 3 } as const

/** A fault, whether it reaches the error handler, and whether the informer lists again. */
const rows: readonly [FaultRule, "handler" | "alone", "lists again" | "goes on"][] = [
  [{ match: watch, inject: { dropWatch: 0 } }, "alone", "goes on"],
  [{ match: watch, inject: { expired: 0 } }, "alone", "lists again"],
  [{ match: watch, inject: { status: 410 } }, "alone", "lists again"],
  [{ match: watch, inject: { status: 429, retryAfter: 1 } }, "handler", "goes on"],
  [{ match: watch, inject: { status: 500 } }, "handler", "goes on"],
  [{ match: watch, inject: { truncateBody: 0 } }, "handler", "goes on"],
  [{ match: { verb: "watch", times: 1 }, inject: { restart: 50 } }, "handler", "goes on"],
  [{ match: { ...watch, times: 1 }, inject: { latency: 20 } }, "alone", "goes on"],
]

it.each(rows)(
  "an informer has all objects after %j",
  async (fault, handled, listed) => {
    const { server, kubeconfig, close } = await listen({ objects: [body("a")], faults: [fault] })
    const config = new KubeConfig()
    config.loadFromString(kubeconfig)
    const core = config.makeApiClient(CoreV1Api)
    let lists = 0
    let errors = 0
    let hasEnded = false
    const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () => {
      lists++
      return core.listNamespacedConfigMap({ namespace })
    })
    const start = () => void informer.start().catch(onError)
    const onError = () => {
      errors++
      if (!hasEnded) setTimeout(start, 20)
    }
    informer.on("error", onError)
    try {
      start()
      for (const name of ["b", "c", "d"]) await server.create(body(name))
      const { times = 0 } = fault.match ?? {}
      await expect.poll(() => server.injectedFaults.length, { timeout: 10_000 }).toBe(times)
      await server.create(body("e"))
      const names = () => informer.list(namespace).map(object => object.metadata?.name)
      await expect.poll(() => names().sort(), { timeout: 10_000 }).toEqual(["a", "b", "c", "d", "e"])
      expect([errors > 0 ? "handler" : "alone", lists > 1 ? "lists again" : "goes on"]).toEqual([handled, listed])
    } finally {
      hasEnded = true
      await informer.stop()
      await close()
    }
  },
  30_000,
)
