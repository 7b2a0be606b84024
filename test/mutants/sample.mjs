// Finds the mutants of a folder, and places a seeded sample of them in the code. Stryker's instrumenter writes each mutant as a switch, so
// one copy of the code holds the whole sample, and `globalThis.__stryker__.activeMutant` names the mutant that is on.
import { createHash } from "node:crypto"
import { createInstrumenter } from "@stryker-mutator/instrumenter"

/**
 * Chooses `size` mutants of `files` ({name, content}) and places them. Returns the mutants with their lines and columns (both from 0),
 * and the files that hold them. The same seed gives the same sample of the same code. A mutant keeps its rank when other files change.
 * Only mutants for which `isWanted` holds are candidates.
 */
export async function placeSample(files, size, seed, isWanted) {
  const all = (await instrument(files, () => false)).mutants.filter(isWanted)
  const ranked = all.map(mutant => ({ mutant, rank: rankOf(mutant, seed) }))
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const mutants = ranked.slice(0, size).map(({ mutant }) => mutant)
  const ids = new Set(mutants.map(({ id }) => id))
  const names = new Set(mutants.map(({ fileName }) => fileName))
  const placed = await instrument(files, id => ids.has(id))
  return { mutants, files: placed.files.filter(({ name }) => names.has(name)) }
}

function rankOf({ fileName, location, mutatorName, replacement }, seed) {
  const { start, end } = location
  const file = fileName.replaceAll("\\", "/").replace(/^.*\/src\//, "src/")
  const place = [start.line, start.column, end.line, end.column].join(":")
  return createHash("sha1").update([seed, file, place, mutatorName, replacement].join("\0")).digest("hex")
}

/** Finds all mutants of `files`, numbered in their order, and places those whose number `isPlaced` accepts. */
async function instrument(files, isPlaced) {
  const { parser, print, transform, Instrumenter } = parts
  const transformSome = (ast, collector, context) => {
    const collect = collector.collect
    collector.collect = (...args) => {
      const mutant = collect.apply(collector, args)
      if (!isPlaced(mutant.id)) mutant.ignoreReason = "not in the sample"
      return mutant
    }
    transform(ast, collector, context)
    collector.collect = collect
  }
  const options = { plugins: null, excludedMutations: [], ignorers: [], noHeader: false }
  const input = files.map(file => ({ ...file, mutate: true }))
  return new Instrumenter(silentLogger, parser, print, transformSome).instrument(input, options)
}

const silentLogger = { isDebugEnabled: () => false, debug() {}, info() {}, warn() {} }

/** The parts of the instrumenter, which it hands to an injector. */
const parts = partsOf(createInstrumenter)

function partsOf(create) {
  const provided = {}
  const injector = {
    provideValue(token, value) {
      provided[token] = value
      return injector
    },
    injectClass: Instrumenter => ({ Instrumenter }),
  }
  const { Instrumenter } = create(injector)
  return {
    Instrumenter,
    print: provided.instrumenterPrint,
    parser: provided.instrumenterCreateParser,
    transform: provided.instrumenterTransform,
  }
}
