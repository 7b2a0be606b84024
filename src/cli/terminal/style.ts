// The styles of text on a terminal.
import { styleText } from "node:util"

/** Functions that colour text, or return it unchanged. */
export interface Style {
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

/** Leaves all text as it is, for files. */
export const plainStyle: Style = { strong: same, faint: same, good: same, bad: same }
/** Colours text, with the codes of terminals. */
export const colouredStyle: Style = {
  strong: styled("bold"),
  faint: styled("dim"),
  good: styled("green"),
  bad: styled("red"),
}

function same(text: string): string {
  return text
}

/** Always colours: `styleFor` decides whether colours are wanted. */
function styled(format: "bold" | "dim" | "green" | "red"): (text: string) => string {
  return text => styleText(format, text, { validateStream: false })
}

/**
 * Returns colours for a stream that is a terminal, unless TERM is dumb. NO_COLOR turns colours off for all streams; otherwise FORCE_COLOR
 * turns them on, or off if it is 0 or false.
 */
export function styleFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const { NO_COLOR = "", FORCE_COLOR, TERM } = env
  if (NO_COLOR !== "") return plainStyle
  if (FORCE_COLOR !== undefined) return FORCE_COLOR === "0" || FORCE_COLOR === "false" ? plainStyle : colouredStyle
  return stream.isTTY === true && TERM !== "dumb" ? colouredStyle : plainStyle
}
