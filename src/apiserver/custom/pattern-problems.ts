// Regular expressions that Go refuses (RE2), in its words. JavaScript's differ most in what they take beyond that: looking around
// and back references.

/** The largest count of a repetition. */
const mostRepeats = 1000
const repetition = /[*+?]\??|\{(\d+)(?:,(\d*))?\}\??/y
/** Letters that mean something after a backslash. Other letters and digits mean nothing there. */
const escaped = /[^A-Za-z0-9_]|[0-7]|[AbBaCfnrtvdDsSwWzQEpPx]/u

/** Why the pattern is none to Go, such as "missing closing ): `(a`"; undefined if nothing is found. */
export function goPatternProblem(pattern: string): string | undefined {
  let depth = 0
  /** Where the last thing that can be repeated is followed by a repetition; undefined if there is none. */
  let repeated: number | undefined
  let repeatable = false
  for (let at = 0; at < pattern.length; ) {
    repetition.lastIndex = at
    const found = repetition.exec(pattern)
    if (found !== null) {
      const [text, least = "0", most = ""] = found
      if (Math.max(Number(least), Number(most)) > mostRepeats || (most !== "" && Number(most) < Number(least))) {
        return quoted("invalid repeat count", text.replace(/\?$/, ""))
      }
      if (!repeatable) return quoted("missing argument to repetition operator", text)
      if (repeated !== undefined)
        return quoted("invalid nested repetition operator", pattern.slice(repeated, at) + text)
      repeated = at
      at += text.length
      continue
    }
    repeated = undefined
    const character = pattern[at] as string
    if (character === "\\") {
      const next = String.fromCodePoint(pattern.codePointAt(at + 1) ?? 0)
      if (at + 1 >= pattern.length) return "trailing backslash at end of expression: ``"
      if (!escaped.test(next) || /[1-7]/.test(next)) return quoted("invalid escape sequence", `\\${next}`)
      const end = next === "Q" ? pattern.indexOf("\\E", at) : -1
      at = next === "Q" ? (end < 0 ? pattern.length : end + 2) : at + 1 + next.length
    } else if (character === "[") {
      const end = endOfClass(pattern, at)
      if (typeof end === "string") return end
      at = end
    } else if (character === "(") {
      const [open] = /^\((?:\?(?:P?<[A-Za-z_]\w*>|[imsU]*(?:-[imsU]+)?[:)]))?/.exec(
        pattern.slice(at),
      ) as RegExpExecArray
      if (open === "(" && pattern[at + 1] === "?") return unknownGroup(pattern, at)
      if (!open.endsWith(")")) depth++
      at += open.length
      repeatable = false
      continue
    } else if (character === ")") {
      if (depth === 0) return quoted("unexpected )", pattern)
      depth--
      at++
    } else if (character === "|") {
      at++
      repeatable = false
      continue
    } else at++
    repeatable = true
  }
  return depth > 0 ? quoted("missing closing )", pattern) : undefined
}

function quoted(problem: string, text: string): string {
  return `${problem}: \`${text}\``
}

function unknownGroup(pattern: string, at: number): string {
  const rest = pattern.slice(at)
  const [named] = /^\(\?P?<[^>]*>?/.exec(rest) ?? []
  if (named !== undefined) return quoted("invalid named capture", named.endsWith(">") ? named : rest)
  return quoted("invalid or unsupported Perl syntax", /^\(\?[imsU-]*[^imsU-]/u.exec(rest)?.[0] ?? rest)
}

/** Where a class ends that begins here, or what is wrong with it. */
function endOfClass(pattern: string, start: number): number | string {
  let at = start + (pattern[start + 1] === "^" ? 2 : 1)
  const member = /\[:\^?\w+:\]|\\[pP](?:\{[^}]*\}|\w)|\\x(?:\{[\da-fA-F]+\}|[\da-fA-F]{2})|\\?[\s\S]/uy
  const step = () => {
    member.lastIndex = at
    const [text] = member.exec(pattern) ?? []
    at += text?.length ?? 0
    return text
  }
  for (let first = true; first || pattern[at] !== "]"; first = false) {
    const begin = at
    const low = step()
    if (low === undefined) return quoted("missing closing ]", pattern.slice(start))
    if (pattern[at] !== "-" || pattern[at + 1] === "]" || at + 1 >= pattern.length) continue
    at++
    const high = step()
    if (high === undefined) return quoted("missing closing ]", pattern.slice(start))
    if ([...low].length === 1 && [...high].length === 1 && low > high) {
      return quoted("invalid character class range", pattern.slice(begin, at))
    }
  }
  return at + 1
}
