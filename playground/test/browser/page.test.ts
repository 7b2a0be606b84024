/** The page in a real Chromium, as built. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { deflateRawSync } from "node:zlib"
import type { Route } from "playwright-core"
import { describe, expect, it } from "vitest"
import { crdOf } from "../definitions.js"
import { axeFindings } from "./axe.js"
import { browser, isLoaded, newPage, open, page, useBrowser } from "./pages.js"

useBrowser()

/** Chooses an entry of the menu Share. */
async function share(entry: string): Promise<void> {
  await page.getByRole("button", { name: "Share" }).click()
  await page.getByRole("button", { name: entry }).click()
}

const story = (name: string) => page.getByLabel("Story").selectOption(name)
const said = () => page.getByRole("status").textContent()
const editor = () => page.locator(".cm-content")
const editorText = () => page.evaluate(() => (document.querySelector(".cm-content") as HTMLElement).innerText)
const liveText = () => page.locator(".lines").innerText()

/** Replaces what the open editor has, as a person does. */
async function write(text: string): Promise<void> {
  await editor().click()
  await page.keyboard.press("Control+A")
  await page.keyboard.press("Delete")
  await page.keyboard.insertText(text)
  await page.waitForTimeout(350)
}

const rest = `  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
`
const config = (replicas: number) =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: ${replicas} # so many\n${rest}`

describe("a story that is typed", () => {
  it("goes from the first apply to a conflict, and out of it by a button", async () => {
    await open()
    await story("new")
    await page.getByText("There is no object yet").waitFor()
    await write(config(3))
    await page.getByRole("button", { name: "Apply", exact: true }).click()
    await expect.poll(liveText).toContain("replicas: 3")
    expect(await said()).toContain("web-team created the object")

    await page.getByRole("button", { name: "Add manager" }).click()
    await page.getByLabel("Name").fill("autoscaler")
    await page.keyboard.press("Enter")
    await page.getByLabel("How autoscaler writes").selectOption("patch")
    await write("spec:\n  replicas: 7\n")
    await page.getByRole("button", { name: "Patch", exact: true }).click()
    await expect.poll(liveText).toContain("replicas: 7")

    await page.getByRole("tab", { name: /web-team/ }).click()
    await page.getByRole("tab", { name: /Next/ }).click()
    await page.getByText("web-team would have 1 conflict").waitFor()
    await page.getByRole("button", { name: /Agree on 7/ }).click()
    await expect.poll(editorText).toContain("replicas: 7 # so many")
    await page.getByText("No conflicts: web-team would").waitFor()
    await page.getByRole("button", { name: "Apply", exact: true }).click()
    await page.getByText("3 of 3 steps").waitFor()

    await page.getByRole("tab", { name: "All owners" }).click()
    const row = page.getByRole("row").filter({ hasText: ".spec.replicas" })
    expect(await row.getByText("owns it").count()).toBe(2)
  })

  it("is undone, played again and forked", async () => {
    await open()
    await page.getByText("5 of 6 steps").waitFor()
    await page.getByRole("button", { name: "Step back" }).click()
    await page.getByRole("button", { name: "Step back" }).click()
    await page.getByText("3 of 6 steps").waitFor()
    expect(await liveText()).toContain("replicas: 3")
    await page.getByRole("button", { name: "New branch" }).click()
    await page.getByText("3 of 3 steps").waitFor()
    await page.getByRole("combobox", { name: /^Branch/ }).selectOption({ label: "main" })
    await page.getByText("3 of 6 steps").waitFor()
    await page.getByRole("button", { name: "Play" }).click()
    await page.getByText("6 of 6 steps").waitFor()
    expect(await liveText()).toContain("replicas: 7")
    expect(await page.getByText("not as expected").count()).toBe(0)
  })

  it("resolves a conflict by force", async () => {
    await open()
    await page.getByRole("tab", { name: /Next/ }).click()
    await page.getByRole("button", { name: /Take it by force/ }).click()
    await expect.poll(() => page.getByRole("checkbox", { name: "force" }).isChecked()).toBe(true)
    await page.getByRole("button", { name: "Apply", exact: true }).click()
    await expect.poll(liveText).toContain("replicas: 3")
    await page.getByText("loses all of its fields").waitFor()
  })
})

