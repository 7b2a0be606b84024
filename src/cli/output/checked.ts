// Says how much a check has looked at, so that a check of nothing does not look like success.
import { counted } from "../../value/words.js"
import type { Document } from "../input/document.js"

/** `checked 3 objects in 2 files: ` and the result. */
export function checkedLine(documents: readonly Document[], result: string): string {
  const files = new Set(documents.map(({ file }) => file))
  // An object of a cluster has no text.
  const isRead = documents.every(({ source }) => source.text !== "")
  const where = isRead ? ` in ${counted(files.size, "file")}` : ""
  return `checked ${counted(documents.length, "object")}${where}: ${result}`
}
