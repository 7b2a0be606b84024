// Lists of bytes: put together, and written as text.

/** The parts as one list. Shares the only one there is. */
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

/** The bytes in base64, as Go writes them into JSON. */
export function base64(bytes: Uint8Array): string {
  let binary = ""
  // A call takes only so many arguments.
  const most = 1 << 14
  for (let start = 0; start < bytes.length; start += most) {
    binary += String.fromCharCode(...bytes.subarray(start, start + most))
  }
  return btoa(binary)
}
