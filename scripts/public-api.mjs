// Checks the public API of the package in the declarations of dist:
//
// - every exported name, every public member of exported classes and interfaces, and every option has a doc comment;
// - no declaration refers to a type that no entry exports;
// - the declarations have no type errors.
//
// Members marked `@internal` are not in the declarations (`stripInternal`), so they are not checked. The compiler's API is marked as
// unstable; only this program uses it, at the version of the lock file.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { SyntaxKind } from "typescript/unstable/ast"
import { API, SymbolFlags } from "typescript/unstable/sync"
import { build } from "./build.mjs"
import { ensureInstalled, root } from "./install.mjs"

/** The members of a class, an interface or an object type that need a doc comment. */
const memberKinds = new Set([
  SyntaxKind.PropertySignature,
  SyntaxKind.MethodSignature,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
])

ensureInstalled()
build("dist")
const folder = mkdtempSync(join(tmpdir(), "public-api-"))
const api = new API({ cwd: root })
try {
  check()
} finally {
  api.close()
  rmSync(folder, { recursive: true, force: true })
}

function check() {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const entries = Object.values(exports).flatMap(entry => (typeof entry === "string" ? [] : [join(root, entry.types)]))
  const project = openProject(entries)
  const problems = project.program.getSemanticDiagnostics().map(({ fileName, text }) => `${fileName}: ${text}`)

  const symbols = entries.flatMap(file => exportsOf(project, file))
  const declarations = [...new Set(symbols.flatMap(symbol => symbol.declarations))].map(handle => handle.resolve())
  const documented = declarations.flatMap(declaration => [declaration, ...membersOf(declaration)])
  for (const node of new Set(documented)) {
    if (!hasDoc(node)) problems.push(`${placeOf(node)} has no doc comment`)
  }
  const exported = new Set(symbols.map(({ id }) => id))
  for (const [node, symbol] of typesIn(project, declarations)) {
    const own = symbol.declarations.some(handle =>
      handle.resolve().getSourceFile().fileName.startsWith(join(root, "dist")),
    )
    if (own && !exported.has(symbol.id))
      problems.push(`${placeOf(node)} refers to ${symbol.name}, which no entry exports`)
  }

  if (problems.length > 0) throw new Error(`${problems.length} problems\n${problems.join("\n")}`)
  if (symbols.length < 100) throw new Error(`only ${symbols.length} exported names were found`)
  console.log(
    `${symbols.length} exported names and ${documented.length - declarations.length} members have doc comments`,
  )
}

/** Returns a project with only these files, under the strictest options that users may have. */
function openProject(files) {
  const config = join(folder, "tsconfig.json")
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "dom"],
    module: "nodenext",
    strict: true,
    types: [],
    noEmit: true,
  }
  writeFileSync(config, JSON.stringify({ compilerOptions, files }))
  return api.updateSnapshot({ openProjects: [config] }).getProjects()[0]
}

/** Returns the exports of `file`, each as the symbol of its declaration. */
function exportsOf({ checker, program }, file) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file))
  return checker.getExportsOfModule(module).map(symbol => resolveAlias(checker, symbol))
}

function resolveAlias(checker, symbol) {
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
}

/** Returns all members in a declaration, including members of nested object types. */
function membersOf(declaration) {
  const members = []
  walk(declaration, node => {
    if (memberKinds.has(node.kind) && !isPrivate(node)) members.push(node)
  })
  return members
}

function isPrivate(node) {
  // Private and protected members, and names with `#`, are for the package.
  const hidden = [SyntaxKind.PrivateKeyword, SyntaxKind.ProtectedKeyword]
  return (
    node.name.kind === SyntaxKind.PrivateIdentifier ||
    (node.modifiers?.some(({ kind }) => hidden.includes(kind)) ?? false)
  )
}

function hasDoc(node) {
  // The comment of a constant is before its statement.
  const statement = node.kind === SyntaxKind.VariableDeclaration ? node.parent.parent : node
  return statement.jsDoc?.some(({ comment }) => comment !== undefined && comment.length > 0) ?? false
}

/** Returns each name of a type in the declarations with its symbol, except type parameters. */
function typesIn({ checker }, declarations) {
  const names = []
  for (const declaration of declarations) {
    walk(declaration, node => {
      if (node.kind === SyntaxKind.TypeReference) names.push(node.typeName)
      else if (node.kind === SyntaxKind.ExpressionWithTypeArguments) names.push(node.expression)
      else if (node.kind === SyntaxKind.TypeQuery) names.push(node.exprName)
      else if (node.kind === SyntaxKind.ImportType && node.qualifier !== undefined) names.push(node.qualifier)
    })
  }
  const found = checker.getSymbolAtLocation(names)
  const pairs = names.map((name, index) => [name, found[index]]).filter(([, symbol]) => symbol !== undefined)
  return pairs
    .map(([name, symbol]) => [name, resolveAlias(checker, symbol)])
    .filter(([, { flags }]) => (flags & SymbolFlags.TypeParameter) === 0)
}

function walk(node, visit) {
  visit(node)
  node.forEachChild(child => {
    walk(child, visit)
  })
}

/** Returns a text such as `merge/updater.d.ts: Updater.apply`. */
function placeOf(node) {
  const names = []
  for (let at = node; at !== undefined; at = at.parent)
    if (at.name !== undefined) names.unshift(at.name.text ?? at.name.getText())
  return `${relative(join(root, "dist"), node.getSourceFile().fileName)}: ${names.join(".")}`
}
