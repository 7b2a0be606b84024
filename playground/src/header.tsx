// The header of the page: choices of the story, the union policy and the types, and buttons for import and copies.
import type { UnionPolicyName } from "structured-merge-diff"
import type { CopyForm } from "./copy-as.js"
import type { ExampleName } from "./examples.js"
import { Explain } from "./explain.js"
import { Popover } from "./popover.js"
import type { Server } from "./state.js"

/** The union policies and their labels. */
const policies: Readonly<Record<UnionPolicyName | "", string>> = {
  "": "custom kinds only",
  off: "off, as in clusters",
  v4: "v4",
  "kep-2019": "KEP-1027 of 2019",
  "kep-2022-draft": "KEP-1027, draft of 2022",
  "kep-2022": "KEP-1027 of 2022",
  extended: "extended",
}

const servers: Readonly<Record<Server, string>> = { cluster: "like a cluster", merge: "merge only" }

export interface HeaderActions {
  readonly onExample: (id: string) => void
  readonly onPolicy: (policy: UnionPolicyName | "") => void
  readonly onServer: (server: Server) => void
  readonly onTypes: () => void
  readonly onImport: () => void
  readonly onShare: () => void
  readonly onCopy: (form: CopyForm) => void
  readonly onDownload: () => void
  readonly onTheme: () => void
  readonly onTour: () => void
  readonly onUndo: () => void
  readonly onRedo: () => void
}

export function Header(props: {
  readonly title: string
  readonly typesTitle: string
  readonly unions: UnionPolicyName | ""
  readonly server: Server
  readonly examples: readonly ExampleName[]
  readonly example: string
  /** The change that can be undone, and the one that can be made again. */
  readonly undoable: string | undefined
  readonly redoable: string | undefined
  readonly actions: HeaderActions
}) {
  const { title, typesTitle, unions, server, examples, example, undoable, redoable, actions } = props
  return (
    <header class="top">
      <div class="top-title">
        <h1>Field manager playground</h1>
        <p class="muted story-title">{title}</p>
      </div>
      <label class="inline">
        <span>Story</span>
        <select value={example} onChange={event => actions.onExample(event.currentTarget.value)}>
          {example === "" && <option value="">Your own</option>}
          <option value="new">New, empty</option>
          {examples.map(({ id, title: name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="inline">
        <span>Unions</span>
        <select value={unions} onChange={event => actions.onPolicy(event.currentTarget.value as UnionPolicyName | "")}>
          {Object.entries(policies).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label class="inline server">
        <span>Server</span>
        <select value={server} onChange={event => actions.onServer(event.currentTarget.value as Server)}>
          {Object.entries(servers).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="schema-button" onClick={actions.onTypes} title={typesTitle}>
        <span class="muted">Types</span> <span class="clip">{typesTitle}</span>
      </button>
      <Explain part="setup" label="the settings" />
      <div class="top-buttons">
        <ChangeButton verb="Undo" change={undoable} onClick={actions.onUndo} />
        <ChangeButton verb="Redo" change={redoable} onClick={actions.onRedo} />
        <button type="button" onClick={actions.onImport}>
          Import
        </button>
        <Popover id="share-menu" text="Share" boxClass="menu">
          {shares.map(([label, take]) => (
            <button
              key={label}
              type="button"
              popovertarget="share-menu"
              popovertargetaction="hide"
              onClick={() => take(actions)}
            >
              {label}
            </button>
          ))}
        </Popover>
        <button type="button" onClick={actions.onTheme} title="Switch between dark and light">
          Theme
        </button>
        <button type="button" id="tour-button" onClick={actions.onTour} title="Explain the page in five hints">
          Tour
        </button>
      </div>
    </header>
  )
}

/** The ways to take the story elsewhere. */
const shares: readonly (readonly [label: string, take: (actions: HeaderActions) => void])[] = [
  ["Copy link", actions => actions.onShare()],
  ["Copy as kubectl commands", actions => actions.onCopy("kubectl")],
  ["Copy as vitest test", actions => actions.onCopy("test")],
  ["Copy as YAML story", actions => actions.onCopy("story")],
  ["Download YAML story", actions => actions.onDownload()],
]

/** A button that undoes a change or makes it again. `change` is undefined if there is no such change. */
function ChangeButton(props: {
  readonly verb: "Undo" | "Redo"
  readonly change: string | undefined
  readonly onClick: () => void
}) {
  const { verb, change, onClick } = props
  const title = change === undefined ? `Nothing to ${verb.toLowerCase()}` : `${verb} ${change}`
  return (
    <button type="button" disabled={change === undefined} onClick={onClick} title={title}>
      {verb}
    </button>
  )
}
