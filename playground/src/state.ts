// The state of the page. Everything on the page is computed from it, and a shared link contains all of it.
import type { MapValue, UnionPolicyName } from "structured-merge-diff"
import type { Story } from "structured-merge-diff/simulator"

/** The kinds of requests that managers can make. */
export const verbs = ["apply", "update", "patch", "create"] as const
export type Verb = (typeof verbs)[number]

/** The ways to answer requests: as a server with defaults, validation and admission, or by the merge and its owners alone. */
export const servers = ["cluster", "merge"] as const
export type Server = (typeof servers)[number]

/** The text in a manager's tab, with the options of its request. */
export interface Draft {
  readonly manager: string
  readonly verb: Verb
  readonly text: string
  readonly force: boolean
  /** "" for the main resource. */
  readonly subresource: string
}

/** A request of a story with its expected result, as in a story file. */
export type StoryStep = Story["steps"][number]

/** One sequence of steps. *New branch* adds another one. */
export interface Branch {
  readonly name: string
  readonly steps: readonly StoryStep[]
  /** The number of steps that are played; the steps after it are undone. */
  readonly at: number
}

/** The state of the page, as plain data. */
export interface State {
  readonly title: string
  readonly about: string
  /** The objects at the start. */
  readonly objects: readonly MapValue[]
  /** CustomResourceDefinitions, OpenAPI documents or Go source; "" for the built-in kinds only. */
  readonly types: string
  /** The union policy; "" means that built-in kinds have no unions, and the unions of definitions follow `extended`. */
  readonly unions: UnionPolicyName | ""
  readonly server: Server
  /** The parts of a story file that the page does not edit. */
  readonly rest: Pick<Story, "managers" | "schemas" | "defaults">
  readonly drafts: readonly Draft[]
  /** The index of the draft whose tab is open. */
  readonly draft: number
  readonly branches: readonly Branch[]
  /** The index of the branch that is shown. */
  readonly branch: number
}

/** Returns the branch that is shown. */
export function branchOf({ branches, branch }: State): Branch {
  return branches[branch] ?? { name: "main", steps: [], at: 0 }
}

/** A state with one manager and no steps. */
export const emptyState: State = {
  title: "New story",
  about: "",
  objects: [],
  types: "",
  unions: "",
  server: "cluster",
  rest: {},
  drafts: [{ manager: "web-team", verb: "apply", text: "", force: false, subresource: "" }],
  draft: 0,
  branches: [{ name: "main", steps: [], at: 0 }],
  branch: 0,
}

/** Whether the text is Go source: it has a package clause. */
export function isGo(text: string): boolean {
  return /^package\s+\w+\s*$/m.test(text)
}