describe("the editor", () => {
  it("marks problems at their places, and completes fields with their types", async () => {
    await open()
    await story("new")
    await write("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicsa: 3\n")
    await page.locator(".cm-lintRange-error").waitFor()
    expect(await page.locator(".cm-lintRange-error").innerText()).toBe("replicsa")
    await page.keyboard.type("  progr")
    await page.getByRole("option", { name: /progressDeadlineSeconds\s*number/ }).waitFor()
    await page.keyboard.press("Control+Space")
    await page.waitForTimeout(150)
    await page.keyboard.press("Enter")
    await expect.poll(editorText).toContain("  progressDeadlineSeconds: ")
  })

  it("indents new lines, and comments lines out", async () => {
    await open()
    await story("new")
    await editor().click()
    await page.keyboard.type("kind: ConfigMap\napiVersion: v1\nmetadata:\nname: a")
    await expect.poll(editorText).toContain("metadata:\n  name: a")
    await page.keyboard.press("Control+/")
    await expect.poll(editorText).toContain("# name: a")
  })

  it("keeps what is typed while the page takes over the text before it", async () => {
    await open()
    await story("new")
    await editor().click()
    await page.keyboard.type("# abcdefghijkl", { delay: 205 })
    await page.waitForTimeout(350)
    expect(await editorText()).toContain("# abcdefghijkl")
  })

  it("does not hold the Tab key", async () => {
    await open()
    await editor().click()
    await page.keyboard.press("Tab")
    expect(await page.evaluate(() => document.activeElement?.closest(".editor"))).toBeNull()
  })

  it("treats markup in documents as text", async () => {
    await open()
    await story("new")
    const evil = "<img src=x onerror=alert(1)>"
    const storage = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: a}\nprovisioner: a\n"
    await write(`${storage}parameters:\n  "${evil}": "${evil}"\n`)
    await page.getByRole("button", { name: "Apply", exact: true }).click()
    await expect.poll(liveText).toContain(evil)
    expect(await page.locator("img").count()).toBe(0)
  })
})

describe("undo", () => {
  const undo = () => page.getByRole("button", { name: "Undo" }).click()
  const managers = () => page.getByRole("tablist", { name: "Managers" }).getByRole("tab").allInnerTexts()

  it("brings back texts, removed managers, later steps and the story before", async () => {
    await open()
    const before = { tabs: await managers(), text: await editorText() }
    await page.getByRole("button", { name: "Step back" }).click()
    await write(config(9))
    await page.getByRole("button", { name: "Apply", exact: true }).click()
    await page.getByText("5 of 5 steps").waitFor()
    await page.getByRole("button", { name: "Remove" }).click()
    await page.getByLabel("Story").selectOption("new")
    await expect.poll(managers).toHaveLength(1)

    await undo()
    await expect.poll(managers).toHaveLength(before.tabs.length - 1)
    expect(await said()).toContain("Undid the change from An autoscaler and GitOps to New story")
    await undo()
    expect(await managers()).toEqual(before.tabs)
    await undo()
    await page.getByText("4 of 6 steps").waitFor()
    await undo()
    await expect.poll(editorText).toBe(before.text)
    await page.getByRole("button", { name: "Redo" }).click()
    await expect.poll(editorText).toContain("replicas: 9")
  })

  it("is the browser's Back too, for stories", async () => {
    await open()
    await write(config(9))
    await page.getByLabel("Story").selectOption("new")
    await page.getByText("There is no object yet").waitFor()
    await expect.poll(() => page.evaluate(() => history.length)).toBe(3)
    await page.goBack()
    await expect.poll(editorText).toContain("replicas: 9")
    await expect.poll(liveText).toContain("replicas: 7")
    await page.goForward()
    await page.getByText("There is no object yet").waitFor()
  })
})

