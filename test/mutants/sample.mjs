// A checker for Stryker that lets a seeded sample of all mutants through and rules the others out:
//   MUTANTS_SAMPLE=600 MUTANTS_SEED=1
// The same seed gives the same sample as long as the code is the same. A mutant keeps its rank when other files change.
import { createHash } from "node:crypto"
import { declareFactoryPlugin, PluginKind } from "@stryker-mutator/api/plugin"

function createSampler() {
  const size = Number(process.env.MUTANTS_SAMPLE)
  const seed = process.env.MUTANTS_SEED
  let sample = new Set()
  return {
    async init() {},
    async group(mutants) {
      const ranked = mutants.map(mutant => ({ id: mutant.id, rank: rankOf(mutant, seed) }))
      ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1))
      sample = new Set(ranked.slice(0, size).map(({ id }) => id))
      return [mutants.map(({ id }) => id)]
    },
    async check(mutants) {
      const verdict = ({ id }) =>
        sample.has(id) ? { status: "passed" } : { status: "compileError", reason: "not in the sample" }
      return Object.fromEntries(mutants.map(mutant => [mutant.id, verdict(mutant)]))
    },
  }
}

function rankOf({ fileName, location, mutatorName, replacement }, seed) {
  const { start, end } = location
  const file = fileName.replaceAll("\\", "/").replace(/^.*\/src\//, "src/")
  const place = [start.line, start.column, end.line, end.column].join(":")
  return createHash("sha1").update([seed, file, place, mutatorName, replacement].join("\0")).digest("hex")
}

createSampler.inject = []
export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, "sample", createSampler)]
