/** Opens pages in a real Chromium, for the tests of a file. */
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect } from "vitest"
import { type OpenedBrowser, openBrowser } from "./chromium.mjs"

type PageOptions = NonNullable<Parameters<OpenedBrowser["page"]>[0]>

/** The browser of the file that runs. */
export let browser: OpenedBrowser
/** The page that the running test opened last. */
export let page: Page

/** Starts a Chromium for the tests of a file, on the built playground or the folder that `prepare` returns. No page may report an error. */
export function useBrowser(prepare?: () => Promise<string>): void {
  beforeAll(async () => {
    browser = await openBrowser(await prepare?.())
  })
  afterEach(() => page.context().close())
  afterAll(async () => {
    await browser.close()
    expect(browser.errors).toEqual([])
  })
}

/** Opens an empty page. */
export async function newPage(options?: PageOptions): Promise<void> {
  page = await browser.page(options)
}

/** Opens the playground with the fragment of a link, and waits until the editor and the engine are loaded. */
export async function open({ fragment = "", ...options }: PageOptions & { fragment?: string } = {}): Promise<void> {
  await newPage(options)
  await page.goto(browser.url + fragment)
  await isLoaded()
}

/** Waits until the editor and the engine are loaded. */
export async function isLoaded(): Promise<void> {
  await page.waitForSelector(".cm-editor")
  await page
    .getByText(/^(Loading|Computing) /)
    .first()
    .waitFor({ state: "detached" })
}
