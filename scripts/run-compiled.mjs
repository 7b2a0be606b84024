#!/usr/bin/env node
// Starts the bundle of smd with the code that V8 compiled in an earlier run of the same command: compiling takes half of a short run. Node's
// own cache (module.enableCompileCache) saves half as much, since it has no functions that are compiled when they are first called, and
// Node 20 has none.
//
// The user's cache folder has a file for each command and release of Node: a checksum, and for each chunk the length of its name, the length
// of its code, the checksum of its text, the name, and the code. Numbers have 32 bits. V8 rejects code of another release, but compares no more
// than the length of a text, which another version of smd may have too. Damaged code can crash V8. Both need the checksums.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Script } from "node:vm"
import { crc32 } from "node:zlib"
import { cacheFolder } from "../src/cli/cluster/cache-folder.js"

const [, , command = ""] = process.argv
// Node 22.1 and older releases of Node 22 have no crc32.
const isOn = /^[-a-z]{1,20}$/.test(command) && crc32 !== undefined && !process.env.NODE_DISABLE_COMPILE_CACHE
const compiled = isOn ? readCompiled() : new Map()
const scripts = new Map()
const modules = new Map()
let isComplete = true

process.on("exit", status => {
  // Status 2 is bad input. An unknown command leaves no file.
  if (isOn && !isComplete && status !== 2) writeCompiled()
})
void load("smd.cjs")
  .start()
  .then(status => {
    process.exitCode = status
  })

function load(name) {
  const loaded = modules.get(name)
  if (loaded !== undefined) return loaded.exports
  const module = { exports: {} }
  modules.set(name, module)
  const filename = join(__dirname, name)
  const text = readFileSync(filename)
  const sum = isOn ? crc32(text) : 0
  const kept = compiled.get(name)
  const cachedData = kept?.sum === sum ? kept.code : undefined
  const parameters = "exports, require, module, __filename, __dirname, importModule"
  const script = new Script(`(function (${parameters}) {${text.latin1Slice()}\n})`, { filename, cachedData })
  scripts.set(name, { script, sum })
  if (cachedData === undefined || script.cachedDataRejected) isComplete = false
  const requireFrom = id => (id.startsWith("./") ? load(id.slice(2)) : require(id))
  script.runInThisContext()(module.exports, requireFrom, module, filename, __dirname, id => import(id))
  return module.exports
}

function cacheFile() {
  const folder = join(cacheFolder(), "compiled")
  return { folder, file: join(folder, `${process.version}-${process.arch}-${command}`) }
}

function readCompiled() {
  const found = new Map()
  try {
    const bytes = readFileSync(cacheFile().file)
    if (crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return found
    for (let at = 4; at < bytes.length; ) {
      const code = at + 12 + bytes.readUInt32LE(at)
      const end = code + bytes.readUInt32LE(at + 4)
      const sum = bytes.readUInt32LE(at + 8)
      found.set(bytes.latin1Slice(at + 12, code), { sum, code: bytes.subarray(code, end) })
      at = end
    }
  } catch {
    // This is the first run, or the file can't be read.
  }
  return found
}

/** Writes the code of this run, and that of other chunks that still exist. */
function writeCompiled() {
  try {
    const { folder, file } = cacheFile()
    const parts = []
    const add = (name, sum, code) =>
      parts.push(numbers(name.length, code.length, sum), Buffer.from(name, "latin1"), code)
    for (const [name, { script, sum }] of scripts) add(name, sum, script.createCachedData())
    for (const [name, { sum, code }] of compiled) {
      if (!scripts.has(name) && existsSync(join(__dirname, name))) add(name, sum, code)
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const temporary = `${file}.${process.pid}`
    const bytes = Buffer.concat(parts)
    writeFileSync(temporary, Buffer.concat([numbers(crc32(bytes)), bytes]), { mode: 0o600, flag: "wx" })
    renameSync(temporary, file)
  } catch {
    // A folder that can't be used has no effect.
  }
}

function numbers(...values) {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => bytes.writeUInt32LE(value, 4 * i))
  return bytes
}
