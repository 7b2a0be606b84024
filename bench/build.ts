import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { buildGo, type Reference } from "../test/fuzz/programs.js"
import type { Plan } from "./fixtures/plan-types.js"

/** The folder of the project, relative to dist-test/bench. Ends with a slash. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url))

/** The Go command. */
export const go = "go"

const folder = `${root}bench/bin/`

/** The SHA-256 of the reference's result of each case, by the name of the case. */
export const answersFile: string = `${root}bench/fixtures/answers.json`

/** Builds the program that runs the cases on a release of the reference, and returns its file. */
export function buildReference(reference: Reference = "v6"): string {
  const file = `${folder}reference${reference === "v6" ? "" : "-v7"}`
  buildGo(root, "cmd/bench", file, reference)
  return file
}

/** Writes the plan to a file for the reference, and returns the name of the file. */
export function writePlan(plan: Plan): string {
  mkdirSync(folder, { recursive: true })
  const file = `${folder}plan.json`
  writeFileSync(file, JSON.stringify(plan))
  return file
}
