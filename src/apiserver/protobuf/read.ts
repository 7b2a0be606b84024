// Decodes protobuf with code that is loaded on the first use.

import { unsupportedMediaType } from "../../kinds/refusal/failure.js"
import type { MapValue } from "../../value/value.js"
import type { ObjectKind } from "./envelope.js"

/**
 * Decodes a body in protobuf to its JSON value. Throws a RequestFailure: 400 for a malformed body, 415 if `@bufbuild/protobuf`, an optional
 * peer dependency, is not installed.
 */
export async function readProtobuf(body: Uint8Array, expected: ObjectKind): Promise<MapValue> {
  const wire = await import("@bufbuild/protobuf/wire").catch(() => undefined)
  if (wire === undefined) {
    throw unsupportedMediaType(
      "this test API server reads protobuf only where @bufbuild/protobuf is installed: npm install @bufbuild/protobuf, or send application/json (kubectl create -f FILE; ContentType: application/json in client-go)",
    )
  }
  const { decodeEnvelope } = await import("./envelope.js")
  return decodeEnvelope(body, expected, bytes => new wire.BinaryReader(bytes))
}
