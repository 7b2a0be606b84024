// `smd serve`: creates a server from the options, and runs it for a command or until a signal.
//
// objects.ts loads its objects, state-file.ts saves its state, recording.ts records its requests, replaying.ts replays a log, and child.ts runs the
// command.

import { rmSync } from "node:fs"
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { readTokens } from "../../apiserver/authorization/users.js"
import type { StageItem } from "../../apiserver/controllers/stages.js"
import { controllerProblems } from "../../apiserver/controllers.js"
import { type FaultRule, faultProblems, readFaults } from "../../apiserver/faults/rules.js"
import { callWebhookByHttps } from "../../apiserver/node/call-webhook.js"
import { type Listening, listen } from "../../apiserver/node/listen.js"
import { type ApiServer, createApiServer } from "../../apiserver/server.js"
import { quoteForShell } from "../../value/quote.js"
import { counted } from "../../value/words.js"
import { InputError } from "../input/document.js"
import type { Context, Input } from "../input/input.js"
import { chosenPolicy } from "../input/unions.js"
import { printable } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { runCommand, untilStopped } from "./child.js"
import { loadObjects } from "./objects.js"
import { readOpenAPI } from "./openapi-files.js"
import type { ServeArguments } from "./options.js"
import { Recording } from "./recording.js"
import type { Replay } from "./replay/replay.js"
import { isForReplay, openReplay, reportGaps, startReplay } from "./replaying.js"
import { StateFile } from "./state-file.js"

/** Serves until the command of the arguments ends, or until a signal. Returns the exit status. */
export async function serveFor(context: Context<ServeArguments>): Promise<number> {
  const { args, input, terminal } = context
  const replay = await openReplay(context)
  const created = await serverOf(context, replay)
  const server = replay?.emptied(created) ?? created
  await loadObjects(server, context)
  if (replay !== undefined) reportGaps(args.replay ?? "", replay.begin(server), terminal)
  const state = args.save === undefined ? undefined : new StateFile(args.save, server, terminal)
  await state?.begin()
  const recording = args.record === undefined ? undefined : new Recording(args.record, terminal, input.secrets)
  const fetch = async (request: Request): Promise<Response> => {
    if (replay !== undefined && isForReplay(request)) return await replay.answer(request)
    const response = await (recording?.fetch(request, server.fetch) ?? server.fetch(request))
    state?.changed()
    return response
  }
  const isPlain = state === undefined && recording === undefined && replay === undefined
  const listening = await listenAt(args, server, isPlain ? undefined : fetch)
  let status: number
  try {
    status = await withKubeconfig(listening, file => useServer(context, listening, file, replay))
  } finally {
    replay?.stop()
    await listening.close()
    recording?.close()
    await state?.end()
  }
  return status === 0 && state?.isSaved === false ? 2 : status
}

async function serverOf({ args, input }: Context<ServeArguments>, replay: Replay | undefined): Promise<ApiServer> {
  // With "off", definitions keep their unions; without the option, a server drops them.
  const unions = args.unions === undefined ? undefined : chosenPolicy(args)
  const openapi = await readOpenAPI(args.openapi, input)
  const tokens = args.tokens === undefined ? undefined : await readUsers(args.tokens)
  const faults = args.faults === undefined ? undefined : await readFaultsOf(args.faults, input)
  const controllers = await stagesFor(args, input)
  const { authorization, featureGates, parity } = args
  const readOnly = args.readOnly || (replay !== undefined && !args.writable)
  const callWebhook = callWebhookByHttps
  const server = createApiServer({
    openapi,
    controllers,
    readOnly,
    authorization,
    tokens,
    featureGates,
    parity,
    callWebhook,
    faults,
    clock: replay?.now,
    ...(unions !== undefined && { unions }),
  })
  await server.ready().catch(error => {
    throw new InputError((error as Error).message)
  })
  return server
}

