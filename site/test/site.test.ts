/** The built site in a real Chromium, served from a folder below the server's root. `buildSite` checks its links. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { browser, newPage, page, useBrowser } from "../../playground/test/browser/pages.js"
import { output } from "../build.mjs"

const root = mkdtempSync(join(tmpdir(), "site-"))
const folder = "some/where/"
const elsewhere: string[] = []

useBrowser(async () => {
  mkdirSync(join(root, "some"))
  symlinkSync(output, join(root, folder.slice(0, -1)), "junction")
  return root
})
afterEach(() => {
  // VitePress 1.6.4 marks the heading of its outline 100 ms after a scroll, when the outline may be gone.
  const others = browser.errors.filter(message => message !== "Cannot read properties of null (reading 'style')")
  browser.errors.splice(0, browser.errors.length, ...others)
})
afterAll(() => {
  rmSync(root, { recursive: true })
  expect(elsewhere).toEqual([])
})

async function open(path: string, options?: Parameters<typeof newPage>[0]): Promise<void> {
  await newPage(options)
  page.on("request", request => {
    const url = request.url()
    if (!url.startsWith(`${browser.url}${folder}`) && !/^(data|blob):/.test(url)) elsewhere.push(url)
  })
  page.on("response", response => {
    if (response.status() === 404) browser.errors.push(`404: ${response.url()}`)
  })
  await page.goto(`${browser.url}${folder}${path}`)
}

describe("the first page", () => {
  it("fits a screen of 1280 x 720, with the conflict and all ways in", async () => {
    await open("", { width: 1280, height: 720 })
    await page.getByRole("button", { name: /Agree on 7/ }).waitFor()
    const bottoms = await page
      .locator(".roles li, smd-conflict")
      .evaluateAll(parts => parts.map(part => part.getBoundingClientRect().bottom))
    expect(bottoms.length).toBe(6)
    expect(Math.max(...bottoms)).toBeLessThanOrEqual(720)
  })

  it("shows the conflict before the engine is loaded, and takes each way out", async () => {
    await open("")
    const engine: string[] = []
    page.on("request", request => {
      if (/engine-/.test(request.url())) engine.push(request.url())
    })
    for (const [name, result] of [
      [/Leave it to autoscaler/, "loses"],
      [/Agree on 7/, "gains"],
      [/Take it by force/, "loses all of its fields"],
    ] as const) {
      await page.getByRole("button", { name }).click()
      await page.getByText("No conflicts: the apply changes the object").waitFor()
      expect(await page.locator("smd-conflict").getByText(result).count()).toBeGreaterThan(0)
      await page.getByRole("button", { name: "Start again" }).click()
    }
    expect(engine).toHaveLength(1)
  })

  it("computes another conflict for another number, and opens it in the playground", async () => {
    await open("")
    await page.getByLabel("replicas:").fill("4")
    await expect.poll(() => page.locator("smd-conflict dd code").first().textContent()).toBe("4")
    await page.getByRole("link", { name: "Open this in the playground" }).click()
    await page.getByText("web-team would have 1 conflict").waitFor()
    expect(await page.locator(".cm-content").innerText()).toContain("replicas: 4")
  })
})

describe("the pages", () => {
  it("lead from one to the next, into folders and back", async () => {
    await open("docs/cli.html")
    await page
      .getByRole("link", { name: "Managers against each other" })
      .or(page.locator(".vp-doc a[href*=unions]"))
      .first()
      .click()
    await page.waitForURL(/\/some\/where\/docs\/(unions|simulator)/)
    await page.locator(".VPNavBarTitle a").click()
    await page.waitForURL(`${browser.url}${folder}`)
    await page.getByRole("link", { name: "Dry-run a change" }).click()
    await page.waitForURL(/\/some\/where\/docs\/guides\/gitops-dry-run/)
    await page.getByRole("heading", { level: 1, name: "Dry-run a GitOps change" }).waitFor()
    await page.getByRole("link", { name: "API", exact: true }).click()
    await page.waitForURL(/\/some\/where\/api\/index\.html/)
    await page.getByRole("link", { name: "ownership" }).first().waitFor()
  })

  it("mark only links to other sites as such", async () => {
    await open("docs/appliers.html")
    const marked = await page.locator(".vp-doc p a, .vp-doc li a").evaluateAll(links =>
      links.map(link => {
        const isMarked = getComputedStyle(link, "::after").content !== "none"
        return { isMarked, isElsewhere: link.getAttribute("target") === "_blank" }
      }),
    )
    expect(marked.filter(({ isMarked, isElsewhere }) => isMarked !== isElsewhere)).toEqual([])
    expect(new Set(marked.map(({ isElsewhere }) => isElsewhere)).size).toBe(2)
  })

  it("are found by their words", async () => {
    await open("docs/index.html")
    await page.getByRole("button", { name: "Search" }).first().click()
    await page.getByRole("searchbox").fill("relinquish")
    await page.locator(".result").first().waitFor()
    await page.locator(".result").first().click()
    await page.waitForURL(/\/some\/where\/docs\//)
  })

  it("are found by the names of functions and methods, with links to the reference", async () => {
    for (const [word, heading] of [
      ["planAll", "planAll"],
      ["liveOf", "Cluster"],
    ] as const) {
      await open("docs/index.html")
      await page.getByRole("button", { name: "Search" }).first().click()
      await page.getByRole("searchbox").fill(word)
      await page.locator(".result", { hasText: "Functions and classes" }).first().click()
      await page.waitForURL(new RegExp(`/names\\.html#${heading.toLowerCase()}$`))
    }
    await page.locator("#cluster ~ p a").first().click()
    await page.getByRole("heading", { name: "Class Cluster" }).waitFor()
  })

  it("can be read from a disk", async () => {
    await newPage()
    const errors = browser.errors.length
    await page.goto(pathToFileURL(join(output, "docs", "index.html")).href)
    await page.locator(".vp-doc").getByRole("link", { name: "The engine" }).click()
    await page.getByRole("heading", { level: 1, name: "The engine" }).waitFor()
    expect(await page.evaluate(() => getComputedStyle(document.querySelector(".VPSidebar") as Element).position)).toBe(
      "fixed",
    )
    // Chromium loads no modules from a disk.
    browser.errors.length = errors
  })
})

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const main = [
  "",
  "docs/index.html",
  "docs/cli.html",
  "docs/guides/gitops-dry-run.html",
  "docs/semantics.html",
  "docs/apiserver.html",
]

describe.each([1280, 360])("axe at %i px", width => {
  it.each(["light", "dark"] as const)("finds nothing on the main pages, in %s mode", async scheme => {
    await open("", { width, dark: scheme === "dark" })
    const found: string[] = []
    for (const path of main) {
      await page.goto(`${browser.url}${folder}${path}`)
      if (path === "") await page.getByRole("button", { name: /Agree on 7/ }).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width)
      await page.evaluate(axeSource)
      found.push(
        ...(await page.evaluate(async () => {
          const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
          const { violations } = await axe.run(document)
          return violations.flatMap(({ id, impact, nodes }) =>
            nodes.map(({ html }) => `${location.pathname} ${impact} ${id}: ${html.slice(0, 140)}`),
          )
        })),
      )
    }
    expect(found).toEqual([])
  })
})