describe("a part that can't be loaded", () => {
  it.each([
    ["engine", "The engine"],
    ["code-mirror", "The editor with completions"],
  ])("is reported and loaded again: %s", async (file, name) => {
    await newPage()
    await page.route(new RegExp(`/assets/${file}-`), route => route.abort())
    await page.goto(browser.url)
    await page.getByText(`${name} could not be loaded`).waitFor()
    await page.unrouteAll()
    await page.getByRole("button", { name: "Retry" }).click()
    await page.waitForSelector(".cm-editor")
    await expect.poll(liveText).toContain("replicas: 7")
    await page.getByText("could not be loaded").waitFor({ state: "detached" })
    browser.errors.length = 0
  })

  it("is reported for a story, which is loaded on demand", async () => {
    await open()
    await page.route(/story-/, route => route.abort())
    await story("switched-volume")
    await page.getByText("The story could not be loaded").waitFor()
    expect(await liveText()).toContain("replicas: 7")
    await page.unrouteAll()
    await page.getByRole("button", { name: "Retry" }).click()
    await page.getByText("Another type of volume").first().waitFor()
    browser.errors.length = 0
  })
})

describe("before the engine and the editor are loaded", () => {
  /** Opens the page. The returned function lets it load the rest. */
  async function openEarly(): Promise<() => Promise<void>> {
    await newPage()
    const held: Route[] = []
    let isHeld = true
    await page.route(/\/assets\/(engine|code-mirror)-/, route => (isHeld ? void held.push(route) : route.continue()))
    await page.goto(browser.url)
    await page.getByText("web-team would have 1 conflict").waitFor()
    return async () => {
      isHeld = false
      await Promise.all(held.map(route => route.continue()))
      await isLoaded()
    }
  }
  const isForced = () => page.getByRole("checkbox", { name: "force" }).isChecked()

  it("the first conflict can be resolved", async () => {
    const load = await openEarly()
    await page.getByRole("button", { name: /Agree on 7/ }).click()
    expect(await said()).toBe("Waiting for the engine …")
    await load()
    await expect.poll(editorText).toContain("replicas: 7")
    await page.getByText("No conflicts: web-team would").waitFor()
  })

  it("force can be set, and the draft applied", async () => {
    const load = await openEarly()
    await page.getByRole("button", { name: /Take it by force/ }).click()
    await expect.poll(isForced).toBe(true)
    await page.getByRole("button", { name: "Apply", exact: true }).click()
    await load()
    await page.getByText("6 of 6 steps").waitFor()
    await expect.poll(liveText).toContain("replicas: 3")
  })

  it("the draft that is applied is the one whose tab was open", async () => {
    const load = await openEarly()
    await page.getByRole("button", { name: /Take it by force/ }).click()
    await page.getByRole("button", { name: "Apply", exact: true }).click()
    await page.getByRole("tab", { name: /^ci/ }).click()
    await load()
    await page.getByText("6 of 6 steps").waitFor()
    await expect.poll(liveText).toContain("replicas: 3")
    expect(await said()).toContain("web-team changed the object")
  })

  it("the card keeps the focus when they are", async () => {
    const load = await openEarly()
    const button = page.getByRole("button", { name: /Take it by force/ })
    await button.focus()
    await load()
    await page.locator(".lines tr").first().waitFor()
    expect(await button.evaluate(element => element === document.activeElement)).toBe(true)
  })

  it("text can be typed, which the editor takes over with the focus", async () => {
    const load = await openEarly()
    await page.locator(".plain-editor").focus()
    await page.keyboard.press("Control+Home")
    await page.keyboard.type("# mine")
    await load()
    await page.keyboard.type(" and yours\n")
    await expect.poll(editorText).toMatch(/^# mine and yours\n\S/)
  })
})

describe("a field in conflict", () => {
  it("is marked in the editor, the live object and the card, and visible at 1280 x 720", async () => {
    await open({ width: 1280, height: 720 })
    const places = [page.locator(".cm-contested"), page.locator("tr.contested"), page.locator(".conflict-card")]
    for (const place of places) {
      await place.waitFor()
      const box = await place.boundingBox()
      expect((box?.y ?? 0) + Math.min(box?.height ?? 0, 60)).toBeLessThan(720)
    }
    expect(await page.locator(".cm-contested").innerText()).toContain("replicas: 3")
    const visible = await page.locator("tr.contested").evaluate(row => {
      const list = row.closest(".scroll")?.getBoundingClientRect()
      const { top, bottom } = row.getBoundingClientRect()
      return list !== undefined && top >= list.top && bottom <= list.bottom
    })
    expect(visible).toBe(true)
    await page.locator("tr.contested").hover()
    await page.locator(".cm-linked").waitFor()
    await page.locator(".conflict-card.linked").waitFor()
    await page.locator(".conflict-card").hover()
    await page.locator("tr.linked").waitFor()
    await page.getByRole("button", { name: /Leave it to/ }).click()
    await page.getByText("No conflicts: web-team would change the object").waitFor()
    expect(await page.locator(".contested, .cm-contested").count()).toBe(0)
  })
})

describe("this step", () => {
  it("shows values as YAML on lines of their own", async () => {
    await open()
    await page.getByRole("toolbar", { name: "Steps" }).getByRole("button").last().click()
    await page.getByText('{name: OLD, value: "1"}').waitFor()
    const overlaps = await page.locator(".changes li").evaluateAll(
      items =>
        items.filter(item => {
          const [path, values] = [item.querySelector(".path-text"), item.querySelector(".change-values")]
          return (path?.getBoundingClientRect().bottom ?? 0) > (values?.getBoundingClientRect().top ?? 0) + 1
        }).length,
    )
    expect(overlaps).toBe(0)
  })
})

describe("managers", () => {
  it("keep their looks when another one is removed", async () => {
    await open()
    const looks = () =>
      page
        .getByRole("tablist", { name: "Managers" })
        .getByRole("tab")
        .evaluateAll(tabs =>
          Object.fromEntries(tabs.map(tab => [tab.children[1]?.textContent, tab.firstElementChild?.className])),
        )
    const { "web-team": removed, ...others } = await looks()
    expect(removed).toBe("swatch look-0")
    await page.getByRole("button", { name: "Remove" }).click()
    await expect.poll(looks).toEqual(others)
  })
})

describe.each([360, 1280, 1600])("at %i px", width => {
  it("no card is clipped", async () => {
    await open({ width, height: 900 })
    for (const id of ["switched-volume", "autoscaled-replicas"]) {
      await story(id)
      await page.locator(".conflict-card").first().waitFor()
      const clipped = await page
        .locator(".conflict-card, .conflict-card *")
        .evaluateAll(parts =>
          parts
            .filter(
              part =>
                !part.classList.contains("hidden") && part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0,
            )
            .map(part => part.outerHTML.slice(0, 100)),
        )
      expect(clipped).toEqual([])
      const beyond = await page.locator(".conflict-card *").evaluateAll(parts => {
        const right = parts[0]?.closest(".insight")?.getBoundingClientRect().right ?? 0
        return parts.filter(part => part.getBoundingClientRect().right > right).length
      })
      expect(beyond).toBe(0)
    }
  })
})

describe("every story", () => {
  it("plays as expected", async () => {
    await open()
    const select = page.getByLabel("Story")
    const stories = await select
      .locator("option")
      .evaluateAll(options => options.map(option => ({ id: option.getAttribute("value"), title: option.textContent })))
    expect(stories.length).toBeGreaterThan(10)
    for (const { id, title } of stories.filter(({ id }) => id !== "new")) {
      await select.selectOption(id)
      await expect.poll(said).toContain(`Opened ${title}, `)
      await page.getByRole("button", { name: "To start" }).click()
      const steps = page.getByRole("toolbar", { name: "Steps" }).getByRole("button")
      await steps.last().click()
      await page.getByRole("heading", { name: /^Step \d+: / }).waitFor()
      expect(await page.getByText("not as expected").count(), id ?? "").toBe(0)
      expect(await page.getByText("can't be").count(), id ?? "").toBe(0)
    }
  })
})

describe("a link", () => {
  it("restores everything", async () => {
    await open()
    await page.getByRole("button", { name: "Step back" }).click()
    await page.getByLabel("Unions").selectOption("extended")
    await page.getByRole("tab", { name: /^ci/ }).click()
    await share("Copy link")
    await expect.poll(said).toContain("Copied a link")
    const url = await page.evaluate(() => navigator.clipboard.readText())
    const before = { live: await liveText(), text: await editorText() }
    await page.context().close()
    await open({ fragment: new URL(url).hash })
    await page.getByText("4 of 6 steps").waitFor()
    expect({ live: await liveText(), text: await editorText() }).toEqual(before)
    expect(await page.getByLabel("Unions").inputValue()).toBe("extended")
  })

  it("of smd simulate opens a story file", async () => {
    const file = fileURLToPath(new URL("../../../examples/stories/switched-volume/story.yaml", import.meta.url))
    await open({ fragment: `#story=${deflateRawSync(readFileSync(file)).toString("base64url")}` })
    await page.getByText("Another type of volume").first().waitFor()
    await page.locator(".conflict-card").first().waitFor()
  })

  it("to a story file shows that it is opened, and offers Retry if the engine can't be loaded", async () => {
    const file = fileURLToPath(new URL("../../../examples/stories/switched-volume/story.yaml", import.meta.url))
    await newPage()
    const held: Route[] = []
    await page.route(/\/assets\/engine-/, route => void held.push(route))
    await page.goto(`${browser.url}#story=${deflateRawSync(readFileSync(file)).toString("base64url")}`)
    await page.getByText("Opening the story …").waitFor()
    expect(await page.getByRole("heading").allInnerTexts()).toEqual(["Field manager playground"])
    expect(await axeFindings(page)).toEqual([])
    await expect.poll(() => held.length).toBeGreaterThan(0)
    await Promise.all(held.map(route => route.abort()))
    await page.getByText("The engine could not be loaded").waitFor()
    await page.unrouteAll()
    await page.getByRole("button", { name: "Retry" }).click()
    await isLoaded()
    await page.getByText("Another type of volume").first().waitFor()
    await page.locator(".conflict-card").first().waitFor()
    browser.errors.length = 0
  })

  it("that is cut off shows a message and the first story", async () => {
    await open({ fragment: "#s=N4IgDg" })
    expect(await said()).toContain("can't be read")
    expect(await liveText()).toContain("replicas: 7")
  })
})

const crd = crdOf("Lamp", "spec: {type: object, properties: {color: {type: string, description: What it shines in.}}}")

describe("ways in and out", () => {
  it("makes tabs of the managers of a live object", async () => {
    await open()
    await page.getByRole("button", { name: "Import" }).click()
    const live = fileURLToPath(new URL("../../../examples/stories/shared-environment/live.yaml", import.meta.url))
    await page.getByLabel("An object with its managedFields").fill(readFileSync(live, "utf8"))
    await page.getByRole("button", { name: "Import" }).last().click()
    await page.getByText("0 of 0 steps").waitFor()
    expect(await page.getByRole("tablist", { name: "Managers" }).getByRole("tab").count()).toBeGreaterThan(1)
    await expect.poll(editorText).toContain("kind: Deployment")
  })

  it("reports problems of an import, and keeps the text", async () => {
    await open()
    await page.getByRole("button", { name: "Import" }).click()
    await page.getByLabel("An object with its managedFields").fill("kind: Pod\napiVersion: v1\n")
    await page.getByRole("button", { name: "Import" }).last().click()
    await page.getByText(/fetch it with/).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  })

  it("accepts pasted types, and writes them to the story file", async () => {
    await open()
    await story("new")
    await page.getByRole("button", { name: /^Types/ }).click()
    await page.getByLabel("CustomResourceDefinitions").fill(crd)
    await page.getByRole("button", { name: "Use these types" }).click()
    await page.getByRole("button", { name: /Lamp, and built-in kinds/ }).waitFor()
    await write("apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: a}\nspec:\n  ")
    await page.keyboard.press("Control+Space")
    await page.getByRole("option", { name: /color/ }).waitFor()
    await page.getByText("What it shines in.").waitFor()
    await page.keyboard.press("Escape")
    await page.keyboard.type("color: red")
    await page.keyboard.press("Control+Enter")
    await expect.poll(liveText).toContain("color: red")
    const [download] = await Promise.all([page.waitForEvent("download"), share("Download")])
    const text = readFileSync(await download.path(), "utf8")
    expect(download.suggestedFilename()).toBe("new-story.yaml")
    expect(text).toContain("kind: CustomResourceDefinition")
    expect(text).toMatch(/steps:\n- manager: web-team\n\s+apply:\n\s+apiVersion: example.com\/v1/)
  })
})

describe("copies", () => {
  const copied = () => page.evaluate(() => navigator.clipboard.readText())

  it.each([
    [
      "Copy as kubectl commands",
      "the story up to step 5 as commands of kubectl",
      "kubectl apply --server-side --field-manager=ci",
    ],
    [
      "Copy as vitest test",
      "the story up to step 5 as a test for vitest",
      '.toConflictWith("autoscaler", ".spec.replicas")',
    ],
    ["Copy as YAML story", "the story as a story file", "onConflict: relinquish"],
  ])("%s", async (entry, what, part) => {
    await open()
    await share(entry)
    await expect.poll(said).toBe(`Copied ${what}.`)
    expect(await copied()).toContain(part)
    expect(await page.getByRole("button", { name: entry }).isVisible()).toBe(false)
  })

  it("are shown if the browser does not allow copying", async () => {
    await open()
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException("", "NotAllowedError"))
    })
    await share("Copy as kubectl commands")
    const text = page.getByLabel("Copy this text by hand")
    expect(await text.inputValue()).toContain("kubectl apply")
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toContain("kubectl apply")
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  })
})

