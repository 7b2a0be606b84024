// Finds dead links in the built site: files and anchors that don't exist, and files that a page would load from elsewhere.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"

/** Returns one line for each problem. */
export function problemsOfLinks(folder) {
  const pages = readdirSync(folder, { recursive: true })
    .map(name => name.replaceAll("\\", "/"))
    .filter(name => name.endsWith(".html"))
  const anchors = new Map()
  const problems = new Set()
  for (const page of pages) {
    const html = withoutScripts(readFileSync(join(folder, page), "utf8"))
    for (const [, tag, attribute, quoted] of html.matchAll(/<(\w+)\b[^>]*?\s(href|src)="([^"]*)"/g)) {
      const link = quoted.replaceAll("&amp;", "&")
      const report = problem => problems.add(`${page}: ${link} ${problem}`)
      if (/^(data|mailto):/.test(link)) continue
      if (/^([a-z]+:)?\/\//.test(link)) {
        if (tag !== "a") report(`is loaded from elsewhere by <${tag} ${attribute}>`)
        continue
      }
      if (link.startsWith("/")) report("is absolute")
      const [path, hash = ""] = decodeURI(link).split("#")
      const target = path === "" ? page : posix.normalize(posix.join(posix.dirname(page), path.split("?")[0]))
      const file = join(folder, target)
      if (!existsSync(file) || statSync(file).isDirectory()) report("leads nowhere")
      else if (hash !== "" && target.endsWith(".html") && !anchorsOf(target).has(hash)) report("has no such heading")
    }
  }
  return [...problems]

  function anchorsOf(page) {
    if (!anchors.has(page)) {
      const html = readFileSync(join(folder, page), "utf8")
      anchors.set(
        page,
        new Set(Array.from(html.matchAll(/\s(?:id|name)="([^"]*)"/g), ([, id]) => id.replaceAll("&amp;", "&"))),
      )
    }
    return anchors.get(page)
  }
}

function withoutScripts(html) {
  return html.replace(/<(script|style|pre)\b[\s\S]*?<\/\1>/g, "")
}
