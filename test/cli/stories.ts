/** Three of the stories of examples/stories, as files for the commands. The live objects are JSON, so that tests can change them. */
import { parseYaml } from "../../src/io/yaml.js"
import { read } from "../support/documents.js"

function filesOf(story: string) {
  const file = (name: string) => read(`examples/stories/${story}/${name}`)
  return { "web.yaml": file("config.yaml"), "live.json": JSON.stringify(parseYaml(file("live.yaml"))) }
}

/** GitOps still says 3 replicas, a new image, and has dropped a variable; an autoscaler has 7; CI owns the limit too. */
export const replicas = filesOf("autoscaled-replicas")

/** Two appliers of one container: security sets LEVEL and CHECK, and web-team now wants another LEVEL. */
export const variables = filesOf("shared-environment")

/** A port that moves: its number is its key, so one item goes and another comes. */
export const ports = filesOf("changed-port")
