// How the playground is built. The engine comes from ../src, by the names of its public entries. Two flavours: files that load each
// other when they are needed, and, with PLAYGROUND_OFFLINE set, a single file that opens without a server.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build, defineConfig, type Plugin, runnerImport } from "vite"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const { exports } = JSON.parse(readFileSync(at("../package.json"), "utf8")) as { exports: Record<string, unknown> }
const offline = process.env.PLAYGROUND_OFFLINE !== undefined

const storyFile = /^(.*\.yaml)\?(title|state|preview)$/

/** From the name of each entry of the package to its source. */
const entries = Object.entries(exports).flatMap(([key, target]) => {
  if (typeof target !== "object" || target === null || !("default" in target)) return []
  const source = String(target.default).replace("./dist/", "../src/").replace(/\.js$/, ".ts")
  return [{ find: new RegExp(`^structured-merge-diff${key.slice(1)}$`), replacement: at(source) }]
})

export default defineConfig({
  root: at("."),
  base: "./",
  logLevel: "warn",
  resolve: { alias: entries },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [stories(), workers(), withoutYamlWriter(), ...(offline ? [inOneFile()] : [])],
  build: {
    outDir: offline ? "dist/offline" : "dist/site",
    emptyOutDir: true,
    target: "es2023",
    // Browsers with popovers and light-dark(): its replacement for others does not work in a shadow root. docs/playground.md names them.
    cssTarget: ["chrome123", "firefox125", "safari17.5"],
    modulePreload: false,
    manifest: !offline && "manifest.json",
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      checks: { pluginTimings: false },
      ...(offline
        ? { output: { codeSplitting: false } }
        : {
            // The first page of the site loads conflict-demo.js by this name.
            input: [at("index.html"), at("src/conflict-demo.tsx")],
            preserveEntrySignatures: "exports-only",
            output: {
              entryFileNames: ({ name }: { name: string }) =>
                name === "conflict-demo" ? "conflict-demo.js" : "assets/[name]-[hash].js",
            },
          }),
    },
    ...(offline && { assetsInlineLimit: Number.MAX_SAFE_INTEGER, cssCodeSplit: false }),
  },
})

/**
 * Makes of story files, at build time, their titles (`?title`), and of the first one its state (`?state`) and the preview of its open tab
 * (`?preview`), which are there before the engine is loaded.
 */
function stories(): Plugin {
  type AtBuild = typeof import("./src/at-build.js")
  let atBuild: ReturnType<typeof runnerImport<AtBuild>> | undefined
  return {
    name: "stories",
    enforce: "pre",
    load: {
      filter: { id: storyFile },
      async handler(id) {
        const [, file, query] = storyFile.exec(id) ?? []
        if (file === undefined) return undefined
        const text = readFileSync(file, "utf8")
        this.addWatchFile(file)
        if (query === "title") {
          const title = /^title:\s*(.+)$/m.exec(text)?.[1]
          if (title === undefined) throw new Error(`${file} does not begin with its title, as title: TITLE`)
          return `export default ${JSON.stringify(title)}`
        }
        atBuild ??= runnerImport<AtBuild>(at("src/at-build.ts"), { configFile: false, resolve: { alias: entries } })
        const { module } = await atBuild
        const computed = query === "state" ? module.stateOfStory(text) : await module.previewOfStory(text)
        return `export default ${JSON.stringify(computed)}`
      },
    },
  }
}

/**
 * Makes of a module a function that starts it in a worker (`?start`). The module shares its chunks with the page. In the offline file, the
 * function has the whole module.
 */
function workers(): Plugin {
  const worker = /^(.*\/([\w-]+)\.ts)\?start$/
  return {
    name: "workers",
    enforce: "pre",
    load: {
      filter: { id: worker },
      async handler(id) {
        const [, file = "", name = ""] = worker.exec(id) ?? []
        // Chromium starts no module as a worker of a page from a disk.
        if (offline) return startOf(JSON.stringify(await codeOf(file)), "classic")
        const chunk = this.emitFile({ type: "chunk", id: file, name })
        return startOf(`"import " + JSON.stringify(import.meta.ROLLDOWN_FILE_URL_${chunk})`, "module")
      },
    },
  }
}

/** A worker from a blob has the content security policy of the page. */
function startOf(code: string, type: "classic" | "module"): string {
  const url = `URL.createObjectURL(new Blob([${code}], { type: "text/javascript" }))`
  return `export default () => new Worker(${url}, { type: "${type}" })`
}

/** Returns the code of the module with everything that it imports. */
async function codeOf(file: string): Promise<string> {
  const result = await build({
    configFile: at("vite.config.ts"),
    // It warns about import.meta, which only the paths of chunks need.
    logLevel: "error",
    build: { write: false, rolldownOptions: { input: file, output: { format: "iife" } } },
  })
  const [bundle] = [result].flat()
  if (bundle === undefined || !("output" in bundle)) throw new Error(`${file} was not built`)
  return bundle.output[0].code
}

/** Leaves out the part of the yaml package that writes YAML, 5 kB with gzip: the package only reads with it. */
function withoutYamlWriter(): Plugin {
  const writer = /node_modules\/yaml\/.*\/stringify\/\w+\.js$/
  return {
    name: "without-yaml-writer",
    enforce: "pre",
    load: {
      filter: { id: writer },
      handler(id) {
        const lists = readFileSync(id, "utf8").matchAll(/^export \{([^}]*)\}/gm)
        const names = Array.from(lists, ([, list = ""]) => list.split(",").map(name => name.trim())).flat()
        const unused = `const unused = () => { throw new Error("YAML is written by formatYaml") }`
        return `${unused}\nexport { ${names.map(name => `unused as ${name}`).join(", ")} }`
      },
    },
  }
}

/** Puts script and style into the page. */
function inOneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle: {
      // After vite has put its last word into the chunks.
      order: "post",
      handler(_, bundle) {
        const page = bundle["index.html"]
        // The build of a worker has no page.
        if (page?.type !== "asset") return
        let html = String(page.source).replace("script-src 'self'", "script-src 'unsafe-inline'")
        for (const [name, part] of Object.entries(bundle)) {
          if (part === page) continue
          const text = part.type === "chunk" ? part.code : String(part.source)
          const tag =
            part.type === "chunk"
              ? `<script type="module">${text.replaceAll("</script", "<\\/script")}</script>`
              : `<style>${text}</style>`
          const place = part.type === "chunk" ? /<script type="module"[^>]*><\/script>/ : /<link rel="stylesheet"[^>]*>/
          if (!place.test(html)) throw new Error(`the page does not ask for ${name}`)
          html = html.replace(place, () => (part.type === "chunk" ? "" : tag))
          // A script in the head would run before there is a body.
          if (part.type === "chunk") html = html.replace("</body>", () => `${tag}</body>`)
          delete bundle[name]
        }
        page.source = html
      },
    },
  }
}
