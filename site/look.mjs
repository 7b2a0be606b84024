// Takes pictures of the built site and of its playground:
//   node site/look.mjs FOLDER [PAGE ...]
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { openBrowser } from "../playground/test/browser/chromium.mjs"
import { output } from "./build.mjs"

const [folder = "pictures", ...names] = process.argv.slice(2)
const pages =
  names.length > 0 ? names : ["index.html", "docs/guides/gitops-dry-run.html", "docs/cli.html", "playground/index.html"]
mkdirSync(folder, { recursive: true })
const browser = await openBrowser(output)
for (const [width, height] of [
  [360, 780],
  [768, 1024],
  [1280, 720],
  [1600, 1000],
]) {
  for (const dark of [false, true]) {
    const page = await browser.page({ width, height, dark })
    for (const name of pages) {
      await page.goto(browser.url + name)
      await page.waitForTimeout(1000)
      const file = `${name.replaceAll(/[^a-z0-9]+/g, "-")}-${width}-${dark ? "dark" : "light"}.png`
      await page.screenshot({ path: join(folder, file) })
    }
    await page.context().close()
  }
}
for (const error of browser.errors) console.error(error)
await browser.close()
