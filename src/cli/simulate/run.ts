// `smd simulate`: plays stories and reports their results.
//
// stories.ts reads and plays them, and searches.ts plays their steps in other orders. text.ts, searches-text.ts and junit-stories.ts format the
// results.

import { type Contention, contend } from "../../tools/simulator/search/contend.js"
import { endingFields, type LeftOutField } from "../../tools/simulator/search/ending-fields.js"
import type { OrderOutcome } from "../../tools/simulator/search/permute.js"
import { objectsOf } from "../../tools/simulator/story/needs.js"
import type { Value } from "../../value/value.js"
import { readAdmission } from "../input/admission.js"
import { forEach } from "../input/document.js"
import type { Context } from "../input/input.js"
import { formatDocument } from "../output/document.js"
import { formatStoriesAsJUnit } from "./junit-stories.js"
import type { SimulateArguments } from "./options.js"
import { otherOrders, type StoryOrders } from "./searches.js"
import { formatFights, formatOrders } from "./searches-text.js"
import { type PlayedStory, playStory, readStories, reportFindings, storyOptions } from "./stories.js"
import { formatStory, formatTotal } from "./text.js"

/** A played story, with the results of `--permute` and `--contend`. */
interface SimulatedStory {
  readonly played: PlayedStory
  readonly orders: StoryOrders | undefined
  readonly contention: Contention | undefined
  /** The smallest change that ends all fights; undefined if nobody fights, or if no change helps. */
  readonly ending: readonly LeftOutField[] | undefined
}

/** Plays the stories of the operands, and returns the exit status. */
export async function simulateStories(context: Context<SimulateArguments>): Promise<number> {
  const { args, input, terminal } = context
  const { secrets } = input
  const { output: form = "text" } = args
  const stories = await readStories(context)
  let number = 0
  const say = (what: string) => terminal.progress(`story ${number} of ${stories.length}: ${what}`)
  const told = stories.map(({ story }) => story)
  const found = await readAdmission(args, input, told.flatMap(objectsOf))
  const options = { ...(await storyOptions(told)), ...(found && { admission: found.admission }) }
  const results = await forEach(stories, async (source): Promise<SimulatedStory> => {
    number++
    const { title } = source.story
    const played = playStory(source, options, (step, steps) => say(`${title}, step ${step} of ${steps}`))
    const orders = args.permute
      ? otherOrders(played, (orders, total) => say(`${title}, order ${orders} of ${total}`))
      : undefined
    const contention = args.contend ? secrets.hide(contend(played.simulation)) : undefined
    const ending = contention?.settled === false ? endingFields(played.simulation) : undefined
    return { played, orders, contention, ending }
  }).finally(() => terminal.progress(undefined))
  const all = results.map(({ played }) => played)
  for (const played of all) reportFindings(played, terminal)
  if (form === "json") terminal.write(formatDocument(secrets.hide(results.map(recordOf)), form))
  else if (form === "junit") terminal.write(formatStoriesAsJUnit(all, secrets))
  else {
    for (const { played, orders, contention, ending } of results) {
      terminal.write(formatStory(played, terminal, secrets))
      if (orders !== undefined) terminal.write(formatOrders(orders, terminal, secrets))
      if (contention !== undefined) terminal.write(formatFights(contention, ending, terminal))
      terminal.write("\n")
    }
    terminal.write(formatTotal(all, terminal.style))
  }
  return results.every(({ played, contention }) => played.passed && contention?.settled !== false) ? 0 : 1
}

function recordOf({ played, orders, contention, ending }: SimulatedStory): Value {
  const { source, passed, steps } = played
  const record = {
    file: source.file,
    title: source.story.title,
    passed,
    steps: steps.map(({ step, failures }) => ({ ...step.toJSON(), failures })),
    ...(orders !== undefined && { orders: plainOrders(orders) }),
    ...(contention !== undefined && { contention }),
    ...(ending !== undefined && { ending }),
  }
  return record as unknown as Value
}

/** The orders as data, with requests as numbers of steps, counted from 1. */
function plainOrders({ permutation: { outcomes, shortest, ...rest }, first }: StoryOrders): object {
  const numbers = (requests: readonly number[]) => requests.map(number => number + first + 1)
  const plain = ({ orders, example, refused }: OrderOutcome) => ({
    orders,
    example: numbers(example),
    refused: numbers(refused),
  })
  return {
    first,
    ...rest,
    outcomes: outcomes.map(plain),
    ...(shortest !== undefined && {
      shortest: { differs: shortest.differs, first: plain(shortest.first), second: plain(shortest.second) },
    }),
  }
}
