// Stops `npm publish` while package.json does not say yet where the project lives:
//   node scripts/publishable.mjs package.json
// npm's site takes the relative links of README.md from the repository that it names.
import { readFileSync } from "node:fs"

/** Stands in package.json for the account or organization that the repository belongs to. */
const placeholder = "OWNER"

const manifest = JSON.parse(readFileSync(process.argv[2], "utf8"))
const unfilled = ["repository", "homepage", "bugs"].filter(field => {
  return manifest[field] === undefined || JSON.stringify(manifest[field]).includes(placeholder)
})
if (unfilled.length > 0) {
  console.error(`package.json does not say who owns the repository: fill in ${unfilled.join(", ")}`)
  process.exitCode = 1
}
