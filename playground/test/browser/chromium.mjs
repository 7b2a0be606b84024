// A Chromium on the built playground or another folder, for the tests and for pictures.
import { chromium } from "playwright-core"
import { site } from "../../build.mjs"
import { chromiumArguments, findChromium } from "../../chromium.mjs"
import { serveFolder } from "../../server.mjs"

/**
 * Serves the folder, which is the built playground by default, and starts a Chromium, with a new profile. `page(options)` opens a page with
 * nothing stored but that the tour has been seen; with `isFirstVisit`, not even that. Errors that a page reports go to `errors`.
 */
export async function openBrowser(folder = site) {
  const { path, reason } = findChromium()
  if (path === undefined) throw new Error(reason)
  const server = await serveFolder(folder, 0)
  const browser = await chromium.launch({ executablePath: path, args: chromiumArguments })
  const errors = []
  return {
    url: server.url,
    errors,
    async page({ width = 1600, height = 1000, dark = false, isFirstVisit = false } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? "dark" : "light",
        reducedMotion: "reduce",
        permissions: ["clipboard-read", "clipboard-write"],
      })
      if (!isFirstVisit) await context.addInitScript('try { localStorage.setItem("playground-tour", "seen") } catch {}')
      const page = await context.newPage()
      page.setDefaultTimeout(30_000)
      page.on("pageerror", error => errors.push(error.message))
      page.on("console", message => {
        if (message.type() === "error") errors.push(message.text())
      })
      return page
    },
    async close() {
      await browser.close()
      await server.close()
    },
  }
}
