/** The element of structured-merge-diff/view in a real Chromium: in a page without a framework, with React and with Vue. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { formatJson, parseYaml } from "structured-merge-diff/io"
import type { ChosenWay, OwnersView, SelectedLine } from "structured-merge-diff/view"
import { afterAll, describe, expect, it } from "vitest"
import { axeFindings } from "./axe.js"
import { browser, newPage, page, useBrowser } from "./pages.js"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const read = (path: string) => readFileSync(join(root, path), "utf8")
const story = "examples/stories/autoscaled-replicas"
const configuration = read(`${story}/config.yaml`)

const imports = `
  import { kubernetesTypes } from "structured-merge-diff/kubernetes"
  import { defineOwnersView } from "structured-merge-diff/view"
`
const guide = /<script type="module">([\s\S]*?)<\/script>/.exec(read("docs/guides/owners-view.md"))?.[1] ?? ""

/** The programs of the pages. Each shows `live` and collects the paths of the lines that are selected. */
const programs: Readonly<Record<string, string>> = {
  guide: `
    const texts = { "/apis/apps/v1/namespaces/default/deployments/shop": JSON.stringify(live), "/shop.yaml": configuration }
    window.fetch = async path => new Response(texts[path])
    ${guide}
  `,
  plain: `${imports}
    Object.assign(window, { types: kubernetesTypes })
    // A page may set properties before the element is defined.
    const view = document.querySelector("smd-owners")
    view.object = live
    view.addEventListener("smd-select", ({ detail }) => selected.push(detail.fields[0]?.path))
    view.addEventListener("smd-way", ({ detail }) => ways.push(detail))
    defineOwnersView()
  `,
  react: `${imports}
    import { createElement, useState } from "react"
    import { createRoot } from "react-dom/client"
    defineOwnersView()
    function App() {
      const [object, setObject] = useState(live)
      window.change = setObject
      const onSelect = ({ detail }) => selected.push(detail.fields[0]?.path)
      return createElement("smd-owners", { object, types: kubernetesTypes, manager: "web-team", "onsmd-select": onSelect })
    }
    createRoot(document.getElementById("app")).render(createElement(App))
  `,
  vue: `${imports}
    import { createApp, h, ref } from "vue"
    defineOwnersView()
    const object = ref(live)
    window.change = value => (object.value = value)
    const onSmdSelect = ({ detail }) => selected.push(detail.fields[0]?.path)
    const App = { render: () => h("smd-owners", { object: object.value, manager: "web-team", onSmdSelect }) }
    createApp(App).mount("#app")
  `,
}

declare global {
  interface Window {
    readonly selected: SelectedLine["fields"][number]["path"][]
    readonly ways: ChosenWay[]
    readonly types: OwnersView["types"]
    readonly change: (object: object) => void
  }
}

