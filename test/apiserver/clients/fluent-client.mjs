// Runs kubernetes-fluent-client against the test API server, in a temporary project: with its dependencies it takes 100 MB.
//
//   npm run build && node test/apiserver/clients/fluent-client.mjs [VERSION]
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { listen } from "../../../dist/apiserver/node/index.js"

const [version = "3.11.6"] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), "fluent-client-"))
const { kubeconfig, server, close } = await listen()
try {
  writeFileSync(join(folder, "package.json"), '{"private": true}\n')
  const options = ["--no-audit", "--no-fund", "--ignore-scripts"]
  execFileSync("npm", ["install", ...options, `kubernetes-fluent-client@${version}`], { cwd: folder, stdio: "ignore" })
  process.env.KUBECONFIG = join(folder, "kubeconfig")
  writeFileSync(process.env.KUBECONFIG, kubeconfig)
  const entry = createRequire(join(folder, "package.json")).resolve("kubernetes-fluent-client")
  await tryAll(await import(pathToFileURL(entry).href))
  console.log(
    `kubernetes-fluent-client ${version}: create, apply, get, list, patch, status, scale, watch and delete work`,
  )
} finally {
  await close()
  rmSync(folder, { recursive: true, force: true })
}

async function tryAll({ K8s, kind }) {
  const settings = data => ({ metadata: { name: "settings", namespace: "default" }, data })
  const inDefault = () => K8s(kind.ConfigMap).InNamespace("default")
  await K8s(kind.ConfigMap).Create(settings({ color: "blue" }))
  const watched = []
  const watcher = inDefault().Watch((object, phase) => {
    watched.push(`${phase} ${object.metadata.name} ${object.data.color}`)
  })
  await watcher.start()
  await until(() => watched.length === 1)

  await assert.rejects(K8s(kind.ConfigMap).Apply(settings({ color: "red" })), { status: 409 })
  const applied = await K8s(kind.ConfigMap).Apply(settings({ color: "red" }), { force: true })
  assert.equal(applied.metadata.managedFields[0].operation, "Apply")
  assert.deepEqual((await inDefault().Get("settings")).data, { color: "red" })
  await assert.rejects(inDefault().Get("absent"), { status: 404 })
  const patch = [{ op: "replace", path: "/data/color", value: "green" }]
  await K8s(kind.ConfigMap, { namespace: "default", name: "settings" }).Patch(patch)
  assert.deepEqual(
    (await inDefault().Get()).items.map(({ data }) => data),
    [{ color: "green" }],
  )
  await inDefault().Delete("settings")
  const phases = ["ADDED settings blue", "MODIFIED settings red", "MODIFIED settings green", "DELETED settings green"]
  await until(() => watched.length === phases.length)
  assert.deepEqual(watched, phases)
  watcher.close()

  const labels = { app: "web" }
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } }
  const metadata = { name: "web", namespace: "default" }
  await K8s(kind.Deployment).Apply({ metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } })
  await K8s(kind.Deployment).PatchStatus({ metadata, status: { replicas: 1 } })
  await K8s(kind.Deployment, metadata).Scale(3)
  const { spec, status } = await K8s(kind.Deployment).InNamespace("default").Get("web")
  assert.deepEqual([spec.replicas, status.replicas], [3, 1])
  assert.ok(server.requests.every(request => request.status < 500))
}

/** Waits at most ten seconds until the condition holds. */
async function until(isSo) {
  for (let tries = 0; tries < 200 && !isSo(); tries++) await new Promise(resolve => setTimeout(resolve, 50))
}
