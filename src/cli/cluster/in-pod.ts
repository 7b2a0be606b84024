// In a pod without a kubeconfig: the token and the certificate of its service account.
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { type ConnectOptions, clientOf, type Transport } from "./transport.js"

const folder = "/var/run/secrets/kubernetes.io/serviceaccount"

/** The environment of a process that may run in a pod. */
export interface PodEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder of the service account. */
  readonly folder: string
  /** The kubeconfig that kubectl would read. */
  readonly kubeconfig: string
}

/** Returns the connection of a pod; undefined outside of pods, and if there is a kubeconfig. */
export async function podConnection(
  { context, kubeconfig }: ConnectOptions,
  pod: PodEnvironment = { env: process.env, folder, kubeconfig: join(homedir(), ".kube", "config") },
): Promise<Transport | undefined> {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "443", KUBECONFIG = "" } = pod.env
  const file = (name: string) => join(pod.folder, name)
  if (host === "" || context !== undefined || kubeconfig !== undefined || KUBECONFIG !== "") return undefined
  if (!existsSync(file("token")) || existsSync(pod.kubeconfig)) return undefined
  const ca = await readFile(file("ca.crt"), "utf8")
  // Kubernetes renews the token while the pod runs.
  const token = async () => (await readFile(file("token"), "utf8")).trim()
  const { fetch, end } = clientOf({ host, port: Number(port), ca, token })
  return {
    fetch,
    namespace: async () => (await readFile(file("namespace"), "utf8").catch(() => "default")).trim(),
    server: async () => `https://${host}:${port}`,
    close: async () => end(),
  }
}
