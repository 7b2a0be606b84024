import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Plan } from "./fixtures/plan-types.js"

/** The folder of the project, relative to dist-test/bench. Ends with a slash. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url))

/** The Go command. */
export const go = "go"

const folder = `${root}bench/bin/`

/** The SHA-256 of the reference's result of each case, by the name of the case. */
export const answersFile: string = `${root}bench/fixtures/answers.json`

export const referenceFile: string = `${folder}reference`

/** Builds the program that runs the cases on the reference. */
export function buildReference(): void {
  execFileSync(go, ["build", "-o", referenceFile, "./cmd/bench"], { cwd: `${root}oracle`, stdio: "inherit" })
}

/** Writes the plan to a file for the reference, and returns the name of the file. */
export function writePlan(plan: Plan): string {
  mkdirSync(folder, { recursive: true })
  const file = `${folder}plan.json`
  writeFileSync(file, JSON.stringify(plan))
  return file
}
