import { Input } from "../input/input.js"
import { parseArguments, requireOperands } from "../input/options.js"
import { wrapCommand } from "../output/help.js"
import { type OutValue, withOut } from "../output/out.js"
import type { Secrets } from "../secrets/secrets.js"
import { indent } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { apply } from "./apply.js"
import { blame } from "./blame.js"
import { type Command, command } from "./command.js"
import { explain } from "./explain.js"
import { plan } from "./plan.js"
import { update } from "./update.js"

export const story = command({
  name: "story",
  summary: "Watch a conflict appear, and see it explained, planned and resolved",
  operands: "",
  options: {},
  notes: ["Runs the commands that it shows, on files in memory, with the built-in type of a Deployment."],
  examples: ["smd story"],
  async run({ args, input, terminal }) {
    requireOperands(args)
    const files = new Map([
      ["web.yaml", manifest("web:1.0")],
      ["scaled.yaml", ""],
    ])
    const stage = new Stage(files, terminal, input.secrets)
    stage.title("web-team applies its manifest, and so creates the object and owns its fields")
    await stage.smd(apply, "--manager web-team web.yaml --out live.yaml")
    stage.title("An autoscaler updates the replicas: an update takes what it changes")
    files.set("scaled.yaml", (files.get("live.yaml") ?? "").replace("replicas: 3", "replicas: 7"))
    await stage.smd(update, "--manager autoscaler live.yaml scaled.yaml --out live.yaml")
    stage.title("web-team has a new image, and still says 3: what would an apply do?")
    files.set("web.yaml", manifest("web:1.1"))
    await stage.smd(plan, "--manager web-team --live live.yaml web.yaml")
    stage.title("What is the conflict about, and what can be done?")
    await stage.smd(explain, "--manager web-team --live live.yaml web.yaml")
    stage.title("web-team leaves the replicas to the autoscaler, and applies the rest")
    await stage.smd(apply, "--manager web-team --live live.yaml web.yaml --on-conflict relinquish --out live.yaml")
    stage.title("Who owns what in the end?")
    await stage.smd(blame, "live.yaml")
    return 0
  },
})

const manifest = (image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 3
  selector:
    matchLabels: {app: shop}
  template:
    metadata:
      labels: {app: shop}
    spec:
      containers:
      - name: web
        image: ${image}
        ports:
        - containerPort: 8080
`

/** The indentation of the output of commands, in columns. */
const margin = 2

/** Runs commands on files in memory, and shows them as a terminal would. */
class Stage {
  private readonly files: Map<string, string>
  private readonly terminal: Terminal
  private readonly secrets: Secrets
  private step = 0

  constructor(files: Map<string, string>, terminal: Terminal, secrets: Secrets) {
    this.files = files
    this.terminal = terminal
    this.secrets = secrets
  }

  title(text: string): void {
    this.step++
    this.terminal.write(`${this.step > 1 ? "\n" : ""}${this.terminal.style.strong(`${this.step}. ${text}`)}\n`)
  }

  /** Shows the command line and runs the command. */
  async smd<V extends OutValue>(command: Command<V>, line: string): Promise<void> {
    const { terminal, files, secrets } = this
    const lines = wrapCommand(`$ smd ${command.name} ${line}`, terminal.columns - margin)
    terminal.write(`\n${indent(lines.join("\n"), margin)}\n`)
    const show = (text: string) => terminal.write(indent(text, margin))
    const inner: Terminal = {
      ...terminal,
      reportStyle: terminal.style,
      columns: terminal.columns - margin,
      read: async file => new TextEncoder().encode(files.get(file) ?? ""),
      list: async () => undefined,
      replace: file => {
        let result = ""
        return {
          write: async text => {
            result += text
          },
          commit: async () => void files.set(file, result),
          discard: async () => undefined,
        }
      },
      isOutput: () => false,
      write: show,
      report: show,
    }
    const { args } = parseArguments(line.split(" "), command.options)
    if (args !== undefined)
      await withOut({ args, input: new Input(inner, secrets), terminal: inner, print: show }, context =>
        command.run(context),
      )
  }
}
