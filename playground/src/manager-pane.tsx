// The pane of managers: a tab with an editor for each manager.
import { useState } from "preact/hooks"
import { Editor, type Goal } from "./editor.js"
import { Explain } from "./explain.js"
import { Swatch } from "./owner-tag.js"
import type { Draft, Verb } from "./state.js"
import type { Store } from "./store.js"
import { Tabs } from "./tabs.js"
import type { Failure, PageEngine } from "./use-engine.js"
import type { TypesInfo } from "./view.js"

const verbs: Readonly<Record<Verb, { readonly label: string; readonly run: string }>> = {
  apply: { label: "applies", run: "Apply" },
  update: { label: "updates", run: "Update" },
  patch: { label: "patches", run: "Patch" },
  create: { label: "creates", run: "Create" },
}

export function ManagerPane(props: {
  readonly store: Store
  readonly drafts: readonly Draft[]
  readonly index: number
  readonly engine: PageEngine | undefined
  readonly types: TypesInfo | undefined
  readonly looks: ReadonlyMap<string, number>
  readonly goal: Goal | undefined
  /** The lines of the fields in conflict, by path. */
  readonly contested: ReadonlyMap<string, number | undefined>
  readonly hovered: string
  readonly onFailure: (failure: Failure) => void
  readonly onRun: () => void
  /** Replaces the text with the live object; undefined if no object exists. */
  readonly onFromLive: (() => void) | undefined
}) {
  const { store, drafts, index, engine, types, looks, goal, contested, hovered, onFailure, onRun, onFromLive } = props
  const draft = drafts[index]
  if (draft === undefined) return null
  return (
    <section id="managers-pane" class="pane managers" aria-labelledby="managers-title">
      <header class="pane-head">
        <h2 id="managers-title">Managers</h2>
        <Explain part="managers" label="managers and requests" />
        <ManagerButtons store={store} drafts={drafts} index={index} />
      </header>
      <Tabs
        name="manager"
        label="Managers"
        items={drafts.map(({ manager, verb }, i) => ({
          id: String(i),
          label: (
            <>
              <Swatch look={looks.get(manager)} />
              <span class="clip">{manager}</span>
              <span class="muted tab-verb">{verbs[verb].run}</span>
            </>
          ),
        }))}
        selected={String(index)}
        onSelect={id => store.set({ draft: Number(id) })}
      />
      <div role="tabpanel" id="panel-manager" aria-labelledby={`tab-manager-${index}`} class="tab-panel">
        <DraftBar store={store} draft={draft} index={index} onRun={onRun} onFromLive={onFromLive} />
        <Editor
          key={index}
          id={String(index)}
          label={`Text that ${draft.manager} ${verbs[draft.verb].label}`}
          text={draft.text}
          engine={draft.verb === "patch" ? undefined : engine}
          types={types}
          goal={goal}
          contested={contested}
          hovered={hovered}
          onFailure={onFailure}
          onChange={text => store.setDraft(index, { text })}
          onRun={text => {
            store.setDraft(index, { text })
            onRun()
          }}
        />
      </div>
    </section>
  )
}

function DraftBar(props: {
  store: Store
  draft: Draft
  index: number
  onRun: () => void
  onFromLive: (() => void) | undefined
}) {
  const { store, draft, index, onRun, onFromLive } = props
  return (
    <div class="draft-bar">
      <label class="inline">
        <span class="hidden">How {draft.manager} writes</span>
        <select
          value={draft.verb}
          onChange={event => store.setDraft(index, { verb: event.currentTarget.value as Verb })}
        >
          {Object.entries(verbs).map(([verb, { label }]) => (
            <option key={verb} value={verb}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label class="inline">
        <span>to</span>
        <select
          value={draft.subresource}
          aria-label="Subresource"
          onChange={event => store.setDraft(index, { subresource: event.currentTarget.value })}
        >
          {[...new Set(["", "status", "scale", draft.subresource])].map(name => (
            <option key={name} value={name}>
              {name === "" ? "the object" : name}
            </option>
          ))}
        </select>
      </label>
      {draft.verb === "apply" ? (
        <label class="inline">
          <input
            type="checkbox"
            checked={draft.force}
            onChange={event => store.setDraft(index, { force: event.currentTarget.checked })}
          />
          <span>force</span>
        </label>
      ) : (
        draft.verb === "update" &&
        onFromLive !== undefined && (
          <button type="button" onClick={onFromLive}>
            Start from the live object
          </button>
        )
      )}
      <span class="grow" />
      <button type="button" class="primary" onClick={onRun} title="Ctrl+Enter">
        {verbs[draft.verb].run}
      </button>
    </div>
  )
}

function ManagerButtons({ store, drafts, index }: { store: Store; drafts: readonly Draft[]; index: number }) {
  const [name, setName] = useState<string>()
  if (name === undefined) {
    return (
      <div class="controls">
        <button type="button" onClick={() => setName("")}>
          Add manager
        </button>
        <button
          type="button"
          disabled={drafts.length === 1}
          onClick={() => {
            store.set(
              { drafts: drafts.filter((_, i) => i !== index), draft: Math.max(0, index - 1) },
              `the removal of ${drafts[index]?.manager ?? ""}`,
            )
          }}
        >
          Remove
        </button>
      </div>
    )
  }
  const add = (event: Event): void => {
    event.preventDefault()
    const manager = name.trim()
    if (manager !== "") {
      const draft: Draft = { manager, verb: "apply", text: drafts[index]?.text ?? "", force: false, subresource: "" }
      store.set({ drafts: [...drafts, draft], draft: drafts.length }, `the new manager ${manager}`)
    }
    setName(undefined)
  }
  return (
    <form class="controls" onSubmit={add}>
      <label class="inline">
        <span>Name</span>
        <input
          value={name}
          ref={input => input?.focus()}
          maxLength={128}
          onInput={event => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Add</button>
    </form>
  )
}
