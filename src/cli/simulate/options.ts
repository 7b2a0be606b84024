// The options of `smd simulate`.
import { admissionOption } from "../input/admission.js"
import { recordedObjectOptions } from "../input/cluster-options.js"
import {
  flag,
  type Operands,
  option,
  outOption,
  outputOption,
  recursiveOption,
  type ValuesOf,
} from "../input/options.js"

/** Where `npm run playground` serves the playground. */
export const localPlayground = "http://127.0.0.1:8086/"

export const simulateOptions = {
  recursive: recursiveOption,
  admission: admissionOption,
  permute: flag("also play the steps in every order, up to 5040 of them, and report whether the order matters"),
  contend: flag("let each manager repeat its last request again and again, and report the fields that they fight over"),
  link: flag("print links that open the stories in the playground, instead of playing them"),
  playground: option(
    "URL",
    `the page that --link opens; if absent, ${localPlayground}, the page of npm run playground`,
  ),
  record: option("FILE|TYPE/NAME", "print the story of this object, by the log of --record-from"),
  recordFrom: option(
    "LOG|-",
    "an audit log of level RequestResponse, or the output of kubectl get -w -o json --show-managed-fields",
  ),
  ...recordedObjectOptions,
  output: outputOption(
    ["text", "json", "junit", "kubectl", "vitest"],
    "text for people, data for programs, a report for CI, or the story as a script or as a test",
  ),
  out: outOption,
}

export type SimulateArguments = Operands & ValuesOf<typeof simulateOptions>
