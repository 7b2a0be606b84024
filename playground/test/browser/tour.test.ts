/** The tour, the explanations of terms, and the separators between panes. */
import type { Locator } from "playwright-core"
import { describe, expect, it } from "vitest"
import { axeFindings } from "./axe.js"
import { browser, newPage, open, page, useBrowser } from "./pages.js"

useBrowser()

const hint = () => page.getByRole("dialog")
const button = (name: string) => page.getByRole("button", { name, exact: true })
const focused = () => page.evaluate(() => document.activeElement?.textContent)

/** Returns the rectangle of an element. */
async function boxOf(place: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await place.boundingBox()
  if (box === null) throw new Error("the element is not visible")
  return box
}

describe("the tour", () => {
  it("is shown on the first visit only, and again on request", async () => {
    await open({ isFirstVisit: true })
    await hint().getByText("1 of 5").waitFor()
    await page.reload()
    await page.waitForSelector(".lines")
    expect(await hint().count()).toBe(0)
    await button("Tour").click()
    await hint().getByText("1 of 5").waitFor()
  })

  it("moves the focus to the hint, goes through all of them, and gives the focus back", async () => {
    await open({ isFirstVisit: true })
    expect(await focused()).toContain("Managers")
    await page.keyboard.press("Escape")
    expect(await hint().count()).toBe(0)
    expect(await focused()).toBe("Tour")
    await page.keyboard.press("Enter")
    for (const title of ["Live object", "Conflict", "Time line", "Share it"]) {
      await button("Next").press("Enter")
      await hint().getByRole("heading", { name: title }).waitFor()
      expect(await focused()).toMatch(/Next|Done/)
    }
    await button("Back").press("Enter")
    await hint().getByRole("heading", { name: "Time line" }).waitFor()
    await button("Next").click()
    await button("Done").press("Enter")
    expect(await focused()).toBe("Tour")
  })

  it("leaves the rest of the page usable, and the focus where the user put it", async () => {
    await open({ isFirstVisit: true })
    await page.locator(".cm-content").click()
    await page.keyboard.insertText("# ")
    await button("Step back").click()
    await page.getByText("4 of 6 steps").waitFor()
    await page.locator(".cm-content").click()
    await button("Skip").waitFor()
    await page.keyboard.press("Escape")
    expect(await hint().count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.className)).toContain("cm-content")
  })

  it("does not cover a story that somebody shared, and starts from its button there", async () => {
    await open()
    await button("Step back").click()
    await expect.poll(() => page.evaluate(() => location.hash)).toContain("#d=")
    const fragment = new URL(page.url()).hash
    await page.context().close()
    await open({ isFirstVisit: true, width: 360, height: 740, fragment })
    await page.getByText("4 of 6 steps").waitFor()
    expect(await hint().count()).toBe(0)
    await button("Tour").click()
    for (let at = 1; at <= 5; at++) {
      await hint().getByText(`${at} of 5`).waitFor()
      await button(at === 5 ? "Done" : "Next").click()
    }
    await page.getByText("4 of 6 steps").waitFor()
  })

  it("is left out if the browser can't remember it", async () => {
    await newPage({ isFirstVisit: true })
    await page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", {
        get: () => {
          throw new DOMException("blocked", "SecurityError")
        },
      })
    })
    await page.goto(browser.url)
    await page.waitForSelector(".lines")
    expect(await hint().count()).toBe(0)
    await button("Theme").click()
    await button("Tour").click()
    await hint().getByText("1 of 5").waitFor()
  })
})

describe.each([360, 900, 1280])("the tour at %i px", width => {
  it("covers no part that it explains, and axe finds nothing serious", async () => {
    await open({ width, height: 720, isFirstVisit: true })
    const parts = {
      Managers: ".managers",
      "Live object": ".live",
      Conflict: ".insight",
      "Time line": ".timeline",
      "Share it": ".top-buttons",
    }
    const found: string[] = await axeFindings(page)
    for (let at = 1; at <= 5; at++) {
      await hint().getByText(`${at} of 5`).waitFor()
      const title = (await hint().getByRole("heading").textContent()) as keyof typeof parts
      const [box, part] = [await boxOf(hint()), await boxOf(page.locator(parts[title]))]
      const isApart =
        box.x + box.width <= part.x ||
        part.x + part.width <= box.x ||
        box.y + box.height <= part.y ||
        part.y + part.height <= box.y
      expect(isApart, title).toBe(true)
      expect([box.x >= 0, box.x + box.width <= width, box.y >= 0, box.y + box.height <= 720], title).not.toContain(
        false,
      )
      expect(part.y, title).toBeLessThan(720)
      expect(part.y + part.height, title).toBeGreaterThan(0)
      await button(at === 5 ? "Done" : "Next").click()
    }
    expect(found).toEqual([])
  })
})

describe.each([360, 1280])("explanations at %i px", width => {
  it("open on a click, lie inside the window, and close with Escape", async () => {
    await open({ width, height: 720 })
    const buttons = page.getByRole("button", { name: /^Explain / })
    expect(await buttons.count()).toBe(5)
    for (const explain of await buttons.all()) {
      await explain.click()
      const box = await boxOf(page.locator(".terms:popover-open"))
      expect([box.x >= 0, box.y >= 0, box.x + box.width <= width, box.y + box.height <= 720]).not.toContain(false)
      await page.keyboard.press("Escape")
      expect(await page.locator(".terms:popover-open").count()).toBe(0)
    }
    await buttons.first().click()
    expect(await axeFindings(page)).toEqual([])
  })
})

