// Finds a Chromium for tests, or installs Debian's if that is allowed.
//   node playground/chromium.mjs       prints its path, or the reason why it is missing
import { spawnSync } from "node:child_process"
import { accessSync, constants, existsSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]
const places = [
  ...names.map(name => `/usr/bin/${name}`),
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
]

/** The arguments of Chromium: no network of its own, and no sandbox, with which it would not start as root. */
export const chromiumArguments = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/** Returns `{path}`, or `{reason}` if Chromium is missing and can't be installed. */
export function findChromium() {
  const given = process.env.CHROMIUM
  if (given !== undefined && given !== "") {
    return isProgram(given) ? { path: given } : { reason: `CHROMIUM names ${given}, which is not a program` }
  }
  const found = search()
  if (found !== undefined) return { path: found }
  const refusal = install()
  const installed = search()
  return installed === undefined ? { reason: refusal } : { path: installed }
}

function search() {
  const onPath = (process.env.PATH ?? "").split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return [...onPath, ...places].find(isProgram)
}

/** Installs Debian's package. Returns why it could not. */
function install() {
  if (!isDebian()) return "none is installed; on Debian it would be, by apt-get. CHROMIUM may name one"
  if (process.getuid?.() !== 0)
    return "none is installed, and only root may: apt-get install chromium. CHROMIUM may name one"
  process.stderr.write("Installing Chromium for the tests of the playground ...\n")
  const install = ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"]
  let result = apt(install)
  if (result.status !== 0) {
    apt(["update", "-qq"])
    result = apt(install)
  }
  if (result.status === 0) return "apt-get installed chromium, but it is not found"
  return `apt-get could not install chromium: ${lastLine(result.stderr) || result.error?.message || `status ${result.status}`}`
}

function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync("apt-get", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 150_000 })
}

function isDebian() {
  return existsSync("/etc/os-release") && /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"))
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function lastLine(text) {
  return (text ?? "").trim().split("\n").at(-1) ?? ""
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { path, reason } = findChromium()
  console.log(path ?? `no Chromium: ${reason}`)
}
