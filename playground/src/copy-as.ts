// The texts as which a story can be copied.
import { kubectlScript } from "../../src/tools/simulator/export/kubectl-script.js"
import { portableStory } from "../../src/tools/simulator/export/portable-story.js"
import { vitestTest } from "../../src/tools/simulator/export/vitest-test.js"
import type { Course } from "./play.js"
import type { Scene } from "./scene.js"
import { isGo } from "./state.js"
import { storyText } from "./stories.js"

/** The form of a copy: commands of kubectl, a story file, or a test for vitest. */
export type CopyForm = "kubectl" | "story" | "test"

/** Returns the story in this form. Commands and tests have the steps that are played, and a story file has all. */
export function copyText(form: CopyForm, course: Course, scene: Scene): string {
  if (form === "story") return storyText(scene)
  const { at, types, server } = scene
  const { story, results, simulation } = course
  const remarks = [
    ...(at < results.length ? [`The story ends with step ${at}.`] : []),
    ...(isGo(types) ? ["The kinds of Go types are missing: make definitions of them."] : []),
    ...(server === "merge" ? ["The page merged objects only: a server also sets defaults and validates."] : []),
  ]
  const played = { story, steps: results.slice(0, at), simulation }
  return form === "kubectl"
    ? kubectlScript(portableStory(played, "kubectl", remarks))
    : vitestTest(portableStory(played, "server", remarks))
}
