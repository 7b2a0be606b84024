#!/usr/bin/env node
// Runs the conformance suite on a program that answers one JSON line per request, or on a server. README.md describes both.
//
//   node run.mjs [--level NAME]... [--json] [--failures N] [--timeout SECONDS] -- COMMAND [ARGUMENT...]
//   node run.mjs --url URL [--token TOKEN] [--json] [--failures N] [--timeout SECONDS]
//
// Exits with 0 if no case fails, with 1 if one does, and with 2 if the arguments are wrong.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { inOrder, playStory } from "./http.mjs"

const folder = fileURLToPath(new URL(".", import.meta.url))
const known = JSON.parse(readFileSync(`${folder}case.schema.json`, "utf8")).properties.level.enum
/** How often the program is started again after it ends or hangs. */
const restarts = 10
/** The longest answer, in characters. */
const longest = 10_000_000

const options = readArguments(process.argv.slice(2))
const { version } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"))
const cases = options.levels.flatMap(readCases)
const results = options.url === undefined ? await runAll(cases) : await playAll(cases)
process.stdout.write(options.json ? `${JSON.stringify(summary(results))}\n` : report(results))
process.exitCode = results.some(({ result }) => result === "fail") ? 1 : 0

function readArguments(args) {
  const found = { levels: [], json: false, failures: 5, timeout: 10, command: [] }
  while (args.length > 0) {
    const option = args.shift()
    if (option === "--") {
      found.command = args.splice(0)
    } else if (option === "--url" || option === "--token") {
      found[option.slice(2)] = args.shift()
    } else if (option === "--json") {
      found.json = true
    } else if (option === "--level") {
      const level = args.shift()
      if (!known.includes(level)) fail(`no level ${level}; the levels are ${known.join(", ")}`)
      found.levels.push(level)
    } else if (option === "--failures" || option === "--timeout") {
      const count = Number(args.shift())
      if (!(count >= 0)) fail(`${option} needs a number`)
      found[option.slice(2)] = count
    } else {
      fail(`unknown argument ${option}; the command follows --`)
    }
  }
  const isServer = found.url !== undefined
  if (found.command.length > 0 === isServer)
    fail("node run.mjs [--level NAME] [--json] [--failures N] [--timeout SECONDS] -- COMMAND, or --url URL")
  if (isServer && !URL.canParse(found.url)) fail(`--url needs the URL of a server, not ${found.url}`)
  const possible = known.filter(level => (level === "http") === isServer)
  const wrong = found.levels.find(level => !possible.includes(level))
  if (wrong !== undefined) fail(isServer ? "--url is for the level http" : "the level http needs --url")
  if (found.levels.length === 0) found.levels = possible
  return found
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

function readCases(level) {
  const lines = readFileSync(`${folder}cases/${level}.jsonl`, "utf8")
    .split("\n")
    .filter(line => line !== "")
  return lines.map(line => {
    const { id, rules, expect, accept = [] } = exact(line)
    // The text of the request is sent as it is: 1.0 stays 1.0, and no digit of an integer is lost.
    const request = line.slice(line.indexOf(',"request":{') + ',"request":{'.length, line.lastIndexOf(',"expect":'))
    return { id, level, rules, right: [expect, ...accept], text: `{"id":${JSON.stringify(id)},${request}` }
  })
}

/** Reads JSON. An integer beyond 2^53 becomes `{"$int": "digits"}`. */
function exact(line) {
  return JSON.parse(
    line.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, token => {
      return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `{"$int":"${token}"}` : token
    }),
  )
}

/** Plays stories on a server, one after another. */
async function playAll(all) {
  const found = []
  for (const one of all) {
    let answer
    try {
      answer = { line: await playStory(JSON.parse(one.text), { ...options, read: exact }) }
    } catch (error) {
      answer = { broken: `${error.message}${error.cause ? ` (${error.cause.message})` : ""}` }
    }
    const judged = answer.broken ? { result: "fail", why: answer.broken } : compared(one.right, answer.line)
    found.push({ ...one, ...judged, ...countResponses(one.right[0].responses, answer.line?.responses) })
  }
  return found
}

/** Counts the responses of a story that are right, and those whose status is. */
function countResponses(wanted, got = []) {
  const right = wanted.filter((response, i) => got[i] && responseDifference(response, got[i]) === undefined).length
  const statuses = wanted.filter(({ status }, i) => got[i]?.status === status).length
  return { responses: { right, statuses, all: wanted.length } }
}

