// The site: docs/ and the other documents that it links to, as they are. build.mjs builds it.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Plugin } from "vite"
import { defineConfig } from "vitepress"
import { checked, copyLinkedFiles, rewriteDocument, rewrites } from "../pages.mjs"
import { sidebar } from "../sidebar.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { version: string }

/** Pages may load only files of the site, and may send nothing. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  // The engine of the conflict on the first page runs in a worker.
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ")

export default defineConfig({
  title: "structured-merge-diff",
  titleTemplate: ":title · structured-merge-diff",
  description:
    "Server-side apply for TypeScript: who owns which field, what an apply would change, and the ways out of a conflict.",
  lang: "en",
  base: process.env.SITE_BASE ?? "/",
  srcDir: root,
  srcExclude: [
    "**/.*/**",
    "playground/**",
    "test/!(vectors)/**",
    "src/**",
    "reference/**",
    "node_modules/**",
    "**/node_modules/**",
    "**/dist/**",
    "site/!(index|names).md",
    "conformance/examples/**",
  ],
  outDir: fileURLToPath(new URL("../dist", import.meta.url)),
  rewrites,
  buildEnd: ({ outDir }) => copyLinkedFiles(outDir),
  head: [
    ["meta", { "http-equiv": "Content-Security-Policy", content: policy }],
    ["link", { rel: "icon", href: "data:," }],
  ],
  markdown: {
    config: rewriteDocument,
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    languageAlias: { console: "shellsession" },
  },
  vue: { template: { compilerOptions: { isCustomElement: tag => tag === "smd-conflict" } } },
  vite: {
    plugins: [packagesOfSite()],
    build: { chunkSizeWarningLimit: 1_500 },
    publicDir: false,
  },
  themeConfig: {
    checked: checked(),
    nav: [
      { text: "Guides", link: "/docs/" },
      { text: "Playground", link: "/playground/index.html", target: "_self" },
      { text: "API", link: "/api/index.html", target: "_self" },
      { text: version, link: "/CHANGELOG" },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        // These pages repeat the words of all others, and are rarely the answer. Nor are the tables of figures of the benchmarks.
        _render: (source, env, markdown) => {
          if (/^(CHANGELOG|CONTRIBUTING|docs\/internals|oracle|test)\b/.test(env.relativePath)) return ""
          const text = env.relativePath.startsWith("bench/") ? source.replace(/^\|.*\n/gm, "") : source
          return markdown.render(text, env)
        },
      },
    },
    externalLinkIcon: true,
    docFooter: { prev: false, next: false },
    footer: { message: "Apache-2.0" },
  },
})

/** Finds Vue for the documents, which are outside of this folder, where it is installed. */
function packagesOfSite(): Plugin {
  const importer = fileURLToPath(new URL("theme/index.ts", import.meta.url))
  return {
    name: "packages-of-site",
    enforce: "pre",
    resolveId(id, from, { ssr }) {
      if (!/^vue(\/|$)/.test(id) || from === importer) return null
      return ssr ? { id, external: true } : this.resolve(id, importer, { skipSelf: true })
    },
  }
}
