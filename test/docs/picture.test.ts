/** docs/picture.svg shows the output of commands. `npm run unit -- test/docs/picture.test.ts -u` draws it again. */
import { join } from "node:path"
import { expect, it } from "vitest"
import { projectRoot } from "../support/entries.js"
import { picture } from "./picture.js"

it("is drawn from the current output", async () => {
  await expect(await picture()).toMatchFileSnapshot(join(projectRoot, "docs/picture.svg"))
})