const folder = mkdtempSync(join(tmpdir(), "owners-view-"))
useBrowser(async () => {
  const live = formatJson(parseYaml(read(`${story}/live.yaml`)))
  for (const [name, program] of Object.entries(programs)) {
    const head = `<meta charset="utf-8"><title>${name}</title><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">`
    const body = `<main><h1>A page</h1><div id="app">${["plain", "guide"].includes(name) ? "<smd-owners></smd-owners>" : ""}</div></main>`
    const script = `<script type="module" src="${name}.js"></script>`
    const page = `<!doctype html><html lang="en"><head>${head}</head><body>${body}${script}</body></html>`
    writeFileSync(join(folder, `${name}.html`), page)
    const data = `const live = ${live}, configuration = ${JSON.stringify(configuration)}, selected = [], ways = []`
    writeFileSync(join(folder, `${name}.entry.mjs`), `${data}\nObject.assign(window, { selected, ways })\n${program}`)
  }
  await build({
    entryPoints: Object.fromEntries(Object.keys(programs).map(name => [name, join(folder, `${name}.entry.mjs`)])),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    nodePaths: [join(root, "node_modules")],
    define: { "process.env.NODE_ENV": '"production"' },
    alias: {
      "structured-merge-diff/kubernetes": join(root, "src/kubernetes/index.ts"),
      "structured-merge-diff/view": join(root, "src/tools/view/index.ts"),
    },
  })
  return folder
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function open(name: string, options: Parameters<typeof newPage>[0] = {}): Promise<void> {
  await newPage(options)
  await page.goto(`${browser.url}${name}.html`)
  await page.locator("smd-owners tbody tr").first().waitFor()
}

const set = (properties: Partial<Pick<OwnersView, "object" | "configuration" | "manager">> & { typed?: true }) =>
  page.evaluate(({ typed, ...given }) => {
    const types = typed && { types: window.types }
    Object.assign(document.querySelector("smd-owners") as OwnersView, given, types)
  }, properties)
const row = (text: string | RegExp) => page.getByRole("row").filter({ hasText: text })
const configMap = (data: object, owners: Readonly<Record<string, readonly string[]>> = {}) => {
  const managedFields = Object.entries(owners).map(([manager, names]) => ({
    ...{ manager, operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" },
    fieldsV1: { "f:data": Object.fromEntries(names.map(name => [`f:${name}`, {}])) },
  }))
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", managedFields }, data }
}

describe("a page without a framework", () => {
  it("has the program of the guide", async () => {
    await open("guide")
    await page.getByRole("heading", { name: "web-team would have 1 conflict" }).waitFor()
  })

  it("shows the owners of each line, by mouse and by keyboard", async () => {
    await open("plain")
    await page.getByRole("heading", { name: "Deployment default/shop" }).waitFor()
    expect(await row("replicas: 7").innerText()).toMatch(/^autoscaler/)
    await row("image: web:1.0").click()
    await page.getByRole("region", { name: "Details" }).getByText("applies a configuration, Apply at apps/v1").waitFor()
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    expect(await row("kind: Deployment").getAttribute("aria-selected")).toBe("true")
    await page.getByText("No field of its own").waitFor()
    expect(await page.evaluate(() => window.selected)).toEqual([
      '.spec.template.spec.containers[name="web"].image',
      undefined,
    ])
    await page.getByRole("searchbox").fill("autoscaler")
    await expect.poll(() => row("image").count()).toBe(0)
    expect(await page.locator("smd-owners tbody").innerText()).toMatch(/^\s*spec:\s[^:]*replicas: 7$/)
  })

  it("shows the conflicts of a configuration, and goes out of one", async () => {
    await open("plain")
    await set({ configuration, manager: "web-team", typed: true })
    await page.getByRole("heading", { name: "web-team would have 1 conflict" }).waitFor()
    expect(await row("(in conflict)").innerText()).toContain("replicas: 7")
    const others = page.locator("section").filter({ hasText: "Other fields it would change" }).last()
    expect(await others.locator("li").allInnerTexts()).toEqual([
      expect.stringMatching(/removed.*"OLD"/s),
      expect.stringMatching(/image.*web:1\.1/s),
    ])
    await row("(in conflict)").hover()
    await page.locator(".conflict-card.linked").waitFor()
    await page.getByRole("button", { name: "Agree on 7" }).click()
    await page.getByRole("heading", { name: "web-team would change the object" }).waitFor()
    const [chosen] = await page.evaluate(() => window.ways)
    expect(chosen).toMatchObject({ way: "share", conflict: { path: ".spec.replicas" } })
    expect(chosen?.configuration).toBe(configuration.replace(/replicas: \d+/, "replicas: 7"))
    await set({ configuration: "replicas: [" })
    await page.getByText(/The configuration can't be applied: /).waitFor()
    await set({ configuration })
    await page.getByRole("button", { name: "Take it by force" }).click()
    await page.getByRole("heading", { name: "web-team, by force, would change the object" }).waitFor()
  })

  it("marks what people changed by hand, and not what controllers did", async () => {
    await open("plain")
    await set({ object: configMap({ a: "1", b: "2", c: "3" }, { "kubectl-edit": ["a", "b"], operator: ["b", "c"] }) })
    await page.getByRole("heading", { name: "ConfigMap settings" }).waitFor()
    const marks = ["a", "b", "c"].map(name => row(`${name}: `).getByTitle("changed by hand").count())
    expect(await Promise.all(marks)).toEqual([1, 0, 0])
  })

  it("never reads text as HTML", async () => {
    await open("plain")
    const attack = '<img src=x onerror="window.attacked = true"><script>window.attacked = true</script>'
    await set({
      object: { ...configMap({ [attack]: attack, x: attack }, { [attack]: ["x"] }), kind: attack },
      configuration: `${JSON.stringify(attack)}: [`,
      typed: true,
    })
    await row("x: ").click()
    await page.getByText(/can't be applied/).waitFor()
    expect(await page.locator("smd-owners img, smd-owners script").count()).toBe(0)
    expect(await page.evaluate(() => "attacked" in window)).toBe(false)
  })

  it("hides the values of Secrets until they are asked for, in conflicts too", async () => {
    await open("plain")
    const secret = (password: string, owners = {}) => ({
      ...configMap({ password: btoa(password) }, owners),
      kind: "Secret",
      type: "Opaque",
    })
    const live = secret("hunter2", { rotator: ["password"] })
    await set({
      object: live,
      configuration: JSON.stringify({ ...secret("old"), metadata: { name: "settings" } }),
      typed: true,
    })
    await page.getByRole("button", { name: "Agree on (hidden)" }).waitFor()
    const text = () => page.locator("smd-owners").innerText()
    const values = [btoa("hunter2"), btoa("old"), "hunter2"]
    const hidden = await text()
    expect(values.filter(value => hidden.includes(value))).toEqual([])
    await page.getByRole("button", { name: "Show values" }).click()
    await page.getByRole("button", { name: `Agree on "${btoa("hunter2")}"` }).waitFor()
    expect(await row("password").innerText()).toContain(btoa("hunter2"))
    await page.getByRole("button", { name: "Show values" }).click()
    await page.getByRole("button", { name: "Agree on (hidden)" }).click()
    await page.getByRole("heading", { name: "kubectl would change the object" }).waitFor()
    expect((await page.evaluate(() => window.ways))[0]?.configuration).toContain(btoa("hunter2"))
  })

  it("leaves the choices of the user alone when the object changes", async () => {
    await open("plain")
    const login = (value: string) => ({ ...configMap({ user: btoa("ann"), x: btoa(value) }), kind: "Secret" })
    await set({ object: login("one") })
    await page.getByRole("button", { name: "Show values" }).click()
    await row("x: ").click()
    await set({ object: login("two") })
    await row(`x: ${btoa("two")}`).waitFor()
    expect(await row("x: ").getAttribute("aria-selected")).toBe("true")
    expect(await row("x: ").evaluate(row => (row.getRootNode() as ShadowRoot).activeElement === row)).toBe(true)
    await set({ object: { ...login("three"), metadata: { name: "another" } } })
    await row("x: (hidden)").waitFor()
    expect(await page.locator("[aria-selected=true]").count()).toBe(0)
  })

  it("shows an object of 2 MB, whose rows it makes as they come into view", async () => {
    await open("plain")
    const names = Array.from({ length: 20_000 }, (_, i) => `key-${i}`)
    await set({ object: configMap(Object.fromEntries(names.map(name => [name, "x".repeat(90)])), { operator: names }) })
    await row("key-0:").waitFor()
    expect(await page.getByRole("row").count()).toBeLessThan(1_000)
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe("20006")
    await row("key-0:").click()
    await page.keyboard.press("End")
    await row("key-19999:").waitFor()
    expect(await page.getByRole("row").count()).toBeLessThan(1_500)
    await page.locator(".scroll").evaluate(list => (list.scrollTop = list.scrollHeight / 2))
    await expect.poll(() => page.getByRole("row").count()).toBeGreaterThan(800)
    await page.getByRole("searchbox").fill("key-12345")
    await expect.poll(() => page.getByRole("grid").getAttribute("aria-rowcount")).toBe("3")
  })
})

describe.each(["react", "vue"])("a page with %s", name => {
  it("sets properties, hears events and shows other objects", async () => {
    await open(name)
    await row("replicas: 7").click()
    expect(await page.evaluate(() => window.selected)).toEqual([".spec.replicas"])
    await page.evaluate(object => window.change(object), configMap({ color: "green" }))
    await page.getByRole("heading", { name: "ConfigMap settings" }).waitFor()
    expect(await row("color: green").count()).toBe(1)
    expect(await page.locator("smd-owners").evaluate(view => (view as OwnersView).manager)).toBe("web-team")
  })
})

describe.each([360, 1280])("axe at %i px", width => {
  it.each([false, true])("finds nothing serious, dark: %s", async dark => {
    await open("plain", { width, height: 900, dark })
    await set({ configuration, manager: "web-team", typed: true })
    await page.locator(".conflict-card").waitFor()
    await row("(in conflict)").click()
    expect(await axeFindings(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    if (process.env.LOOK !== undefined) {
      await page.screenshot({
        path: join(process.env.LOOK, `view-${width}-${dark ? "dark" : "light"}.png`),
        fullPage: true,
      })
    }
  })
})
