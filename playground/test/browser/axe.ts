import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Returns the serious and critical findings of axe. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(source)
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
    const { violations } = await axe.run(document)
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
  })
}
