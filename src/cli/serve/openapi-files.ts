// Reads the documents of `--openapi`, and finds the group and version of each.
import { gunzipSync } from "node:zlib"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import { InputError } from "../input/document.js"
import type { Input } from "../input/input.js"
import { mostBytes } from "../terminal/terminal.js"

/** Reads the documents of files and folders by group and version (`apis/apps/v1`). Throws an InputError for any other file. */
export async function readOpenAPI(paths: readonly string[], input: Input): Promise<Record<string, MapValue>> {
  const found: Record<string, MapValue> = {}
  for (const path of paths) {
    const folder = await input.filesOf(path, true, [".json", ".json.gz"])
    for (const file of folder ?? [path]) {
      const document = await readDocument(file, input)
      const name = groupVersionOf(document)
      // A cluster also has documents about other addresses, such as /version and /apis.
      if (name !== undefined) found[name] = document
      else if (folder === undefined) {
        throw new InputError(`${file}: has no path of a group and version, such as /apis/apps/v1/`)
      }
    }
  }
  return found
}

async function readDocument(file: string, input: Input): Promise<MapValue> {
  const value = await input.json(file, bytes =>
    isCompressed(bytes) ? gunzipSync(bytes, { maxOutputLength: mostBytes }) : bytes,
  )
  if (isMap(value) && isMap(own(value, "paths")) && own(value, "openapi") !== undefined) return value
  const remedy = "expected the output of kubectl get --raw /openapi/v3/apis/apps/v1"
  if (isMap(value) && own(value, "swagger") !== undefined) throw new InputError(`${file}: is OpenAPI v2; ${remedy}`)
  throw new InputError(`${file}: is not an OpenAPI v3 document; ${remedy}`)
}

/** The group and version with which the addresses in a document begin. The name of its file does not matter. */
function groupVersionOf(document: MapValue): string | undefined {
  for (const path of Object.keys(own(document, "paths") as MapValue)) {
    const found = /^\/(api\/v[^/]+|apis\/[^/]+\/v[^/]+)\//.exec(path)
    if (found !== null) return found[1]
  }
  return undefined
}

function isCompressed(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}
