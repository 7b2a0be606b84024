/** Long stories and large texts in a real Chromium: the engine works in its worker, and the page stays usable. */
import { deflateRawSync } from "node:zlib"
import { expect, it } from "vitest"
import { browser, newPage, open, page, useBrowser } from "./pages.js"

useBrowser()

/** A story in which two managers write many fields in turns. */
function longStory(count: number): string {
  const data = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key-${i}`, `value ${i}`]))
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data }
  const steps = Array.from({ length: count }, (_, i) =>
    i % 2 === 0
      ? { manager: "gitops", apply: { ...config, data: { ...data, step: `${i}` } } }
      : { manager: "ci", patch: { metadata: { annotations: { build: `${i}` } } } },
  )
  return `title: A long story\nsteps:\n${steps.map(step => `- ${JSON.stringify(step)}\n`).join("")}`
}

/** Returns a ConfigMap of about two megabytes. */
function largeText(more = ""): string {
  const lines = Array.from({ length: 20_000 }, (_, i) => `  key-${i}: ${"value ".repeat(15)}\n`)
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\n${more}data:\n${lines.join("")}`
}

const outcomes = () =>
  page.locator(".step-outcome").evaluateAll(all => all.filter(one => one.textContent !== "").length)

it("shows the progress of 2,000 steps, answers meanwhile, and ends with all steps", async () => {
  await newPage()
  await page.goto(`${browser.url}#story=${deflateRawSync(longStory(2_000)).toString("base64url")}`)
  // In the page itself, so that nothing else takes time between the progress and the click.
  const { label, isAnswered, played } = await page.evaluate(async () => {
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    const progress = () => document.querySelector("progress[max]")
    while (progress() === null) await frame()
    const label = progress()?.ariaLabel
    const buttons = [...document.querySelectorAll("button")]
    buttons.find(({ textContent }) => textContent === "Add manager")?.click()
    while (document.querySelector(".managers form") === null) await frame()
    const outcomes = [...document.querySelectorAll(".step-outcome")]
    return { label, isAnswered: progress() !== null, played: outcomes.filter(one => one.textContent !== "").length }
  })
  expect(label).toMatch(/^Playing step [\d,]+ of 2,000$/)
  expect({ isAnswered, played }).toEqual({ isAnswered: true, played: 0 })
  await expect.poll(outcomes, { timeout: 60_000 }).toBe(2_000)
  await page.getByRole("progressbar").waitFor({ state: "detached" })
  await expect.poll(() => page.locator(".lines").innerText()).toContain('step: "1998"')
})

it("previews and checks a text of 2 MB", async () => {
  await open()
  await page.getByLabel("Story").selectOption("new")
  await page.locator(".cm-content").click()
  await page.evaluate(text => navigator.clipboard.writeText(text), largeText("wrong: 1\n"))
  await page.keyboard.press("Control+V")
  await page.getByText("web-team would").waitFor({ timeout: 60_000 })
  await page.keyboard.press("Control+Home")
  await page.locator(".cm-lintRange-error").waitFor({ timeout: 60_000 })
  expect(await page.locator(".cm-lintRange-error").innerText()).toBe("wrong")
})

it("imports an object of 2 MB", async () => {
  await open()
  await page.getByRole("button", { name: "Import" }).click()
  const entry = {
    manager: "ci",
    operation: "Update",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { "f:key-1": {} } },
  }
  const text = largeText(`  managedFields: [${JSON.stringify(entry)}]\n`)
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "live.yaml", mimeType: "text/yaml", buffer: Buffer.from(text) })
  await page.getByRole("button", { name: "Import" }).last().click()
  await page.getByText("ConfigMap large").first().waitFor({ timeout: 60_000 })
  await expect.poll(() => page.getByRole("tablist", { name: "Managers" }).innerText()).toContain("ci")
  await page.locator(".lines").waitFor({ timeout: 60_000 })
})

/** Opens a story in which two managers write this many fields, one after the other. The text is in the tab of the first. */
async function openTwoWriters(length: number, text: string): Promise<void> {
  const config = (value: string) => {
    const data = Object.fromEntries(Array.from({ length }, (_, i) => [`key-${i}`, value.repeat(15)]))
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large" }, data }
  }
  const steps = [
    { manager: "gitops", apply: config("value ") },
    { manager: "ci", update: config("other ") },
  ]
  const drafts = [{ manager: "gitops", verb: "apply", text }]
  const state = JSON.stringify({ server: "merge", drafts, branches: [{ name: "main", steps, at: 2 }] })
  await newPage()
  await page.goto(`${browser.url}#d=${deflateRawSync(state).toString("base64url")}`)
}
const count = (selector: string) => page.locator(selector).count()

it("shows the owners of 20,000 fields, the changes of a step and facts about a line, and makes only the rows in view", async () => {
  await openTwoWriters(20_000, "")
  const line = page.locator("#live-pane tr.changed code").nth(20)
  await line.waitFor({ timeout: 60_000 })
  await page.getByRole("tab", { name: "All owners" }).click()
  const table = page.locator(".matrix")
  await expect.poll(() => table.getAttribute("aria-rowcount")).toBe("20001")
  expect(await count(".matrix tr")).toBeLessThan(2_000)
  await page.getByLabel("Fields by manager").evaluate(list => list.scrollTo(0, list.scrollHeight))
  await table.getByText(".key-9999", { exact: true }).waitFor()
  expect(await count(".matrix tr")).toBeLessThan(2_000)

  await page.getByRole("tab", { name: "This step" }).click()
  await expect.poll(() => count(".changes li")).toBe(200)
  await page.getByRole("button", { name: "Show 200 of 19800 more" }).first().click()
  expect(await count(".changes li")).toBe(400)

  await line.hover()
  await page.getByRole("tooltip").getByText("ci (Update)").waitFor({ timeout: 60_000 })
})

it("shows the first of 5,000 conflicts, and more on request", async () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `  key-${i}: third\n`)
  await openTwoWriters(5_000, `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n${lines.join("")}`)
  await page.getByText("gitops would have 5000 conflicts").waitFor({ timeout: 60_000 })
  expect(await count(".conflict-card")).toBe(50)
  await page.getByRole("button", { name: "Show 50 of 4950 more" }).click()
  await expect.poll(() => count(".conflict-card")).toBe(100)
  await page.getByRole("button", { name: "Leave all fields to their owners" }).click()
  await page.getByText("No conflicts: gitops would").waitFor({ timeout: 60_000 })
})
