// Stops `npm publish` if package.json does not name the project's repository yet:
//   node scripts/publishable.mjs package.json
// npm's site resolves the relative links of README.md against that repository.
import { readFileSync } from "node:fs"

/** The placeholder in package.json for the account or organization of the repository. */
const placeholder = "OWNER"

const manifest = JSON.parse(readFileSync(process.argv[2], "utf8"))
const unfilled = ["repository", "homepage", "bugs"].filter(field => {
  return manifest[field] === undefined || JSON.stringify(manifest[field]).includes(placeholder)
})
if (unfilled.length > 0) {
  console.error(`package.json does not say who owns the repository: fill in ${unfilled.join(", ")}`)
  process.exitCode = 1
}
