// Whole values from a JsonReader. What is open is kept in a list, not on the stack, so that depth is the reader's to bound.
import { BYTE, isDigit, type JsonReader } from "./json-reader.js"
import { put } from "./object.js"
import type { Value } from "./value.js"

// An array or object that is being read: the list, or the map and the key that waits for its value.
interface Open {
  readonly list: Value[] | null
  readonly map: Record<string, Value>
  key: string
}

/** Reads one value of any kind. */
export function readValue(reader: JsonReader): Value {
  const open: Open[] = []
  for (;;) {
    let value = readScalarOrOpen(reader, open)
    while (value !== undefined) {
      const around = open[open.length - 1]
      if (around === undefined) return value
      if (around.list !== null) around.list.push(value)
      else put(around.map, around.key, value)
      value = moveOn(reader, open, around)
    }
  }
}

// A scalar or an empty container; undefined where a container was opened instead and its first value follows.
function readScalarOrOpen(reader: JsonReader, open: Open[]): Value | undefined {
  const byte = reader.nextToken()
  reader.putBack()
  switch (byte) {
    case BYTE.quote:
      return reader.readString()
    case BYTE.n:
      reader.expectLetters("null")
      return null
    case BYTE.t:
      reader.nextToken()
      reader.expectLetters("rue")
      return true
    case BYTE.f:
      reader.nextToken()
      reader.expectLetters("alse")
      return false
    case BYTE.openBrace:
      if (!reader.openObject("ReadMapCB")) return {}
      open.push({ list: null, map: {}, key: reader.readMapKey(BYTE.quote) })
      return undefined
    case BYTE.openBracket:
      if (!reader.openArray()) return []
      open.push({ list: [], map: {}, key: "" })
      return undefined
  }
  if (byte !== BYTE.minus && !isDigit(byte)) reader.fail("Read", "unexpected value type: 0")
  return reader.readNumber()
}

// Takes what follows a value in a container. Undefined where another value comes, the finished container at its end.
function moveOn(reader: JsonReader, open: Open[], around: Open): Value | undefined {
  if (around.list !== null) {
    if (reader.continueArray()) return undefined
  } else if (reader.continueObject("ReadMapCB")) {
    around.key = reader.readMapKey(BYTE.comma)
    return undefined
  }
  open.pop()
  return around.list ?? around.map
}

/** Reads past one value of any kind. */
export function skipValue(reader: JsonReader): void {
  const open: ("array" | "object")[] = []
  do {
    while (skipScalarOrOpen(reader, open));
  } while (skipToNext(reader, open))
}

// True where a container was opened and its first value follows.
function skipScalarOrOpen(reader: JsonReader, open: ("array" | "object")[]): boolean {
  const byte = reader.nextToken()
  switch (byte) {
    case BYTE.quote:
      reader.skipString()
      return false
    case BYTE.n:
      reader.expectLetters("ull")
      return false
    case BYTE.t:
      reader.expectLetters("rue")
      return false
    case BYTE.f:
      reader.expectLetters("alse")
      return false
    case BYTE.zero:
      reader.putBack()
      reader.readNumber("readFloat32")
      return false
    case BYTE.openBrace:
      reader.putBack()
      if (!reader.openObject("ReadObjectCB")) return false
      reader.readObjectKey()
      open.push("object")
      return true
    case BYTE.openBracket:
      reader.putBack()
      if (!reader.openArray()) return false
      open.push("array")
      return true
  }
  if (byte !== BYTE.minus && !isDigit(byte)) reader.fail("Skip", `do not know how to skip: ${byte}`)
  reader.skipNumber()
  return false
}

// Takes what follows a finished value, closing what ends there; true where another value comes.
function skipToNext(reader: JsonReader, open: ("array" | "object")[]): boolean {
  for (let around = open.at(-1); around !== undefined; around = open.at(-1)) {
    if (around === "array") {
      if (reader.continueArray()) return true
    } else if (reader.continueObject("ReadObjectCB")) {
      reader.readObjectKey()
      return true
    }
    open.pop()
  }
  return false
}
