/** Laws of servers with controllers, over random sessions. */
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { type ApiServer, createApiServer } from "../../../src/apiserver/index.js"
import { play, type Step, sessionOptions, workloadSession } from "../random-session.js"

/** Every so many sessions go on in forks, which takes most of the time. */
const forkEvery = 4

/** The laws that were broken, and how many objects of each kind and refusals of controllers there were at the ends. */
export interface Outcome {
  readonly broken: readonly string[]
  readonly seen: ReadonlyMap<string, number>
}

/** Checks random sessions: same seed, same bytes; a fork goes on as its server would; a reset begins anew; an earlier state is exact. */
export async function checkLaws(count: number, seed: number): Promise<Outcome> {
  const broken: string[] = []
  const seen = new Map<string, number>()
  const add = (key: string) => seen.set(key, (seen.get(key) ?? 0) + 1)
  const sessions = fc.sample(fc.tuple(fc.integer(), workloadSession, workloadSession), { numRuns: count, seed })
  for (const [i, [serverSeed, before, after]] of sessions.entries()) {
    const laws = await brokenBy(serverSeed, before, i % forkEvery === 0 ? after : undefined, add)
    for (const law of laws) broken.push(`${law}: seed ${serverSeed}, ${JSON.stringify([before, after])}`)
  }
  return { broken, seen }
}

async function brokenBy(
  seed: number,
  before: readonly Step[],
  after: readonly Step[] | undefined,
  add: (key: string) => void,
): Promise<string[]> {
  const created = () => createApiServer({ ...sessionOptions(seed), controllers: true })
  const [server, other] = [created(), created()]
  const broken: string[] = []
  const states = new Map<string, string>()
  const note = (of: ApiServer) => states.set(of.resourceVersion, JSON.stringify(of.snapshot()))
  const first = await play(server, before)
  note(server)
  if (!isDeepStrictEqual(await play(other, before), first)) broken.push("same seed, same bytes")
  if (after !== undefined) {
    const [fork, twin] = [server.fork(), server.fork()]
    const inFork = await play(fork, after)
    if (!isDeepStrictEqual(await play(server, after), inFork)) broken.push("a fork goes on as its server would")
    note(server)
    await play(twin, before)
    twin.reset()
    if (!isDeepStrictEqual(await play(twin, after), inFork)) broken.push("a reset begins anew")
  }
  for (const [version, state] of states) {
    if (JSON.stringify(server.at(version).snapshot()) !== state) broken.push("an earlier state is exact")
  }
  for (const object of server.snapshot()) add(String(object.kind))
  for (const { stage, message } of server.controllerFailures)
    add(`refused: ${stage}: ${message.replace(/"[^"]*"/g, "…").slice(0, 80)}`)
  return broken
}
