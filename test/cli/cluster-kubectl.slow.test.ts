/** `smd` as a process reads the test API server through a real `kubectl proxy`. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, test, vi } from "vitest"
import { type Listening, listen } from "../../src/apiserver/node/listen.js"
import { startProxy } from "../../src/cli/cluster/kubectl-proxy.js"
import type { MapValue } from "../../src/value/value.js"
import { buildKubectl, type Ran, run } from "../apiserver/kubectl/build.js"
import { eventOf, ownedObjects, shop } from "../support/cluster.js"
import { projectRoot } from "../support/entries.js"
import { buildInto, start } from "./built.js"
import { type Outcome, smd as smdOfFiles } from "./cli.js"

const kubectl = buildKubectl(projectRoot)
if ("missing" in kubectl) {
  const { missing } = kubectl
  test("there is no kubectl to read a cluster with", () => {
    console.log(`smd does not read a cluster through kubectl: ${missing}`)
    expect(missing).not.toBe("")
  })
} else testWith(kubectl.path)

/** The result without the places of findings, since an object of a cluster is in no file, and without remarks about the file of types. */
function placeless({ status, out, err }: Outcome): Outcome {
  const without = (text: string) => {
    return text
      .replace(/^ *"(?:file|line|column)": .*\n/gm, "")
      .replace(/"file":"[^"]*"/g, "")
      .replace(/^types\.json: .*\n/gm, "")
      .replace(/^(?:live\.json(?::\d+)*|Deployment web\/shop): /gm, "")
  }
  return { status, out: without(out), err: without(err) }
}

/** A Deployment with ports, whose keys have a default. The first port has this name. */
function withPorts(name: string): MapValue {
  const ports = [
    { containerPort: 53, name },
    { containerPort: 53, protocol: "UDP" },
  ]
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "dns", namespace: "default" },
    spec: {
      selector: { matchLabels: { app: "dns" } },
      template: {
        metadata: { labels: { app: "dns" } },
        spec: { containers: [{ name: "dns", image: "dns:1", ports }] },
      },
    },
  }
}

