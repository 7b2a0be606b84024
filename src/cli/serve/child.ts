// Runs the command for which a server was started, and handles signals.
import { spawn } from "node:child_process"
import { constants } from "node:os"
import { isatty } from "node:tty"

const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const

/**
 * Runs a command on the terminal of this process, with these additional environment variables, and passes signals on to it. Returns its
 * exit status, or 128 plus the number of the signal that ended it. Rejects if it can't be run.
 */
export async function runCommand(command: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const [file = "", ...args] = command
  const child = spawn(file, args, { stdio: "inherit", env: { ...process.env, ...env } })
  // A terminal sends typed signals to the whole process group, so the command has received them already.
  // Not process.stdin.isTTY: process.stdin makes reads of a pipe fail instead of wait, also those of the command.
  const typed = isatty(0) ? ["SIGINT", "SIGQUIT"] : []
  const passOn = (signal: NodeJS.Signals): void => {
    if (!typed.includes(signal)) child.kill(signal)
  }
  for (const signal of signals) process.on(signal, passOn)
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject)
      child.once("exit", (status, signal) => resolve(status ?? 128 + constants.signals[signal as NodeJS.Signals]))
    })
  } finally {
    for (const signal of signals) process.off(signal, passOn)
  }
}

/** Resolves at the first signal to stop. A second signal ends the process at once. */
export function untilStopped(): Promise<void> {
  return new Promise(resolve => {
    const stop = (): void => {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
}
