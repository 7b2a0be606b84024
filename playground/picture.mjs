// Takes the picture of the playground that README.md and docs/playground.md show:
//   node playground/picture.mjs
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildPlayground } from "./build.mjs"
import { openBrowser } from "./test/browser/chromium.mjs"

await buildPlayground({ siteOnly: true })
const browser = await openBrowser()
const page = await browser.page({ width: 1400, height: 800 })
await page.goto(browser.url)
await page.waitForSelector(".cm-lint-marker, .cm-content .yaml-key")
await page.getByText("would have 1 conflict").waitFor()
await page.waitForTimeout(500)
await page.screenshot({ path: join(dirname(fileURLToPath(import.meta.url)), "..", "docs", "playground.png") })
await browser.close()
