/** The facts about fields: in the editor, next to completions, and in the live object. */
import { describe, expect, it } from "vitest"
import { crdOf } from "../definitions.js"
import { axeFindings } from "./axe.js"
import { open, page, useBrowser } from "./pages.js"

useBrowser()

const tip = () => page.getByRole("tooltip")
const keyOf = (line: string) => page.locator(".cm-line", { hasText: line }).first().locator(".yaml-key")
const row = (text: string) => page.locator(".lines tr", { hasText: text }).first()

/** Whether the tooltip is inside the window. */
async function isWhole(): Promise<boolean> {
  const { x = -1, y = -1, width = 0, height = 0 } = (await tip().boundingBox()) ?? {}
  const { width: most = 0, height: least = 0 } = page.viewportSize() ?? {}
  return x >= 0 && y >= 0 && x + width <= most && y + height <= least
}

describe("a field in the editor", () => {
  it("has a tooltip under the pointer, which stays while the pointer is on it and goes with Escape", async () => {
    await open()
    await keyOf("replicas").hover()
    await tip().getByText("autoscaler (Update, scale)").waitFor()
    await tip().hover()
    await page.waitForTimeout(500)
    expect(await tip().innerText()).toContain(".spec.replicas number")
    // The editor does not have the focus.
    await page.keyboard.press("Escape")
    await tip().waitFor({ state: "detached" })
  })

  it("has a tooltip on Ctrl+I, which screen readers are told", async () => {
    await open()
    await keyOf("selector").click()
    // A pointer on the key would bring the tooltip back.
    await page.mouse.move(0, 0)
    await page.keyboard.press("End")
    await page.keyboard.press("Control+I")
    await tip().getByText("refused after creation: field is immutable").waitFor()
    const content = page.locator(".cm-content")
    expect(await content.getAttribute("aria-describedby")).toBe(await tip().getAttribute("id"))
    expect(await page.locator(".cm-announced").innerText()).toContain("It has owners only as a whole")
    await page.keyboard.press("Escape")
    await tip().waitFor({ state: "detached" })
    expect(await content.getAttribute("aria-describedby")).toBeNull()
    expect(await content.evaluate(element => element.contains(document.activeElement))).toBe(true)
    await page.keyboard.press("Control+I")
    await tip().waitFor()
    await page.keyboard.type(" ")
    await tip().waitFor({ state: "detached" })
  })

  it("has the same facts next to its completion", async () => {
    await open()
    await page.locator(".cm-line", { hasText: "image:" }).click()
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await page.keyboard.type("imageP")
    const info = page.locator(".cm-completionInfo")
    await info.getByText('"Always", "IfNotPresent", "Never"').waitFor()
    expect(await info.innerText()).toContain('.spec.template.spec.containers[name="web"].imagePullPolicy')
  })

  it("has the description of its definition, as text", async () => {
    await open()
    await page.getByRole("button", { name: /^Types/ }).click()
    await page.getByRole("dialog").getByRole("textbox").fill(crd)
    await page.getByRole("button", { name: "Use these types" }).click()
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+A")
    await page.keyboard.insertText("apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: a}\nspec:\n  color: red")
    await page.keyboard.press("Control+I")
    await tip().getByText("<img src=x onerror=alert(1)> shines").waitFor()
    expect(await page.locator("img").count()).toBe(0)
  })
})

const crd = crdOf(
  "Lamp",
  "spec: {type: object, properties: {color: {type: string, description: <img src=x onerror=alert(1)> shines}}}",
)

describe("a line of the live object", () => {
  it("has a tooltip by click and by keyboard", async () => {
    await open()
    await row("replicas:").click()
    await tip().getByText("autoscaler (Update, scale)").waitFor()
    await page.keyboard.press("Escape")
    await tip().waitFor({ state: "hidden" })
    await page.keyboard.press("ArrowUp")
    await tip().getByText(".spec.strategy.rollingUpdate.maxUnavailable").waitFor()
    await page.keyboard.press("Escape")
    await tip().waitFor({ state: "hidden" })
    await page.keyboard.press("Enter")
    await tip().getByText(".spec.strategy.rollingUpdate.maxUnavailable").waitFor()
    await page.keyboard.press("ArrowDown")
    await tip().getByText("autoscaler (Update, scale)").waitFor()
    expect(await row("replicas:").getAttribute("aria-describedby")).toBe(await tip().getAttribute("id"))
  })

  it("has a tooltip under the pointer, which stays while the pointer is on it, and goes with the pointer or Escape", async () => {
    await open()
    await row("replicas:").locator("code").hover()
    await tip().getByText("autoscaler (Update, scale)").waitFor()
    await tip().hover()
    await page.waitForTimeout(500)
    expect(await tip().innerText()).toContain(".spec.replicas number")
    await row("- name: web").locator("code").hover()
    await tip().getByText('.spec.template.spec.containers[name="web"].name').waitFor()
    await page.locator("h1").hover()
    await tip().waitFor({ state: "hidden" })
    await row("strategy:").locator("code").hover()
    await tip().getByText(".spec.strategy granular struct").waitFor()
    await page.keyboard.press("Escape")
    await tip().waitFor({ state: "hidden" })
  })

  it("leaves an open menu alone", async () => {
    await open()
    await page.getByRole("button", { name: "Share" }).click()
    await row("replicas:").locator("code").hover()
    await page.locator("tr.linked").waitFor()
    await page.waitForTimeout(500)
    expect(await page.getByRole("button", { name: "Copy link" }).isVisible()).toBe(true)
  })
})

describe.each([true, false])("with the dark theme: %s", dark => {
  it("is whole at 360 px, and axe finds nothing serious", async () => {
    await open({ width: 360, height: 640, dark })
    await page.locator(".cm-line", { hasText: "image:" }).click()
    await page.keyboard.press("Control+I")
    await tip().waitFor()
    expect(await isWhole()).toBe(true)
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press("Escape")
    await row("imagePullPolicy").click()
    await tip().waitFor()
    expect(await isWhole()).toBe(true)
    expect(await axeFindings(page)).toEqual([])
  })
})
