// Decodes the envelope of an object in protobuf: a prefix of four bytes, and a message with the kind and the bytes of the object.

import { badRequest } from "../../kinds/refusal/failure.js"
import { put } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import { decodeMessage, type NewReader } from "./decode.js"
import { MessageType, messageTypeOf } from "./message-types.js"

/** The kind of an object. */
export interface ObjectKind {
  readonly apiVersion: string
  readonly kind: string
}

/** The bytes of `k8s` and a zero byte. */
const prefix = [0x6b, 0x38, 0x73, 0]

const typeMeta = new MessageType("1apiVersion=s 2kind=s")

/**
 * Decodes the object in a body. `expected` is the kind if the body names none, and is in messages. Throws a RequestFailure (400) for
 * malformed bytes.
 */
export function decodeEnvelope(body: Uint8Array, expected: ObjectKind, newReader: NewReader): MapValue {
  const { apiVersion: groupVersion, kind: expectedKind } = expected
  const version = JSON.stringify(groupVersion.slice(groupVersion.indexOf("/") + 1))
  try {
    return decodeObject(body, expected, newReader)
  } catch (error) {
    // For malformed bytes, the reader and parseJson throw an Error other than a TypeError.
    if (!(error instanceof Error) || error instanceof TypeError) throw error
    throw badRequest(`${expectedKind} in version ${version} cannot be handled as a ${expectedKind}: ${error.message}`)
  }
}

function decodeObject(body: Uint8Array, expected: ObjectKind, newReader: NewReader): MapValue {
  if (body.length <= prefix.length) throw new RangeError("the body of the request is empty")
  if (prefix.some((byte, index) => body[index] !== byte)) {
    throw new RangeError(
      `provided data does not appear to be a protobuf message, expected prefix [${prefix.join(" ")}]`,
    )
  }
  const parts = splitEnvelope(body.subarray(prefix.length), newReader)
  const named = decodeMessage(parts.typeMeta, typeMeta, newReader)
  const apiVersion = String(named.apiVersion) || expected.apiVersion
  const kind = String(named.kind) || expected.kind
  const type = messageTypeOf(apiVersion, kind)
  if (type === undefined) throw new RangeError(`no kind ${JSON.stringify(kind)} is known for version ${apiVersion}`)
  const out: Record<string, Value> = { kind, apiVersion }
  const fields = decodeMessage(parts.object, type, newReader)
  for (const key in fields) put(out, key, fields[key] as Value)
  return out
}

interface EnvelopeParts {
  typeMeta: Uint8Array
  object: Uint8Array
}

/** Returns the bytes of the kind and of the object. */
function splitEnvelope(bytes: Uint8Array, newReader: NewReader): EnvelopeParts {
  const parts: EnvelopeParts = { typeMeta: new Uint8Array(), object: new Uint8Array() }
  const reader = newReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (wireType === 2 && number === 1) parts.typeMeta = reader.bytes()
    else if (wireType === 2 && number === 2) parts.object = reader.bytes()
    else reader.skip(wireType, number)
  }
  return parts
}
