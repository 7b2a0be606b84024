/**
 * Asks `smd plan --as helm` about charts that Helm 4 has just installed: `npm run replay -- charts FOLDER...` installs each chart with its
 * default values and without its hooks on a test API server, plans the manifest of the release, and lets Helm upgrade to the same chart. It prints a row for each
 * chart: its objects, how many of them the plan would change, and how many the upgrade has changed.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { listen } from "../../../src/apiserver/node/listen.js"
import { parseYaml } from "../../../src/io/yaml.js"
import { metaText } from "../../../src/schema/metadata.js"
import { Cluster } from "../../../src/tools/cluster/cluster.js"
import type { Plan } from "../../../src/tools/ownership/plan.js"
import type { MapValue } from "../../../src/value/value.js"
import { smd } from "../../cli/cli.js"
import { fetchFrom } from "../../support/cluster.js"
import { build, Program } from "./programs.js"

const namespace = "charts"

interface ChartResult {
  readonly name: string
  readonly version: string
  readonly hooks: number
  readonly plans: readonly Plan[]
  /** The objects that the upgrade has changed. */
  readonly upgraded: readonly string[]
  readonly error?: string
}

async function tryChart(folder: string): Promise<ChartResult> {
  const { name, version } = parseYaml(readFileSync(join(folder, "Chart.yaml"), "utf8")) as Record<string, string>
  const row = { name: name as string, version: version as string, hooks: 0, plans: [], upgraded: [] }
  const listening = await listen()
  const program = new Program("appliers", listening.url)
  try {
    const place = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }
    const headers = { "content-type": "application/json" }
    await fetch(`${listening.url}/api/v1/namespaces`, { method: "POST", headers, body: JSON.stringify(place) })
    const request = { tool: "helm", chart: folder, release: name as string, namespace, serverSide: "true" }
    const installing = await program.run(request)
    if (installing !== undefined) return { ...row, error: installing }
    const secret = await read(listening.url, `/api/v1/namespaces/${namespace}/secrets/sh.helm.release.v1.${name}.v1`)
    const { manifest, hooks = [] } = releaseIn(secret)
    const fetchAnswer = fetchFrom(listening.server)
    const connection = {
      fetch: fetchAnswer,
      cache: { read: async () => undefined, write: async () => undefined },
      namespace: async () => namespace,
      close: async () => undefined,
    }
    const definitions = definitionsOf(folder)
    const { out, err, status } = await smd(
      [
        ...[
          "plan",
          "--as",
          "helm",
          "--origin",
          `${namespace}/${name}`,
          "--live",
          "cluster",
          "manifest.yaml",
          "-o",
          "json",
        ],
        ...Object.keys(definitions).flatMap(file => ["--crd", file]),
      ],
      { files: { "manifest.yaml": manifest, ...definitions }, connect: async () => connection, now: new Date() },
    )
    if (status > 1) return { ...row, error: err }
    const plans = JSON.parse(out) as Plan[]
    const cluster = new Cluster(fetchAnswer)
    const before = await versions(cluster, plans)
    const upgrading = await program.run(request)
    if (upgrading !== undefined) return { ...row, plans, error: upgrading }
    const after = await versions(cluster, plans)
    const upgraded = [...after].filter(([target, version]) => before.get(target) !== version).map(([target]) => target)
    return { ...row, hooks: hooks.length, plans, upgraded }
  } finally {
    program.close()
    await listening.close()
  }
}

/** Returns the files with definitions in `crds`, which Helm installs before the release. */
function definitionsOf(folder: string): Record<string, string> {
  const crds = join(folder, "crds")
  const isFolder = readdirSync(folder).includes("crds")
  const files = isFolder ? readdirSync(crds).filter(file => /\.ya?ml$/.test(file)) : []
  const texts = files.map(file => [`crds/${file}`, readFileSync(join(crds, file), "utf8")] as const)
  return Object.fromEntries(texts.filter(([, text]) => /^kind: CustomResourceDefinition/m.test(text)))
}

/** Returns the release that Helm keeps in a Secret, as compressed JSON. */
function releaseIn(secret: MapValue): { readonly manifest: string; readonly hooks?: readonly unknown[] } {
  const { data } = secret
  const { release } = data as { readonly release: string }
  const compressed = Buffer.from(Buffer.from(release, "base64").toString(), "base64")
  return JSON.parse(gunzipSync(compressed).toString())
}

async function read(url: string, path: string): Promise<MapValue> {
  const response = await fetch(url + path)
  if (!response.ok) throw new Error(`GET ${path}: ${await response.text()}`)
  return (await response.json()) as MapValue
}

/** Returns the resourceVersion of each planned object. */
async function versions(cluster: Cluster, plans: readonly Plan[]): Promise<ReadonlyMap<string, string>> {
  const objects = plans.map(({ target: { apiVersion, kind, name, namespace } }) => {
    return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } }
  })
  const { live } = await cluster.liveOf(objects)
  return new Map(live.map((object, i) => [nameOf(plans[i] as Plan), metaText(object ?? {}, "resourceVersion")]))
}

function nameOf({ target: { kind, name } }: Plan): string {
  return `${kind} ${name}`
}

async function main(folders: readonly string[]): Promise<void> {
  build("appliers")
  for (const folder of folders) {
    const { name, version, hooks, plans, upgraded, error } = await tryChart(folder)
    const planned = plans.filter(({ outcome }) => outcome !== "unchanged")
    process.stdout.write(
      `| ${name} | ${version} | ${plans.length} | ${hooks} | ${planned.length} | ${upgraded.length} |\n`,
    )
    if (error !== undefined) process.stdout.write(`  ${error}\n`)
    for (const plan of planned) {
      const paths = plan.changes.map(({ path }) => path).join(" ")
      process.stdout.write(`  planned: ${nameOf(plan)}: ${plan.outcome} ${plan.status?.message ?? ""} ${paths}\n`)
    }
    for (const target of upgraded) process.stdout.write(`  upgraded: ${target}\n`)
  }
}

await main(process.argv.slice(2))
