/** The GitHub action and the hooks for pre-commit. The steps of the action run in bash, with programs that only pretend to be npm and gh. */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { parseYaml } from "../../src/io/yaml.js"
import { projectRoot } from "../support/entries.js"
import { buildInto, start } from "./built.js"
import { deployment } from "./cli.js"
import { replicas } from "./stories.js"

interface Step {
  readonly name: string
  readonly id?: string
  readonly if?: string
  readonly shell: string
  readonly run: string
  readonly env: Readonly<Record<string, string>>
  readonly "working-directory"?: string
}

interface Action {
  readonly inputs: Readonly<
    Record<string, { readonly description: string; readonly default?: string; readonly required?: boolean }>
  >
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

const source = readFileSync(join(projectRoot, "action.yml"), "utf8")
const action = parseYaml(source) as unknown as Action
const { steps } = action.runs

describe("action.yml", () => {
  it("uses the inputs that it declares, and no others", () => {
    const used = Array.from(source.matchAll(/\binputs\.([\w-]+)/g), ([, name]) => name)
    expect([...new Set(used)].sort()).toEqual(Object.keys(action.inputs).sort())
    for (const { description } of Object.values(action.inputs)) expect(description).toMatch(/^[A-Za-z].*[^ ]$/)
  })

  it("has a shell for each step, and passes inputs by the environment alone", () => {
    expect(action.runs.using).toBe("composite")
    for (const { run, shell } of steps) {
      expect(shell).toBe("bash")
      expect(run).not.toContain("${{")
      expect(run).not.toMatch(/\bset -[a-z]*x/)
    }
    const withToken = steps.filter(({ env }) => Object.values(env).some(value => value.includes("token")))
    expect(withToken.map(({ name }) => name)).toEqual(["Comment on the pull request"])
  })
})

/** A comment as the API of GitHub lists it. */
interface Comment {
  readonly id: number
  readonly user: { readonly login: string }
  readonly body: string
}

describe("the steps of action.yml", () => {
  let built: string
  let folder: string
  const path = (name: string) => join(folder, name)
  const read = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : "")

  beforeAll(async () => {
    built = mkdtempSync(join(tmpdir(), "smd-action-"))
    await buildInto(built)
  })
  afterAll(() => rmSync(built, { recursive: true, force: true }))

  beforeEach(() => {
    folder = mkdtempSync(join(built, "run-"))
    mkdirSync(path("repository"))
    mkdirSync(path("programs"))
    writeFileSync(path("programs/package.json"), `{"type": "commonjs"}`)
    for (const [file, text] of Object.entries(replicas)) writeFileSync(path(`repository/${file}`), text)
    program(
      "programs/npm",
      `require("fs").appendFileSync(process.env.LOG, JSON.stringify(process.argv.slice(2)) + "\\n")`,
    )
    program("programs/gh", pretendedGh)
  })

  function program(name: string, text: string): void {
    writeFileSync(path(name), `#!${process.execPath}\n${text}\n`)
    chmodSync(path(name), 0o755)
  }

  /** Runs the steps, and returns their results and everything that was written. */
  function act(
    given: Readonly<Record<string, string>>,
    {
      comments = [],
      isDenied = false,
      number = "7",
    }: { comments?: readonly Comment[]; isDenied?: boolean; number?: string } = {},
  ) {
    writeFileSync(path("comments.json"), JSON.stringify(comments))
    const bin = path("temp/smd/node_modules/.bin")
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, "smd"), `#!/bin/sh\nexec "${process.execPath}" "${join(built, "bin", "main.js")}" "$@"\n`)
    chmodSync(join(bin, "smd"), 0o755)
    const outputs: Record<string, string> = {}
    const evaluated = (expression: string): string => {
      const [, input] = /^inputs\.([\w-]+)$/.exec(expression) ?? []
      if (input !== undefined) return filled(given[input] ?? action.inputs[input]?.default ?? "")
      const [, output] = /^steps\.run\.outputs\.(\w+)$/.exec(expression) ?? []
      if (output !== undefined) return outputs[output] ?? ""
      if (expression === "github.token") return "TOKEN"
      if (expression === "github.event.pull_request.number") return number
      throw new Error(`unknown expression: ${expression}`)
    }
    const filled = (text: string) => text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression) => evaluated(expression))
    const ended = steps.map(step => {
      const isSkipped = step.if?.split(" && ").some(condition => {
        const [name = "", wanted] = condition.split(" == ")
        return wanted === undefined ? evaluated(name) === "" : `'${evaluated(name)}'` !== wanted
      })
      if (isSkipped) return { name: step.name, status: undefined, out: "", err: "" }
      const env = {
        PATH: `${path("programs")}${delimiter}${process.env.PATH}`,
        RUNNER_TEMP: path("temp"),
        GITHUB_ACTION_PATH: projectRoot,
        GITHUB_REPOSITORY: "ann/shop",
        GITHUB_STEP_SUMMARY: path("summary.md"),
        GITHUB_OUTPUT: path("outputs"),
        LOG: path("log"),
        COMMENTS: path("comments.json"),
        ...(isDenied && { DENIED: "1" }),
        ...Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, filled(value)])),
      }
      const { status, stdout, stderr } = spawnSync(
        "bash",
        ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run],
        {
          cwd: join(path("repository"), filled(step["working-directory"] ?? ".")),
          env,
          encoding: "utf8",
        },
      )
      for (const [, name = "", value = ""] of read("outputs").matchAll(/^(\w+)=(.*)$/gm)) outputs[name] = value
      return { name: step.name, status, out: stdout, err: stderr }
    })
    const requests = read("log")
      .split("\n")
      .filter(line => line !== "")
      .map((line): readonly string[] => JSON.parse(line))
    return { ended, statuses: ended.map(({ status }) => status), requests, summary: read("summary.md"), outputs }
  }

  const inputs = { files: "web.yaml\n", live: "  live.json  \n\n", manager: "web-team" }
  const comment = (id: number, login: string, body: string): Comment => ({ id, user: { login }, body })

  it("comments on a pull request, and fails as smd does", () => {
    const { ended, statuses, requests, summary, outputs } = act(inputs)
    expect(statuses).toEqual([0, 0, 0, 1])
    expect(summary).toMatch(/^<!-- smd: plan -->\n\*\*Plan: .*1 conflict: would fail\.\*\*\n/)
    expect(outputs).toEqual({ status: "1", report: expect.stringMatching(/\.md$/) })
    expect(ended[1]?.out).toMatch(/^::error file=web\.yaml,line=\d+,col=\d+,title=Conflict with autoscaler::/)
    const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"))
    expect(requests[0]).toContain("--ignore-scripts")
    expect(requests[0]?.slice(-2)).toEqual([`structured-merge-diff@${version}`, "@marcbachmann/cel-js@^8.0.0"])
    expect(requests[1]?.slice(0, 3)).toEqual(["api", "--paginate", "repos/ann/shop/issues/7/comments?per_page=100"])
    expect(requests[2]).toEqual([
      "api",
      "--silent",
      "--method",
      "POST",
      "repos/ann/shop/issues/7/comments",
      "--field",
      `body=${summary}`,
    ])
    expect(JSON.stringify([ended, requests, summary])).not.toContain("TOKEN")
  })

  it("updates its own comment, and no other", () => {
    const comments = [
      comment(1, "mallory", "<!-- smd: plan -->\nmine"),
      comment(2, "github-actions[bot]", "<!-- smd: plan b -->\nother"),
      comment(3, "github-actions[bot]", "about <!-- smd: plan -->"),
      comment(4, "github-actions[bot]", "<!-- smd: plan -->\nold"),
      comment(5, "github-actions[bot]", "<!-- smd: plan -->\nolder"),
    ]
    const { requests, summary } = act(inputs, { comments })
    expect(requests.slice(2)).toEqual([
      ["api", "--silent", "--method", "PATCH", "repos/ann/shop/issues/comments/4", "--field", `body=${summary}`],
    ])
    const other = act({ ...inputs, marker: "production" }, { comments })
    expect(other.requests.at(-1)).toEqual(expect.arrayContaining(["POST", "repos/ann/shop/issues/7/comments"]))
  })

  it("says that a token may not write, and returns the status of smd", () => {
    const { ended, statuses } = act({ ...inputs, arguments: "--force-conflicts" }, { isDenied: true })
    expect(statuses).toEqual([0, 0, 0, 0])
    expect(ended[2]?.out).toMatch(/^::warning title=smd::The comment was not written\./)
  })

  it("works without comments, annotations and failure", () => {
    const { statuses, requests, ended } = act({ ...inputs, comment: "false", annotations: "false", fail: "false" })
    expect(statuses).toEqual([0, 0, undefined, undefined])
    expect(requests).toHaveLength(1)
    expect(ended[1]?.out).toBe("")
    expect(act(inputs, { number: "" }).statuses[2]).toBe(undefined)
  })

  it("takes each line as one argument, whatever it contains", () => {
    const evil = '$(touch hacked) `touch hacked`; "*" \'.yaml'
    writeFileSync(path(`repository/${evil}`), deployment(1))
    writeFileSync(path("repository/--help"), deployment(1))
    const { summary, statuses } = act({ files: `${evil}\n--help\n`, command: "lint", version: "1; touch hacked" })
    expect(summary).toBe("<!-- smd: lint -->\n**Lint: nothing found in 2 objects.**\n")
    expect(statuses).toEqual([0, 0, 0, 0])
    expect(existsSync(path("repository/hacked"))).toBe(false)
  })

  it("reports bad input", () => {
    const { ended, statuses, summary, requests } = act({ ...inputs, files: "missing.yaml", marker: "a--><b>" })
    expect(statuses).toEqual([0, 0, 0, 2])
    expect(ended[1]?.err).toContain("--marker must be")
    expect(summary).toBe("<!-- smd: a--b -->\n**smd plan failed with status 2.** The log of the job says why.\n")
    expect(requests.at(-1)?.at(-1)).toBe(`body=${summary}`)
    expect(act({ ...inputs, command: "apply" }).statuses[1]).toBe(2)
  })

  it("compares types", () => {
    const types = "types: [{name: t, map: {fields: [{name: a, type: {scalar: string}}]}}]"
    writeFileSync(path("repository/old.yaml"), types)
    writeFileSync(path("repository/new.yaml"), types)
    const { summary } = act({ command: "schema diff", files: "old.yaml\nnew.yaml" })
    expect(summary).toMatch(/^<!-- smd: schema diff -->\n\*\*Schema diff: no change/)
  })
})

