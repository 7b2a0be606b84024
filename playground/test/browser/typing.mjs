// Measures how smooth typing is in a manifest of 300 lines, by the browser's own clock:
//   node playground/test/browser/typing.mjs
// Types 120 characters, one each 50 ms. Prints how long frames took, and tasks that blocked the page for more than 50 ms.
import { buildPlayground } from "../../build.mjs"
import { openBrowser } from "./chromium.mjs"

await buildPlayground({ siteOnly: true })
const browser = await openBrowser()
const page = await browser.page()
await page.goto(browser.url)
await page.waitForSelector(".cm-editor")
await page.getByLabel("Story").selectOption("new")
await page.locator(".cm-content").click()
await page.keyboard.insertText(manifest(300))
await page.getByRole("button", { name: "Apply", exact: true }).click()
await page.waitForSelector(".lines")
await page.locator(".cm-content").click()
await page.keyboard.press("Control+End")
await page.waitForTimeout(2_000)
await page.evaluate(() => {
  const seen = { frames: [], tasks: [] }
  Object.assign(globalThis, { seen })
  new PerformanceObserver(list => {
    for (const { duration } of list.getEntries()) seen.tasks.push(duration)
  }).observe({ type: "longtask" })
  let last = performance.now()
  const frame = now => {
    seen.frames.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})
const cdp = await page.context().newCDPSession(page)
await cdp.send("Performance.enable", { timeDomain: "threadTicks" })
const work = async () => {
  const { metrics } = await cdp.send("Performance.getMetrics")
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1000]))
}
const before = await work()
const keys = 120
for (const character of "note: what is written here is nothing but text, ".repeat(3).slice(0, keys)) {
  await page.keyboard.type(character)
  await page.waitForTimeout(50)
}
await page.waitForTimeout(600)
const after = await work()
const { frames, tasks } = await page.evaluate(() => globalThis.seen)
frames.sort((a, b) => a - b)
const at = share => frames[Math.min(frames.length - 1, Math.floor(frames.length * share))].toFixed(1)
const slow = frames.filter(time => time > 1000 / 60 + 1).length
console.log(
  `${frames.length} frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms; ${slow} above 17.7 ms`,
)
const spent = name => ((after[name] - before[name]) / keys).toFixed(1)
// Time of the thread itself, which other programs of the machine do not add to.
console.log(
  `each key: ${spent("TaskDuration")} ms of work, ${spent("ScriptDuration")} ms of it scripts, ${spent("LayoutDuration")} ms layout`,
)
console.log(
  `${tasks.length} tasks above 50 ms${tasks.length > 0 ? `: ${tasks.map(time => Math.round(time)).join(", ")} ms` : ""}`,
)
await browser.close()

function manifest(lines) {
  const head = ["apiVersion: v1", "kind: ConfigMap", "metadata:", "  name: large", "data:"]
  const rest = Array.from({ length: lines - head.length }, (_, i) => `  key-${i}: value number ${i}`)
  return `${[...head, ...rest].join("\n")}\n  `
}
