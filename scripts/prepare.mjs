// Builds the package where npm installs it from its git repository, which has no dist: `npm install github:...`, and hooks of pre-commit.
// npm runs this in a clone of its own. In the clone of a developer it does nothing, because programs there build dist when they need it.
import { ensureInstalled, root } from "./install.mjs"

if (process.env.INIT_CWD !== undefined && process.env.INIT_CWD !== root) {
  // With --global, npm installs the packages of the clone in the wrong place.
  process.env.npm_config_global = "false"
  process.env.npm_config_location = "user"
  ensureInstalled()
  const { build } = await import("./build.mjs")
  build("dist")
}
