// Fields of protobuf messages as bytes.
import { joined } from "./bytes.js"

const encoder = new TextEncoder()

/** Encodes a string field. */
export function encodeText(number: number, value: string): Uint8Array {
  return encodeField(number, encoder.encode(value))
}

/** Encodes a field whose bytes follow their length: a message, bytes or a string. */
export function encodeField(number: number, bytes: Uint8Array): Uint8Array {
  return joined([varint((number << 3) | 2), varint(bytes.length), bytes])
}

/** Encodes a number or boolean field; the number is neither negative nor above 2^32. */
export function encodeNumber(number: number, value: number): Uint8Array {
  return joined([varint(number << 3), varint(value)])
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}
