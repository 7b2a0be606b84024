// Stryker's runner for vitest, but for test files that fail to load: no test of theirs fails, since none is known, so a mutant that
// breaks a module while it is loaded would count as missed. Here it counts as an error, which is noticed.
import { declareFactoryPlugin, PluginKind } from "@stryker-mutator/api/plugin"
import { strykerPlugins as vitestPlugins } from "@stryker-mutator/vitest-runner"

const [vitest] = vitestPlugins
/** TestStatus.Failed of Stryker. */
const failed = 1

function createRunner(injector) {
  const runner = vitest.factory(injector)
  const run = runner.run.bind(runner)
  runner.run = async options => {
    const result = await run(options)
    if (result.status !== "complete" || result.tests.some(({ status }) => status === failed)) return result
    const errors = runner.ctx.state.getFiles().flatMap(file => file.result?.errors ?? [])
    return errors.length === 0 ? result : { status: "error", errorMessage: errors[0].message }
  }
  return runner
}

createRunner.inject = vitest.factory.inject
export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "vitest-loading", createRunner)]
