// Whole values from a JsonReader. What is open is kept in a list, not on the stack, so that depth is the reader's to bound.

import { put } from "../value/object.js"
import type { Value } from "../value/value.js"
import {
  expectLetters,
  fail,
  firstItem,
  firstKey,
  type JsonReader,
  nextItem,
  nextKey,
  nextToken,
  type ObjectReading,
  putBack,
  readNumber,
  readString,
  skipNumber,
} from "./reader.js"

// An array or object that is being read: the list, or the map and the key that waits for its value.
interface Open {
  readonly list: Value[] | null
  readonly map: Record<string, Value>
  key: string
}

/** Reads one value of any kind. */
export function readValue(reader: JsonReader): Value {
  return read(reader, "ReadMapCB")
}

/** Reads past one value of any kind. The library has other words for what is wrong with it, and takes more numbers. */
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

// A scalar or an empty container; undefined where a container was opened instead and its first value follows.
function readScalarOrOpen(reader: JsonReader, reading: ObjectReading, open: Open[]): Value | undefined {
  const skips = reading === "ReadObjectCB"
  const token = nextToken(reader)
  switch (token) {
    case '"':
      return readString(reader, skips ? "trySkipString" : "ReadString")
    case "n":
      if (!skips) putBack(reader)
      expectLetters(reader, skips ? "ull" : "null")
      return null
    case "t":
      expectLetters(reader, "rue")
      return true
    case "f":
      expectLetters(reader, "alse")
      return false
    case "{": {
      const key = firstKey(reader, reading)
      if (key === undefined) return {}
      open.push({ list: null, map: {}, key })
      return undefined
    }
    case "[":
      if (!firstItem(reader)) return []
      open.push({ list: [], map: {}, key: "" })
      return undefined
  }
  const isNumber = /[-\d]/.test(token)
  if (skips && token !== "0") {
    if (!isNumber) fail(reader, "Skip", `do not know how to skip: ${token.charCodeAt(0)}`)
    skipNumber(reader)
    return 0
  }
  putBack(reader)
  if (!isNumber) fail(reader, "Read", "unexpected value type: 0")
  return readNumber(reader, skips ? "readFloat32" : "readFloat64")
}

// Takes what follows a value in a container. Undefined where another value comes, the finished container at its end.
function moveOn(reader: JsonReader, reading: ObjectReading, open: Open[], around: Open): Value | undefined {
  if (around.list !== null) {
    if (nextItem(reader)) return undefined
  } else {
    const key = nextKey(reader, reading)
    if (key !== undefined) {
      around.key = key
      return undefined
    }
  }
  open.pop()
  return around.list ?? around.map
}