async function runAll(all) {
  const found = []
  let program = start()
  let starts = 0
  for (const one of all) {
    if (program === undefined) {
      const why = `not run, since the program ended or hung ${restarts} times`
      found.push({ ...one, result: "fail", why, isNotRun: true })
      continue
    }
    const answer = await program.ask(one.text)
    found.push({ ...one, ...judge(one, answer) })
    if (answer.broken === undefined) continue
    program.stop()
    starts += 1
    program = starts < restarts ? start() : undefined
  }
  program?.stop()
  return found
}

/** Starts the program. `ask` sends a line and returns the next line of the answer. */
function start() {
  const [command, ...args] = options.command
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  let rest = ""
  let ended
  let waiting
  const settle = answer => {
    const resolve = waiting
    waiting = undefined
    resolve?.(answer)
  }
  const end = why => {
    ended ??= why
    settle({ broken: ended })
  }
  child.on("error", error => end(`the program does not start: ${error.message}`))
  child.on("close", () => end("the program ended"))
  child.stdin.on("error", () => end("the program ended"))
  child.stdout.setEncoding("utf8")
  child.stdout.on("data", chunk => {
    rest += chunk
    const at = rest.indexOf("\n")
    if (at < 0 && rest.length > longest) end(`an answer of more than ${longest} characters`)
    if (at < 0) return
    const line = rest.slice(0, at)
    // One answer per request: whatever else the program has printed by now is no answer to the next one.
    rest = ""
    settle({ line })
  })
  return {
    async ask(text) {
      if (ended !== undefined) return { broken: ended }
      const answer = new Promise(resolve => {
        waiting = resolve
      })
      const timer = setTimeout(() => settle({ broken: `no answer in ${options.timeout} s` }), options.timeout * 1000)
      child.stdin.write(`${text}\n`)
      const found = await answer
      clearTimeout(timer)
      return found
    },
    stop() {
      child.stdin.destroy()
      child.kill("SIGKILL")
    },
  }
}

function judge({ id, right }, { line, broken }) {
  if (broken !== undefined) return { result: "fail", why: broken }
  let answer
  try {
    answer = exact(line)
  } catch {
    return { result: "fail", why: `no JSON: ${line.slice(0, 200)}` }
  }
  if (!isMap(answer)) return { result: "fail", why: `no object: ${line.slice(0, 200)}` }
  if (answer.id !== id) return { result: "fail", why: `the answer has the id ${JSON.stringify(answer.id)}` }
  return compared(right, answer)
}

function compared(answers, answer) {
  if (answer.unsupported === true) return { result: "unsupported" }
  const isYesOrNo = typeof answer.differs === "boolean" && answers[0].changes !== undefined
  const right = isYesOrNo ? answers.map(({ changes }) => asYesOrNo(changes, answer.differs)) : answers
  if (right.includes(undefined)) return { result: "unsupported" }
  const whys = right.map(wanted => difference(wanted, answer))
  return whys.includes(undefined) ? { result: "pass" } : { result: "fail", why: whys[0] }
}

/** Returns the answer of a matcher that knows only yes or no; undefined if the case asks for more. It may look at owners or not. */
function asYesOrNo(changes, answered) {
  if (changes === "conflict" || changes === "refused") return undefined
  return { differs: changes === "owners" ? answered : changes === "object" }
}

/** Returns the difference between an answer and a correct one, or undefined. The texts of errors don't count. */
function difference(want, got) {
  if (got.panic !== undefined) return `panic: ${show(got.panic)}`
  if (want.panic !== undefined) return undefined
  if (Array.isArray(want.steps)) {
    if (!Array.isArray(got.steps)) return got.error === undefined ? "no steps" : `refused: ${show(got.error)}`
    if (got.steps.length !== want.steps.length) return `${got.steps.length} steps, not ${want.steps.length}`
    for (const [i, step] of want.steps.entries()) {
      const found = isMap(got.steps[i]) ? difference(step, got.steps[i]) : `is ${show(got.steps[i])}`
      if (found !== undefined) return `step ${i + 1}: ${found}`
    }
    const isFailure = value => isMap(value) && value.error !== undefined
    if (isFailure(want.finalLive) && isFailure(got.finalLive)) return undefined
    return same(want.finalLive, got.finalLive) ? undefined : unequal("finalLive", want.finalLive, got.finalLive)
  }
  if (Array.isArray(want.responses)) {
    const found = want.responses.findIndex(
      (response, i) => responseDifference(response, got.responses[i]) !== undefined,
    )
    if (found < 0) return undefined
    return `response ${found + 1}: ${responseDifference(want.responses[found], got.responses[found])}`
  }
  if (want.error !== undefined && got.error === undefined) return `accepted, not refused: ${show(want.error)}`
  if (want.error === undefined && got.error !== undefined) return `refused: ${show(got.error)}`
  if (isMap(want.error) && !sameStatus(want.error, got.error)) return unequal("error", want.error, got.error)
  // An answer may have more members than the expected one, except these, and lack the text of a comparison.
  for (const name of new Set([...Object.keys(want), "noop", "conflicts"])) {
    if (name === "string" && want.same !== undefined && got.string === undefined) continue
    if (name !== "id" && name !== "error" && !same(want[name], got[name])) return unequal(name, want[name], got[name])
  }
  return undefined
}

