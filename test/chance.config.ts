// npm run test:chance: the tests in a random order, with a clock whose seconds end anywhere. No test may notice. Vitest prints the seed of
// the order; `-- --sequence.seed=SEED` runs the same order again.
import { mergeConfig, type ViteUserConfig } from "vitest/config"
import config from "../vitest.config.js"

const shuffled: ViteUserConfig = {
  test: { env: { TEST_CLOCK_STEP: "900" }, sequence: { shuffle: { files: true, tests: true } } },
}

export default mergeConfig(config, shuffled)