/** Lists the comments of a file by the filter of --jq, and logs what it would send. */
const pretendedGh = `
const fs = require("fs")
const { spawnSync } = require("child_process")
const args = process.argv.slice(2).map(arg => arg.startsWith("body=@") ? "body=" + fs.readFileSync(arg.slice(6), "utf8") : arg)
fs.appendFileSync(process.env.LOG, JSON.stringify(args) + "\\n")
if (process.env.GH_TOKEN !== "TOKEN") process.exit(4)
if (process.env.DENIED && args.includes("--method")) process.exit(1)
if (args.includes("--jq")) {
  const filter = args[args.indexOf("--jq") + 1]
  const comments = fs.readFileSync(process.env.COMMENTS, "utf8")
  const found = spawnSync("jq", ["-r", filter], { input: comments, encoding: "utf8" })
  const { AUTHOR, FIRST_LINE } = process.env
  const mine = JSON.parse(comments).filter(({ user, body }) => user.login === AUTHOR && body.startsWith(FIRST_LINE))
  process.stdout.write(found.error ? mine.map(({ id }) => id + "\\n").join("") : found.stdout)
}`

describe("examples/gitlab-note.mjs", () => {
  it.each([
    ["adds a note", [], "POST /projects/1/merge_requests/2/notes"],
    [
      "updates its own note on a later page",
      [{ id: 9, author: { id: 5 }, body: "<!-- smd: plan -->\nold" }],
      "PUT /projects/1/merge_requests/2/notes/9",
    ],
  ])("%s", async (_, later, wanted) => {
    const first = [
      { id: 3, author: { id: 6 }, body: "<!-- smd: plan -->\nnot mine" },
      { id: 4, author: { id: 5 }, body: "<!-- smd: plan 2 -->\nother" },
    ]
    const requests: string[] = []
    const server = createServer((request, response) => {
      const { method, url = "", headers } = request
      expect(headers["private-token"]).toBe("TOKEN")
      const isFirst = url.endsWith("page=1")
      if (isFirst) response.setHeader("x-next-page", "2")
      const answer = url === "/user" ? { id: 5 } : isFirst ? first : later
      let body = ""
      request.on("data", part => (body += part))
      request.on("end", () => {
        requests.push(`${method} ${url}${body === "" ? "" : ` ${body}`}`)
        response.end(JSON.stringify(answer))
      })
    })
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
    const folder = mkdtempSync(join(tmpdir(), "smd-note-"))
    try {
      const file = join(folder, "note.md")
      writeFileSync(file, "<!-- smd: plan -->\nnew")
      const { port } = server.address() as AddressInfo
      const { ending } = start(projectRoot, process.execPath, ["examples/gitlab-note.mjs", file], {
        CI_API_V4_URL: `http://127.0.0.1:${port}`,
        CI_PROJECT_ID: "1",
        CI_MERGE_REQUEST_IID: "2",
        SMD_TOKEN: "TOKEN",
      })
      expect(await ending).toEqual({ status: 0, signal: null, out: "", err: "" })
    } finally {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    }
    expect(requests).toHaveLength(4)
    expect(requests[3]).toBe(`${wanted} ${JSON.stringify({ body: "<!-- smd: plan -->\nnew" })}`)
  })
})

describe(".pre-commit-hooks.yaml", () => {
  interface Hook {
    readonly id: string
    readonly entry: string
    readonly language: string
  }
  const hooks = parseYaml(
    readFileSync(join(projectRoot, ".pre-commit-hooks.yaml"), "utf8"),
  ) as unknown as readonly Hook[]

  it.each(hooks.map(({ id, ...hook }) => [id, hook] as const))("%s runs on files", async (_, { entry, language }) => {
    expect(language).toBe("node")
    const [program, ...args] = entry.split(" ")
    const { bin } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"))
    expect(Object.keys(bin)).toContain(program)
    const { smd } = await import("./cli.js")
    const files = { "a.yaml": deployment(1), "b.yaml": `${deployment(1)}---\nkind: Nothing\napiVersion: v1\n` }
    expect(await smd([...args, "a.yaml"], { files })).toMatchObject({ status: 0, out: "" })
    expect(await smd([...args, "a.yaml", "b.yaml"], { files })).toMatchObject({ status: 2, out: "" })
  })
})