function responseDifference(want, got) {
  if (want.status !== got.status) return unequal("status", want.status, got.status)
  for (const name of Object.keys(want)) {
    const isList = name === "owners" || name === "causes"
    const [right, found] = isList ? [inOrder(want[name]), inOrder(got[name] ?? [])] : [want[name], got[name]]
    if (!same(right, found)) return unequal(name, right, found)
  }
  return undefined
}

/** Whether two errors of an API server have the same code, reason and causes. */
function sameStatus(want, got) {
  const part = ({ code, reason, causes }) => ({
    code,
    reason,
    causes: Array.isArray(causes) ? causes.map(cause => ({ reason: cause?.reason, field: cause?.field })) : [],
  })
  return isMap(got) && (want.code === 500 ? got.code === 500 : same(part(want), part(got)))
}

function unequal(name, want, got) {
  if (isMap(want) && isMap(got)) {
    const keys = [...new Set([...Object.keys(want), ...Object.keys(got)])]
    const key = keys.find(one => !(Object.hasOwn(want, one) && Object.hasOwn(got, one) && same(want[one], got[one])))
    if (key !== undefined) return unequal(`${name}.${key}`, want[key], got[key])
  }
  if (Array.isArray(want) && Array.isArray(got) && want.length === got.length) {
    const index = want.findIndex((item, i) => !same(item, got[i]))
    if (index >= 0) return unequal(`${name}[${index}]`, want[index], got[index])
  }
  return `${name} is ${show(got)}, not ${show(want)}`
}

function same(a, b) {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]))
  if (!isMap(a) || !isMap(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && same(a[key], b[key]))
}

function isMap(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function show(value) {
  const text = JSON.stringify(value) ?? "absent"
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}

function count(all) {
  const counts = { pass: 0, fail: 0, unsupported: 0 }
  for (const { result } of all) counts[result] += 1
  return counts
}

/** The failures, those with the smallest requests first, and then the cases that were not run. */
function failuresOf(all) {
  const failures = all.filter(({ result }) => result === "fail")
  const order = ({ isNotRun, text }) => (isNotRun ? 1e9 : 0) + text.length
  return failures.sort((a, b) => order(a) - order(b))
}

function summary(all) {
  const levels = Object.fromEntries(options.levels.map(level => [level, count(all.filter(one => one.level === level))]))
  const failures = failuresOf(all).map(({ id, level, rules, why }) => ({ id, level, rules, why }))
  return { suite: version, levels, ...(options.url !== undefined && { responses: sumResponses(all) }), failures }
}

function sumResponses(all) {
  const sum = { right: 0, statuses: 0, all: 0 }
  for (const { responses } of all) for (const name of Object.keys(sum)) sum[name] += responses[name]
  return sum
}

function report(all) {
  const row = (name, ...numbers) => `${name.padEnd(12)}${numbers.map(number => String(number).padStart(12)).join("")}\n`
  let text = row("level", "pass", "fail", "unsupported")
  for (const level of options.levels) {
    const { pass, fail: failed, unsupported } = count(all.filter(one => one.level === level))
    text += row(level, pass, failed, unsupported)
  }
  if (options.url !== undefined) {
    const { right, statuses, all: count } = sumResponses(all)
    text += `\nOf ${count} responses, ${statuses} have the right status, and ${right} are right.\n`
  }
  const failures = failuresOf(all)
  for (const { id, level, rules, why, text: request } of failures.slice(0, options.failures)) {
    text += `\n${id} (${level}; rules ${rules.join(", ")})\n  ${why}\n  request: ${request.slice(0, 500)}\n`
  }
  if (failures.length > options.failures) text += `\n${failures.length - options.failures} more failures\n`
  return text
}
