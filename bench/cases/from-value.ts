import { fieldSetFromValue, formatFieldsV1, type Value } from "../../src/index.js"
import type { FromValueCase } from "../fixtures/plan-types.js"
import type { Runnable } from "./runnable.js"

export function fromValueCase({ json }: FromValueCase): Runnable {
  const value = JSON.parse(json) as Value
  const run = () => fieldSetFromValue(value)
  return { run, answer: () => JSON.stringify(formatFieldsV1(run())) }
}
