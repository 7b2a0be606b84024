// The header of the page: choices of the story, the union policy and the types, and buttons for import, download and links.
import type { UnionPolicyName } from "structured-merge-diff"
import type { ExampleName } from "./examples.js"
import { Explain } from "./explain.js"
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
      <label class="inline">
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
        <button
          type="button"
          disabled={undoable === undefined}
          onClick={actions.onUndo}
          title={titleOf("Undo", undoable)}
        >
          Undo
        </button>
        <button
          type="button"
          disabled={redoable === undefined}
          onClick={actions.onRedo}
          title={titleOf("Redo", redoable)}
        >
          Redo
        </button>
        <button type="button" onClick={actions.onImport}>
          Import
        </button>
        <button type="button" onClick={actions.onShare}>
          Copy link
        </button>
        <button type="button" onClick={actions.onDownload}>
          Download
        </button>
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

function titleOf(verb: string, change: string | undefined): string {
  return change === undefined ? `Nothing to ${verb.toLowerCase()}` : `${verb} ${change}`
}
