/** The views of a step, refusals, and the choice of the server, in a real Chromium. */
import { deflateRawSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { axeFindings } from "./axe.js"
import { open, page, useBrowser } from "./pages.js"

useBrowser()

const linkTo = (story: string) => `#story=${deflateRawSync(story).toString("base64url")}`
const tab = (name: string) => page.getByRole("tab", { name, exact: true }).click()
const step = (number: number) =>
  page
    .getByRole("toolbar", { name: "Steps" })
    .getByRole("button")
    .nth(number - 1)
    .click()
const liveText = () => page.locator("#live-pane .lines").innerText()

/** The rows of the open view with their signs: "+data:". */
const rows = () =>
  page.locator(".step-lines tr[aria-rowindex]").evaluateAll(all =>
    all.map(row => {
      const text = row.querySelector("code")?.textContent ?? row.querySelector(".line")?.textContent ?? ""
      return `${row.querySelector(".sign")?.textContent ?? " "}${text}`
    }),
  )

const story = `title: A map
steps:
- manager: one
  apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: red, b: big}}
- manager: two
  apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: blue, b: big}}
  force: true
- manager: one
  apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: green}}
  expect: {conflicts: [{field: .data.a, with: two}]}
- delete: ConfigMap/web
`

describe("a step", () => {
  it("shows the object before and after it, and the lines that differ", async () => {
    await open({ fragment: linkTo(story) })
    await tab("This step")
    await step(1)
    await tab("Diff")
    await expect.poll(rows).toContain("+  a: red")
    expect((await rows()).every(text => text.startsWith("+"))).toBe(true)
    await tab("Before")
    await page.getByText("The object did not exist.").waitFor()

    await step(2)
    await tab("Diff")
    await expect
      .poll(rows)
      .toEqual([
        " ⋯ 7 lines",
        expect.stringContaining("resourceVersion"),
        " data:",
        "−  a: red",
        "+  a: blue",
        "~  b: big",
      ])
    expect(await page.locator(".step-lines tr.owners .gutter-name").innerText()).toBe("+two")
    await tab("Before")
    await expect.poll(rows).toContain("−  a: red")
    await tab("After")
    await expect.poll(rows).toContain("+  a: blue")
    expect(await axeFindings(page)).toEqual([])

    await step(3)
    await tab("Diff")
    await page.getByText("Nothing changed: the object is the same").waitFor()
    await tab("After")
    expect(await page.locator(".step-lines tr.contested").innerText()).toContain("a: blue")

    await page.getByRole("button", { name: "Step", exact: true }).click()
    await tab("Diff")
    await expect.poll(rows).toContain("−  a: blue")
    await tab("After")
    await page.getByText("The object no longer exists.").waitFor()
  })

  it("shows the same for the draft, and fits a phone", async () => {
    await open({ width: 360, height: 740, dark: true })
    await page.getByRole("button", { name: /Take it by force/ }).click()
    await tab("Diff")
    await expect.poll(rows).toContain("+  replicas: 3")
    const beyond = await page
      .locator(".insight, .insight *")
      .evaluateAll(parts => parts.filter(part => part.getBoundingClientRect().right > innerWidth).length)
    expect(beyond).toBe(0)
    expect(await axeFindings(page)).toEqual([])
  })
})

const incomplete = `title: Incomplete
steps:
- manager: web-team
  apply:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      replicas: 3
      template: {spec: {containers: [{name: web, image: "web:1"}]}}
`

describe("the server", () => {
  const server = () => page.getByLabel(/^Server/)

  it("refuses an incomplete object like a cluster, with each cause and its line, and accepts it for the merge only", async () => {
    await open({ fragment: linkTo(incomplete) })
    await tab("This step")
    await page.getByText("web-team was refused").waitFor()
    const causes = page.locator(".causes li")
    expect(await causes.allInnerTexts()).toEqual([
      expect.stringMatching(/spec\.selector\s+Required value/),
      expect.stringMatching(/spec\.template\.metadata\.labels\s+Invalid value/),
    ])
    const isWhole = ({ scrollWidth, clientWidth }: Element) => scrollWidth <= clientWidth
    expect(await page.locator(".step-manager").evaluate(isWhole)).toBe(true)
    expect(await axeFindings(page)).toEqual([])
    await tab("Next")
    await causes.first().getByRole("button", { name: "line 4" }).waitFor()

    await server().selectOption("merge only")
    await expect.poll(liveText).toContain("replicas: 3")
    expect(await liveText()).not.toMatch(/progressDeadlineSeconds|uid|creationTimestamp/)
    expect(await page.locator(".causes").count()).toBe(0)

    await page.getByRole("button", { name: "Undo" }).click()
    await page.getByText("There is no object yet").waitFor()
    await page.getByRole("button", { name: "Redo" }).click()
    await expect.poll(liveText).toContain("replicas: 3")
    await page.getByRole("button", { name: "Share" }).click()
    await page.getByRole("button", { name: "Copy link" }).click()
    await page.getByText("Copied a link").waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    await page.context().close()

    await open({ fragment: link.slice(link.indexOf("#")) })
    expect(await server().inputValue()).toBe("merge")
    await expect.poll(liveText).toContain("replicas: 3")
  })

  it("adds defaults like a cluster only", async () => {
    await open()
    await expect.poll(liveText).toContain("progressDeadlineSeconds: 600")
    await server().selectOption("merge only")
    await expect.poll(liveText).not.toContain("progressDeadlineSeconds")
    await page.getByText("web-team would have 1 conflict").waitFor()
    await server().selectOption("like a cluster")
    await expect.poll(liveText).toContain("progressDeadlineSeconds: 600")
  })

  it("shows warnings", async () => {
    const old = `title: Old
steps:
- manager: me
  create: {apiVersion: v1, kind: Endpoints, metadata: {name: web}}
`
    await open({ fragment: linkTo(old) })
    await tab("This step")
    expect(await page.locator(".warnings").innerText()).toContain("v1 Endpoints is deprecated")
  })
})
