// The options that decide which values are hidden. Every command has them.
import { ParseError } from "../../errors.js"
import { type MaskPath, parseMaskPath } from "../../tools/secrets/mask-path.js"
import { Secrets } from "../secrets/secrets.js"
import { flag, grouped, repeated, UsageError, type ValuesOf } from "./options.js"

export const secretOptions = grouped("Output", {
  mask: repeated("PATH", "hide the values of these fields too; [*] stands for any field or item", parseMask),
  showSecrets: flag("show the values of Secrets and of --mask, which are hidden otherwise"),
})

/** Returns the secrets of a run with these options. */
export function secretsOf({ mask, showSecrets }: Partial<ValuesOf<typeof secretOptions>>): Secrets {
  return new Secrets({ show: showSecrets === true, masks: mask ?? [] })
}

function parseMask(text: string, name: string): MaskPath {
  try {
    const path = parseMaskPath(text)
    if (path.length > 0) return path
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw new UsageError(`${name}: ${error.message}`)
  }
  throw new UsageError(`${name} needs a value: PATH`)
}
