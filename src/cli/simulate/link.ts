// `smd simulate --link`: links that open stories in the playground. docs/playground.md describes them.
import { deflateRawSync } from "node:zlib"
import type { Context } from "../input/input.js"
import { UsageError } from "../input/options.js"
import { localPlayground, type SimulateArguments } from "./options.js"
import { readStories, refuseHidden } from "./stories.js"

/** Prints a link for each story of the operands, and returns the exit status. */
export async function linkStories(context: Context<SimulateArguments>): Promise<number> {
  const { args, input, terminal } = context
  const { playground = localPlayground } = args
  if (!URL.canParse(playground)) throw new UsageError(`--playground must be the address of a page, not ${playground}`)
  const stories = await readStories(context)
  refuseHidden(stories, "a link", input.secrets)
  for (const { text } of stories) terminal.write(`${linkTo(playground, text)}\n`)
  return 0
}

function linkTo(playground: string, story: string): string {
  const url = new URL(playground)
  url.hash = `story=${deflateRawSync(story, { level: 9 }).toString("base64url")}`
  return url.href
}
