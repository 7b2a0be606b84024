// Bytes: joined, written as base64, and counted in UTF-8 text; characters counted.

/** Returns the parts as one array. A single part is returned as it is. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = parts
  if (parts.length <= 1) return first
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const part of parts) {
    whole.set(part, end)
    end += part.length
  }
  return whole
}

/** Returns the bytes in base64, as Go writes them into JSON. */
export function base64(bytes: Uint8Array): string {
  let binary = ""
  // Engines limit the arguments of a call.
  const most = 1 << 14
  for (let start = 0; start < bytes.length; start += most) {
    binary += String.fromCharCode(...bytes.subarray(start, start + most))
  }
  return btoa(binary)
}

const ascii = /^[\0-\x7f]*$/

/** Returns the number of characters of the text. A surrogate pair counts as one. */
export function countCharacters(text: string): number {
  if (ascii.test(text)) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}

/** Returns the length of the text in UTF-8, in bytes. */
export function byteLength(text: string): number {
  if (ascii.test(text)) return text.length
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // A surrogate pair takes four bytes: two for each of its units.
    if (unit >= 0x80) length += unit < 0x800 || isPaired(text, i, unit) ? 1 : 2
  }
  return length
}

function isPaired(text: string, i: number, unit: number): boolean {
  if (unit < 0xd800 || unit > 0xdfff) return false
  const other = text.charCodeAt(unit < 0xdc00 ? i + 1 : i - 1)
  return unit < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00
}
