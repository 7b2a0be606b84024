// Writes played stories as a report in JUnit's XML.
import { formatSuites, type TestCase, type TestSuite } from "../output/ci/junit.js"
import type { Secrets } from "../secrets/secrets.js"
import type { PlayedStory } from "./stories.js"
import { requestTitle } from "./text.js"

/** Writes a suite for each story, with a test case for each step. */
export function formatStoriesAsJUnit(all: readonly PlayedStory[], secrets: Secrets): string {
  return formatSuites("smd simulate", secrets.hide(all.map(suiteOf)))
}

function suiteOf({ story, source, steps }: PlayedStory): TestSuite {
  const { file } = source
  const cases = steps.map(({ storyStep, step, failures }, i): TestCase => {
    const name = [step.index, step.manager, requestTitle(step)].filter(word => word !== "").join(" ")
    return {
      name: storyStep.about === undefined ? name : `${name}: ${storyStep.about}`,
      group: story.title,
      file,
      line: source.positionOf(["steps", i])?.line,
      failures: failures.map(({ message, steps, line, column }) => {
        const place = line === undefined ? file : `${file}:${line}:${column}`
        return { message, type: String(steps[3] ?? "outcome"), details: [`${place}: ${message}`] }
      }),
    }
  })
  return { name: story.title, file, cases }
}
