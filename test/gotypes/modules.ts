/** Finds Go modules in the folders to which the go command downloads them, and reads the sources of their packages. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { GoSources } from "../../src/gotypes/index.js"
import { goModuleFolder } from "../support/go.js"

/** A module at a version: `sigs.k8s.io/gateway-api@v1.5.0`. */
export type ModuleVersion = string

interface GoMod {
  readonly Require: readonly { readonly Path: string; readonly Version: string }[] | null
  readonly Replace:
    | readonly {
        readonly Old: { readonly Path: string }
        readonly New: { readonly Path: string; readonly Version?: string }
      }[]
    | null
}

/** Files of tests, and generated files that declare no types of an API. */
const withoutTypes =
  /_test\.go$|_fuzz\.go$|^generated\.|^zz_generated\.(conversion|deepcopy|defaults|model_name|openapi|register|validations)/

const folders = new Map<ModuleVersion, string>()

/** The folder of a module. */
export function folderOf(module: ModuleVersion): string {
  const folder = folders.get(module) ?? goModuleFolder(module, tmpdir())
  folders.set(module, folder)
  return folder
}

function go(...args: readonly string[]): string {
  return execFileSync("go", args, { cwd: tmpdir(), encoding: "utf8" })
}

const standardLibrary = join(go("env", "GOROOT").trim(), "src")

/** The packages that a module can import, in the versions that its go.mod selects. */
export class ModuleGraph {
  private readonly versions = new Map<string, ModuleVersion>()

  /** `modules` come first. The first one requires the others. */
  constructor(modules: readonly ModuleVersion[]) {
    for (const module of modules.toReversed()) {
      const { Require, Replace } = JSON.parse(go("mod", "edit", "-json", join(folderOf(module), "go.mod"))) as GoMod
      for (const { Path, Version } of Require ?? []) this.versions.set(Path, `${Path}@${Version}`)
      for (const { Old, New } of Replace ?? [])
        if (New.Version) this.versions.set(Old.Path, `${New.Path}@${New.Version}`)
    }
    for (const module of modules) this.versions.set(module.split("@")[0] ?? module, module)
  }

  /** The files of a package, without generated ones, which have no types of an API; undefined if it has no source. */
  readonly sourcesOf = (path: string): GoSources | undefined => {
    const folder = this.folderOf(path)
    if (folder === undefined || !existsSync(folder)) return undefined
    const names = readdirSync(folder).filter(name => name.endsWith(".go") && !withoutTypes.test(name))
    if (names.length === 0) return undefined
    return Object.fromEntries(names.map(name => [name, readFileSync(join(folder, name), "utf8")]))
  }

  private folderOf(path: string): string | undefined {
    const module = this.moduleOf(path)
    if (module === undefined) return path.split("/")[0]?.includes(".") ? undefined : join(standardLibrary, path)
    return join(folderOf(this.versions.get(module) as ModuleVersion), path.slice(module.length)) // a key of it
  }

  /** The module that a package is in: the one with the longest path. */
  private moduleOf(path: string): string | undefined {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (this.versions.has(path.slice(0, end))) return path.slice(0, end)
    }
    return undefined
  }
}
