import { describe, expect, it } from "vitest"
import { runFileAlone } from "../support/alone.js"

describe("values that nest as deep as is allowed", () => {
  it("fit the stack of a main thread, whatever is done with them", async () => {
    const { status, output, errors } = await runFileAlone(new URL("./depth-program.ts", import.meta.url))
    expect({ status, output, errors: errors.slice(0, 300) }).toEqual({ status: 0, output: "done\n", errors: "" })
  })
})