function testWith(path: string): void {
  let folder: string
  let listening: Listening
  let env: Record<string, string>
  let files: Record<string, string>
  let hang: ((url: string) => void) | undefined

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cluster-"))
    mkdirSync(join(folder, "tmp"))
    await buildInto(folder)
    const server = await ownedObjects()
    listening = await listen({
      server,
      fetch: async request => {
        if (hang !== undefined) {
          hang(request.url)
          await new Promise(() => undefined)
        }
        return await server.fetch(request)
      },
    })
    const config = join(folder, "kubeconfig")
    writeFileSync(config, listening.kubeconfig.replace('user: "test"}', 'user: "test", namespace: web}'))
    const address = "/apis/apps/v1/namespaces/web/deployments/shop"
    const stored = await (await server.fetch(new Request(`http://server${address}`))).text()
    await server.fetch(
      new Request("http://server/apis/apps/v1/namespaces/default/deployments/dns?fieldManager=web-team", {
        method: "PATCH",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: JSON.stringify(withPorts("dns")),
      }),
    )
    files = {
      "shop.yaml": JSON.stringify(shop(7)),
      "ports.yaml": JSON.stringify(withPorts("metrics")),
      log: eventOf(address, shop(3), stored),
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    env = {
      PATH: [dirname(path), dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
      KUBECONFIG: config,
      HOME: folder,
      TMPDIR: join(folder, "tmp"),
      XDG_CACHE_HOME: join(folder, "cache"),
      COLUMNS: "120",
    }
  }, 120_000)
  afterAll(async () => {
    await listening?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const smd = (...args: string[]) => run(process.execPath, ["bin/main.js", ...args], { cwd: folder, env })

  describe("through kubectl proxy", () => {
    const rows: readonly (readonly [command: string, get: string, files: string])[] = [
      ["blame deployment/shop", "deployment/shop", "blame live.json --openapi types.json"],
      ["blame deploy -A -l app=shop -o json", "deployment/shop", "blame live.json --openapi types.json -o json"],
      [
        "plan --manager ci shop.yaml --live cluster",
        "deployment/shop",
        "plan --manager ci shop.yaml --live live.json --openapi types.json",
      ],
      [
        "extract --manager web-team deployment/shop",
        "deployment/shop",
        "extract --manager web-team live.json --openapi types.json",
      ],
      ...[
        "explain --manager ci shop.yaml",
        "apply --manager ci shop.yaml --force --dry-run=server",
        "update --manager ci shop.yaml",
        "ignore --format argocd --manager ci shop.yaml",
      ].map(line => {
        return [`${line} --live cluster`, "deployment/shop", `${line} --live live.json --openapi types.json`] as const
      }),
      [
        "managers release .spec.replicas --manager autoscaler deployment/shop -o kubectl",
        "deployment/shop",
        "managers release .spec.replicas --manager autoscaler live.json --openapi types.json -o kubectl",
      ],
      [
        "lint deployment/shop --max-entries 1 -o json",
        "deployment/shop",
        "lint live.json --openapi types.json --max-entries 1 -o json",
      ],
      [
        "simulate --record deployment/shop --record-from log --live cluster",
        "deployment/shop",
        "simulate --record live.json --record-from log",
      ],
      ...["blame", "extract --manager web-team"].map(line => {
        const files = `${line} live.json --openapi types.json`
        return [`${line} deployment/dns -n default`, "deployment/dns -n default", files] as const
      }),
      ...["plan", "explain", "apply --force --dry-run=server"].map(line => {
        const request = `${line} --manager ci ports.yaml --live`
        return [`${request} cluster`, "deployment/dns -n default", `${request} live.json --openapi types.json`] as const
      }),
      ["blame --stream deploy -n web", "deployment/shop", "blame --stream live.json --openapi types.json"],
      ["blame --stream deploy -n web --jobs 2", "deployment/shop", "blame --stream live.json --openapi types.json"],
    ]
    const read = new Map<string, Promise<Ran>>()
    /** Runs kubectl, once for all rows with these arguments: they only read. */
    const kubectlOnce = (args: string) => {
      const known = read.get(args) ?? run(path, args.split(" "), { cwd: folder, env })
      read.set(args, known)
      return known
    }
    it.each(rows)("smd %s prints the bytes that kubectl get %s and files give", async (command, get, ofFiles) => {
      const before = listening.server.requests.length
      const outcome = await smd(...command.split(" "))
      expect(listening.server.requests.slice(before).map(({ method }) => method)).not.toContain("PATCH")
      expect(new Set(listening.server.requests.slice(before).map(({ method }) => method))).toEqual(new Set(["GET"]))
      const { stdout: live } = await kubectlOnce(`get ${get} --show-managed-fields -o json`)
      const { stdout: types } = await kubectlOnce("get --raw /openapi/v3/apis/apps/v1")
      const expected = await smdOfFiles(ofFiles.split(" "), {
        files: { ...files, "live.json": live, "types.json": types },
        columns: 120,
        now: new Date(),
      })
      expect(placeless({ status: outcome.exit ?? -1, out: outcome.stdout, err: outcome.stderr })).toEqual(
        placeless(expected),
      )
      expect(outcome.stdout).not.toBe("")
    })

    it("leaves only documents in the cache, which only the user can read", async () => {
      await smd("blame", "deployment/shop")
      expect(readdirSync(join(folder, "tmp"))).toEqual([])
      const cache = join(folder, "cache", "structured-merge-diff", "openapi")
      const [server = ""] = readdirSync(cache)
      expect(readdirSync(cache).length).toBe(1)
      const files = readdirSync(join(cache, server))
      expect(files.map(file => file.replace(/\.\w+\.json$/, ""))).toEqual(["apis_apps_v1"])
      expect(statSync(join(cache, server, files[0] ?? "")).mode & 0o777).toBe(0o600)
      expect(statSync(join(cache, server)).mode & 0o777).toBe(0o700)
    })

    it("reads a document only once from the server", async () => {
      await smd("blame", "deployment/shop")
      const before = listening.server.requests.length
      await smd("blame", "deployment/shop")
      const paths = listening.server.requests.slice(before).map(({ path }) => path)
      expect(paths.sort()).toEqual(["/api", "/apis", "/apis/apps/v1/namespaces/web/deployments/shop", "/openapi/v3"])
    })

    it("works as a plugin, whose usage says so", async () => {
      const plugins = join(folder, "plugins")
      mkdirSync(plugins)
      chmodSync(join(folder, "bin", "main.js"), 0o755)
      symlinkSync(join(folder, "bin", "main.js"), join(plugins, "kubectl-smd"))
      const withPlugin = { cwd: folder, env: { ...env, PATH: `${plugins}${delimiter}${env.PATH}` } }
      const blame = await run(path, ["smd", "blame", "deploy/shop"], withPlugin)
      expect(blame).toEqual(await smd("blame", "deploy/shop"))
      const help = await run(path, ["smd", "plan", "--help"], withPlugin)
      expect(help.stdout).toContain("\n  kubectl smd plan [options] CONFIG...\n")
      expect((await smd("plan", "--help")).stdout).toContain("\n  smd plan [options] CONFIG...\n")
    })

    it.each([
      ["--context=nope", 'cluster: context "nope" does not exist'],
      ["--kubeconfig=nope", "cluster: stat nope: no such file or directory"],
    ])("says why it can't connect: %s", async (option, message) => {
      expect(await smd("blame", "deploy/shop", option)).toMatchObject({ exit: 2, stdout: "", stderr: `${message}\n` })
    })

    it("says that the server can't be reached", async () => {
      const gone = join(folder, "gone")
      writeFileSync(gone, listening.kubeconfig.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1"))
      const { exit, stderr } = await smd("blame", "deploy/shop", "--kubeconfig", gone)
      expect(stderr).toMatch(/^cluster: the server can't be reached: .*refused\n$/)
      expect(exit).toBe(2)
    })

    it("says that kubectl is missing", async () => {
      const bare = { ...env, PATH: join(folder, "tmp") }
      const { exit, stderr } = await run(process.execPath, ["bin/main.js", "blame", "-A"], { cwd: folder, env: bare })
      expect(stderr).toBe(
        "cluster: kubectl is not installed, and smd reaches clusters through it: https://kubernetes.io/docs/tasks/tools/\n",
      )
      expect(exit).toBe(2)
    })

    it("refuses to pass on writes", async () => {
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
      const proxy = await startProxy({})
      try {
        const [own = ""] = readdirSync(env.TMPDIR ?? "")
        const socketPath = join(env.TMPDIR ?? "", own, "proxy")
        expect(statSync(dirname(socketPath)).mode & 0o777).toBe(0o700)
        const statuses = await Promise.all(
          ["GET", "POST", "PUT", "PATCH", "DELETE"].map(
            method =>
              new Promise((resolve, reject) => {
                const sent = request({ socketPath, method, path: "/api/v1/namespaces", headers: { host: "localhost" } })
                sent.on("response", response => resolve(response.resume().statusCode))
                sent.on("error", reject).end()
              }),
          ),
        )
        expect(statuses).toEqual([200, 403, 403, 403, 403])
      } finally {
        await proxy.close()
        vi.unstubAllEnvs()
      }
      expect(readdirSync(env.TMPDIR ?? "")).toEqual([])
    })

    it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("stops the proxy on %s", async signal => {
      const asked = new Promise(resolve => {
        hang = resolve
      })
      const { child, ending } = start(folder, process.execPath, ["bin/main.js", "blame", "deploy/shop"], env)
      await asked
      hang = undefined
      child.kill(signal)
      expect(await ending).toMatchObject({ signal, out: "" })
      expect(readdirSync(env.TMPDIR ?? "")).toEqual([])
    })
  })
}
