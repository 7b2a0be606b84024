// Makes the pages of VitePress, which knows only absolute paths, work from any folder: a server may have the site at /docs/, and a reader
// may open a page from a disk, without scripts.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { extname, join } from "node:path"

/** The base with which VitePress builds. */
export const placeholder = "/__site_base__/"

/** The variable of a page that has the path of the site's folder. */
const variable = "globalThis.__siteBase"

/** Replaces the placeholder in all files of the folder: in pages and styles by relative paths, and in scripts by `variable`. */
export function makeRelative(folder) {
  const { parseAst } = createRequire(import.meta.url)("rollup/parseAst")
  const withVariable = code => replaceInLiterals(code, parseAst(code))
  for (const path of readdirSync(folder, { recursive: true })) {
    const transform = transforms[extname(path)]
    const file = join(folder, path)
    const text = transform === undefined ? "" : readFileSync(file, "utf8")
    if (!text.includes(placeholder)) continue
    const depth = path.split(/[\\/]/).length - 1
    writeFileSync(file, transform(text, depth === 0 ? "./" : "../".repeat(depth), withVariable))
  }
}

const transforms = {
  ".html": relativePage,
  ".js": (code, _, withVariable) => withVariable(code),
  ".css": (css, up) => css.replaceAll(placeholder, up),
}

function relativePage(html, up, withVariable) {
  const base = `<script>${variable}=new URL(${JSON.stringify(up)},location.href).pathname</script>`
  return html
    .replace(/(<script\b[^>]*>)([\s\S]*?)(<\/script>)/g, (tag, open, code, close) =>
      code.includes(placeholder) ? open + withVariable(code) + close : tag,
    )
    .replaceAll(
      /(\s(?:href|src|playground)=")\/__site_base__\/([^"]*)"/g,
      (_, start, path) => `${start}${up}${fileOf(path)}"`,
    )
    .replace("<head>", () => `<head>${base}`)
    .replace("</body>", () => `<script>${absoluteLinks}</script></body>`)
}

/** VitePress changes the page's address without loading a page, which would change the targets of relative links. */
const absoluteLinks = `for(const a of document.querySelectorAll("a[href]"))if(!a.getAttribute("href").startsWith("#"))a.href=a.href`

/** Adds the name of a folder's page, for readers without a server. */
function fileOf(path) {
  return path.replace(/(^|\/)(?=#|$)/, "$1index.html")
}

function replaceInLiterals(code, ast) {
  const edits = []
  const visit = node => {
    if (node.type === "Literal" && typeof node.value === "string" && node.value.includes(placeholder)) {
      const parts = node.value.split(placeholder).map(part => JSON.stringify(part))
      edits.push([node.start, node.end, `(${parts.join(`+${variable}+`)})`])
    } else if (node.type === "TemplateElement" && node.value.raw.includes(placeholder)) {
      edits.push([node.start, node.end, node.value.raw.replaceAll(placeholder, `\${${variable}}`)])
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === "string") visit(child)
      }
    }
  }
  visit(ast)
  edits.sort(([a], [b]) => b - a)
  return edits.reduce((text, [start, end, replacement]) => text.slice(0, start) + replacement + text.slice(end), code)
}
