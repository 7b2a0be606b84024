// Reads whole values with a JsonReader. Open lists and maps are kept in a list, not on the stack, so only the reader bounds depth.

import { put } from "../value/object.js"
import type { Value } from "../value/value.js"
import type { JsonReader, ObjectReading } from "./reader.js"

// An array or object that is being read: the list, or the map with the key of the value that is read next.
interface Open {
  readonly list: Value[] | null
  readonly map: Record<string, Value>
  key: string
}

/** Reads one value of any kind. */
export function readValue(reader: JsonReader): Value {
  return read(reader, "ReadMapCB")
}

/** Skips one value of any kind. The library accepts more numbers in skipped values, and has other error messages for them. */
export function skipValue(reader: JsonReader): void {
  read(reader, "ReadObjectCB")
}

function read(reader: JsonReader, reading: ObjectReading): Value {
  const open: Open[] = []
  for (;;) {
    let value = readScalarOrOpen(reader, reading, open)
    while (value !== undefined) {
      const around = open[open.length - 1]
      if (around === undefined) return value
      if (around.list !== null) around.list.push(value)
      else put(around.map, around.key, value)
      value = moveOn(reader, reading, open, around)
    }
  }
}

// Returns a scalar or an empty container; undefined if it opened a container, whose first value follows.
function readScalarOrOpen(reader: JsonReader, reading: ObjectReading, open: Open[]): Value | undefined {
  const skips = reading === "ReadObjectCB"
  const token = reader.nextToken()
  switch (token) {
    case '"':
      return reader.readString(skips ? "trySkipString" : "ReadString")
    case "n":
      if (!skips) reader.putBack()
      reader.expectLetters(skips ? "ull" : "null")
      return null
    case "t":
      reader.expectLetters("rue")
      return true
    case "f":
      reader.expectLetters("alse")
      return false
    case "{": {
      const key = reader.firstKey(reading)
      if (key === undefined) return {}
      open.push({ list: null, map: {}, key })
      return undefined
    }
    case "[":
      if (!reader.firstItem()) return []
      open.push({ list: [], map: {}, key: "" })
      return undefined
  }
  const isNumber = /[-\d]/.test(token)
  if (skips && token !== "0") {
    if (!isNumber) reader.fail("Skip", `do not know how to skip: ${token.charCodeAt(0)}`)
    reader.skipNumber()
    return 0
  }
  reader.putBack()
  if (!isNumber) reader.fail("Read", "unexpected value type: 0")
  return reader.readNumber(skips ? "readFloat32" : "readFloat64")
}

// Takes what follows a value in a container. Returns the container at its end; undefined if another value follows.
function moveOn(reader: JsonReader, reading: ObjectReading, open: Open[], around: Open): Value | undefined {
  if (around.list !== null) {
    if (reader.nextItem()) return undefined
  } else {
    const key = reader.nextKey(reading)
    if (key !== undefined) {
      around.key = key
      return undefined
    }
  }
  open.pop()
  return around.list ?? around.map
}