/** Returns the stages of the arguments. Throws an InputError with the place of each problem in the file. */
async function stagesFor(
  { controllers, stages }: ServeArguments,
  input: Input,
): Promise<readonly StageItem[] | undefined> {
  if (stages === undefined) return controllers ? ["*"] : undefined
  const { value, at } = await input.document(stages)
  const problems = controllerProblems(value)
  if (problems.length > 0) throw new InputError(problems.map(({ steps, message }) => `${at(steps)}: ${message}`))
  const own = (value as { readonly stages: readonly StageItem[] }).stages
  return controllers ? ["*", ...own] : own
}

/** Returns the rules of a file. Throws an InputError with the place of each problem. */
async function readFaultsOf(file: string, input: Input): Promise<readonly FaultRule[]> {
  const { value, at } = await input.document(file)
  const problems = faultProblems(value)
  if (problems.length > 0) throw new InputError(problems.map(({ steps, message }) => `${at(steps)}: ${message}`))
  return readFaults(value)
}

/** Returns the text of a file of tokens. Throws an InputError if the text has another form. */
async function readUsers(file: string): Promise<string> {
  try {
    const text = await readFile(file, "utf8")
    readTokens(text)
    return text
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new InputError(`${file}: ${code === "ENOENT" ? "no such file" : message}`)
  }
}

async function listenAt(
  { host = "127.0.0.1", port = 0, allowHost: hosts }: ServeArguments,
  server: ApiServer,
  fetch: ApiServer["fetch"] | undefined,
): Promise<Listening> {
  try {
    return await listen({ server, fetch, host, port, hosts })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const known: Readonly<Record<string, string>> = {
      EADDRINUSE: "the port is in use",
      EACCES: "the port is for privileged users only",
      EADDRNOTAVAIL: "this machine has no such address",
      ENOTFOUND: "no such address",
    }
    throw new InputError(`can't serve at ${host}, port ${port}: ${known[code ?? ""] ?? message}`)
  }
}

/** Returns the result of `use`. Its argument is the path of a kubeconfig that exists until `use` has ended. */
async function withKubeconfig<T>({ kubeconfig }: Listening, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "smd-serve-"))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  // For a process that ends with an error.
  process.once("exit", remove)
  try {
    const file = join(folder, "kubeconfig")
    await writeFile(file, kubeconfig, { mode: 0o600 })
    return await use(file)
  } finally {
    process.off("exit", remove)
    remove()
  }
}

async function useServer(
  { args, input, terminal }: Context<ServeArguments>,
  { url, server }: Listening,
  kubeconfig: string,
  replay: Replay | undefined,
): Promise<number> {
  warnOfStrangers(args.host, terminal)
  const command = args.afterDashes
  if (command.length > 0) {
    replay?.play()
    // kubectl caches its knowledge of a server by address, and another server may have had this port.
    const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dirname(kubeconfig), "cache") }
    return await runCommand(command, env).catch(error => cannotRun(command[0] ?? "", error, terminal))
  }
  const { strong } = terminal.style
  const readOnly = args.readOnly || (replay !== undefined && !args.writable) ? ", read-only" : ""
  const stopped = untilStopped()
  terminal.write(
    `Serving ${counted(server.snapshot().length, "object")}${readOnly}, at ${strong(printable(url))}\n\n` +
      `  export KUBECONFIG=${quoteForShell(printable(kubeconfig))}\n\n` +
      "Press Ctrl-C to stop it.\n",
  )
  const stop = replay && startReplay(replay, url, input, terminal)
  await stopped
  stop?.()
  return 0
}

function warnOfStrangers(host: string | undefined, terminal: Terminal): void {
  if (host === undefined || /^(?:127\.|::1$|localhost$)/.test(host)) return
  terminal.report(
    `others can reach ${printable(host)} too: there is no authentication, and anyone who reaches it can do anything\n`,
  )
}

/** Reports why the command can't be run, and returns the exit status that a shell would return. */
function cannotRun(name: string, error: NodeJS.ErrnoException, terminal: Terminal): number {
  const isMissing = error.code === "ENOENT"
  const why = isMissing ? "no such command" : error.code === "EACCES" ? "permission denied" : error.message
  terminal.report(`smd serve: ${printable(name)}: ${printable(why)}\n`)
  return isMissing ? 127 : 126
}
