// A real kubectl against the server: one session of common commands. kubectl/session.txt has the expected output, with ids, ages and
// folders masked; `npx vitest run test/apiserver/kubectl.slow.test.ts -u` writes it again.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { listen } from "../../src/apiserver/node/listen.js"
import { projectRoot } from "../fuzz/programs.js"
import { buildKubectl, type Ran, run } from "./kubectl/build.js"

const deployment = (replicas: number, image = "nginx:1.25", more = "") => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "${image}"${more}}]}
`
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crons.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: crons, singular: cron, kind: Cron}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: When, type: string, jsonPath: .spec.when}]
    schema:
      openAPIV3Schema:
        type: object
        description: Runs now and then.
        properties:
          spec: {type: object, properties: {when: {type: string, description: When it runs., default: daily}}}
`
const list = `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {a: "1"}}
- {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}], selector: {app: web}}}
`
const cron = "{apiVersion: example.org/v1, kind: Cron, metadata: {name: c}, spec: {}}"

/** Commands and their standard input. */
const session: readonly (readonly [command: string, input?: string])[] = [
  ["version"],
  ["apply --server-side -f -", deployment(2)],
  ["apply --server-side --field-manager=other -f -", deployment(3)],
  ["apply --server-side --field-manager=other --force-conflicts -f -", deployment(3)],
  ["get deployments"],
  ["get deployment web -o wide"],
  ["get deployment web -o yaml --show-managed-fields"],
  ["get deployment web --subresource=scale"],
  ["scale deployment web --replicas=4"],
  ["set image deployment/web app=nginx:1.27"],
  ["diff --server-side --force-conflicts -f -", deployment(5, "nginx:1.27")],
  ["apply --server-side -f -", deployment(2, "nginx:1.25", ", nosuch: 1")],
  ["apply -f -", list],
  ["apply -f -", list.replace("port: 80", 'port: "http"')],
  ["get services"],
  ["apply -f -", "{apiVersion: nope.example.org/v1, kind: Nope, metadata: {name: x}}"],
  ["apply --server-side -f -", definition],
  ["wait --for=condition=Established crd/crons.example.org --timeout=5s"],
  ["apply --server-side -f -", cron],
  ["get crons"],
  ["explain cron.spec"],
  ["explain cron --output=plaintext-openapiv2"],
  ["describe cron c"],
  ["annotate deployment web note=x"],
  ['patch deployment web -p {"spec":{"paused":"yes"}}'],
  ["wait --for=jsonpath={.spec.replicas}=4 deployment/web --timeout=5s"],
  ["delete deployment web"],
  ["get deployments"],
  ["get all"],
]

const kubectl = buildKubectl(projectRoot())
if ("missing" in kubectl) {
  const { missing } = kubectl
  test("there is no kubectl to run against the test API server", () => {
    console.log(`kubectl is not run against the test API server: ${missing}`)
    expect(missing).not.toBe("")
  })
} else {
  test("kubectl works as against a real server", () => playSession(kubectl.path))
}

async function playSession(path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kubectl-"))
  const server = await listen()
  try {
    const config = join(folder, "kubeconfig")
    writeFileSync(config, server.kubeconfig)
    const env = { KUBECONFIG: config, HOME: folder, TMPDIR: folder, KUBECACHEDIR: join(folder, "cache"), LC_ALL: "C" }
    let text = ""
    for (const [command, input = ""] of session) {
      const ran = await run(path, command.split(" "), { cwd: folder, env, input })
      text += shown(command, ran, [server.url, folder])
    }
    await expect(text).toMatchFileSnapshot("kubectl/session.txt")
  } finally {
    await server.close()
    rmSync(folder, { recursive: true })
  }
}

/** Formats a command and its output, with the parts masked that differ from run to run. */
function shown(command: string, { exit, stdout, stderr }: Ran, places: readonly string[]): string {
  let text = `$ kubectl ${command}\n${stdout}${stderr}${exit === 0 ? "" : `exit ${exit}\n`}\n`
  for (const place of places) text = text.replaceAll(place, "PLACE")
  return text
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "UID")
    .replace(/(resourceVersion: |Resource Version: +)"?\d+"?/g, "$1RV")
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)/g, "TIME")
    .replace(/(LIVE|MERGED)-\d+/g, "$1")
    .replace(/(Client Version|Kustomize Version): .*/g, "$1: ANY")
    .replace(/(?<= )\d+s(?= |$)/gm, "AGE")
    .replace(/(?<=\S) {2,}/g, "  ")
}