describe("the separators between panes", () => {
  const separator = (name: string) => page.getByRole("separator", { name })
  const widthOf = async (name: string) => Math.round((await boxOf(page.locator(name))).width)

  it("move with the arrow keys within bounds, are remembered, and return to where they were", async () => {
    await open({ width: 1280, height: 720 })
    const before = await widthOf(".managers")
    const middle = separator("Width of the managers")
    await middle.press("ArrowRight")
    expect(await middle.getAttribute("aria-valuenow")).toBe("35")
    const wider = await widthOf(".managers")
    expect(wider).toBeGreaterThan(before + 15)
    for (let i = 0; i < 3; i++) await middle.press("Home")
    expect(await middle.getAttribute("aria-valuenow")).toBe(await middle.getAttribute("aria-valuemin"))
    await middle.press("End")
    expect(await middle.getAttribute("aria-valuenow")).toBe(await middle.getAttribute("aria-valuemax"))
    expect(await widthOf(".live")).toBeGreaterThan(200)
    await page.reload()
    await page.waitForSelector(".lines")
    expect(await middle.getAttribute("aria-valuenow")).toBe(await middle.getAttribute("aria-valuemax"))
    await middle.press("Enter")
    expect(await widthOf(".managers")).toBe(before)
  })

  it("follow the pointer, leave the scrolled editor alone, and return on a double click", async () => {
    await open({ width: 1280, height: 720 })
    await page.getByLabel("Story").selectOption("old-client")
    await page.locator(".cm-scroller").evaluate(place => place.scrollTo(0, 60))
    const scrolled = await page.locator(".cm-scroller").evaluate(place => place.scrollTop)
    const right = separator("Width of the live object")
    const { x, y, height } = await boxOf(right)
    const before = await widthOf(".insight")
    await page.mouse.move(x + 4, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x - 96, y + height / 2, { steps: 5 })
    await page.mouse.up()
    await page.mouse.move(x - 200, y)
    expect(await widthOf(".insight")).toBeGreaterThan(before + 90)
    expect(await widthOf(".insight")).toBeLessThan(before + 110)
    expect(await page.locator(".cm-scroller").evaluate(place => place.scrollTop)).toBe(scrolled)
    await right.dblclick()
    expect(await widthOf(".insight")).toBe(before)
  })

  it.each([1280, 1600])("clip nothing at %i px when all the way to one side", async width => {
    await open({ width, height: 720 })
    for (const [name, key] of [
      ["Width of the managers", "Home"],
      ["Width of the managers", "End"],
      ["Width of the live object", "End"],
    ] as const) {
      await separator(name).press(key)
      const clipped = await page
        .locator(".pane-head, .draft-bar, .conflict-card, .insight-panel, .controls")
        .evaluateAll(parts => parts.filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.className))
      expect(clipped, `${name} ${key}`).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  })

  it("give the time line more or less height, in which its steps take several rows", async () => {
    await open({ width: 1280, height: 720 })
    const line = separator("Height of the time line")
    const heightOf = async () => Math.round((await boxOf(page.locator(".timeline"))).height)
    const usual = await heightOf()
    const { x, y, width, height } = await boxOf(line)
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 2, y + height / 2 - 100, { steps: 5 })
    await page.mouse.up()
    expect(await heightOf()).toBeGreaterThan(usual + 90)
    expect(await heightOf()).toBeLessThan(usual + 110)
    await line.press("ArrowUp")
    expect(await heightOf()).toBeGreaterThan(usual + 105)
    await page.reload()
    await page.waitForSelector(".lines")
    expect(await heightOf()).toBeGreaterThan(usual + 105)
    const rows = () =>
      page.locator(".step").evaluateAll(all => new Set(all.map(one => (one as HTMLElement).offsetTop)).size)
    await page.setViewportSize({ width: 820, height: 720 })
    await expect.poll(rows).toBeGreaterThan(1)
    await line.press("End")
    expect(await line.getAttribute("aria-valuenow")).toBe("60")
    expect(await axeFindings(page)).toEqual([])
    await line.press("Home")
    await expect
      .poll(() =>
        page.locator(".step[aria-current]").evaluate(step => {
          const [at, list] = [step.getBoundingClientRect(), step.parentElement?.getBoundingClientRect()]
          return list !== undefined && at.bottom > list.top && at.top < list.bottom
        }),
      )
      .toBe(true)
    expect(await page.locator(".timeline .pane-head").evaluate(head => head.scrollHeight <= head.clientHeight)).toBe(
      true,
    )
    await line.press("Enter")
    await expect.poll(rows).toBe(1)
    await page.setViewportSize({ width: 1280, height: 720 })
    await expect.poll(heightOf).toBe(usual)
  })

  it("divide two columns and their rows in a smaller window, and are gone on a phone", async () => {
    await open({ width: 1000, height: 720 })
    const before = await boxOf(page.locator(".managers"))
    await separator("Height of the managers").press("ArrowDown")
    await separator("Width of the managers").press("ArrowLeft")
    const after = await boxOf(page.locator(".managers"))
    expect([after.height > before.height, after.width < before.width]).toEqual([true, true])
    await page.setViewportSize({ width: 360, height: 720 })
    expect(await page.getByRole("separator").count()).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
})
