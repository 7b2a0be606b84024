import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import { sha256 } from "../../src/value/sha256.js"

it("is the SHA-256 of Node, for each padding", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 37 + length)
    expect(sha256(bytes)).toEqual(new Uint8Array(createHash("sha256").update(bytes).digest()))
  }
})
