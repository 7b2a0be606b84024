// The characters that mean something in YAML, as codes.
export const tab = 0x09
export const lineBreak = 0x0a
export const space = 0x20
export const doubleQuote = 0x22
export const hash = 0x23
export const ampersand = 0x26
export const singleQuote = 0x27
export const asterisk = 0x2a
export const plus = 0x2b
export const comma = 0x2c
export const dash = 0x2d
export const dot = 0x2e
export const colon = 0x3a
export const greater = 0x3e
export const question = 0x3f
export const openBracket = 0x5b
export const backslash = 0x5c
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const bar = 0x7c
export const closeBrace = 0x7d

/** Whether a text has anything but spaces, tabs and line breaks. */
export function hasText(text: string): boolean {
  return /[^ \t\r\n]/.test(text)
}