describe("without a mouse", () => {
  it("goes through a conflict from the first Tab to the last step", async () => {
    await open()
    await page.getByRole("tab", { name: /web-team/ }).focus()
    await page.keyboard.press("ArrowRight")
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("ci")
    await page.keyboard.press("Home")
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("web-team")
    await page.getByRole("tab", { name: /Next/ }).focus()
    await page.keyboard.press("ArrowRight")
    await page.getByRole("heading", { name: /Step 5: web-team had conflicts/ }).waitFor()
    await page.keyboard.press("ArrowLeft")
    // From the tab to the first way out: a link to the line comes before it.
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Leave it to autoscaler")
    await page.keyboard.press("Enter")
    await expect.poll(editorText).not.toContain("replicas")
    await editor().focus()
    await page.keyboard.press("Control+Enter")
    await page.getByText("6 of 6 steps").waitFor()
    await page.getByRole("toolbar", { name: "Steps" }).locator("[aria-current]").focus()
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("Enter")
    await page.getByText("5 of 6 steps").waitFor()
  })
})

describe.each([1600, 360])("axe at %i px", width => {
  it("finds nothing serious on any panel, in light and dark mode", async () => {
    await open({ width })
    const found: string[] = []
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      for (const tab of ["Next", "This step", "All owners"]) {
        await page.getByRole("tab", { name: tab }).click()
        found.push(...(await axeFindings(page)))
      }
      await page.getByRole("button", { name: "Import" }).click()
      found.push(...(await axeFindings(page)))
      await page.keyboard.press("Escape")
    }
    expect(found).toEqual([])
  })
})

describe.each([1280, 1440, 1520])("%i px", width => {
  it("has the header in one row", async () => {
    await open({ width, height: 720 })
    const parts = await page.locator(".top > :not([popover])").evaluateAll(all =>
      all.map(part => {
        const { top, bottom } = part.getBoundingClientRect()
        return (top + bottom) / 2
      }),
    )
    expect(Math.max(...parts) - Math.min(...parts)).toBeLessThan(4)
  })
})

describe("360 px", () => {
  it("is wide enough: nothing overflows the page", async () => {
    await open({ width: 360, height: 780 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })

  it("shows the verdict first", async () => {
    await open({ width: 360, height: 780 })
    const verdict = page.getByText("web-team would have 1 conflict")
    await verdict.waitFor()
    expect((await verdict.boundingBox())?.y).toBeLessThan(400)
  })
})

describe("the offline file", () => {
  it("plays a story without a server", async () => {
    await newPage()
    await page.goto(new URL("../../dist/offline.html", import.meta.url).href)
    await page.waitForSelector(".cm-editor")
    await expect.poll(liveText).toContain("replicas: 7")
    await page.getByText("web-team would have").waitFor()
  })
})
