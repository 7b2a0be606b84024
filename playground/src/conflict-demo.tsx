// A conflict with its ways out, as an element for the first page of the site: <smd-conflict playground="URL">. The first preview is computed
// when the page is built. The engine is loaded when the user points at the element or focuses it.
import { render } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import type { ExplainedConflict } from "structured-merge-diff/ownership"
import { looksOf } from "../../src/tools/view/looks.js"
import { themeStyle } from "../../src/tools/view/style/theme.js"
import { adoptStyles, paneStyle } from "../../src/tools/view/style.js"
import { ConflictCard, type Way } from "./conflict-card.js"
import { firstPreview, firstStory } from "./first-story.js"
import { Outcome } from "./outcome.js"
import { toFragment } from "./share.js"
import type { Draft, State } from "./state.js"
import demo from "./style/conflict-demo.css?inline"
import controls from "./style/controls.css?inline"
import theme from "./style/theme.css?inline"
import { type PageEngine, startEngine } from "./use-engine.js"
import type { Preview } from "./view.js"

const first = firstStory.drafts[firstStory.draft] as Draft
const looks = looksOf(
  firstStory.drafts.map(({ manager }) => manager),
  [],
)

function ConflictDemo({ playground }: { readonly playground: string }) {
  const [draft, setDraft] = useState(first)
  const [shown, setShown] = useState<Preview>(firstPreview)
  const [isFailed, setFailed] = useState(false)
  const state = useMemo(() => stateWith(draft), [draft])

  const [fragment, setFragment] = useState("")
  useEffect(() => void toFragment(state).then(setFragment), [state])

  const change = async (edit: (engine: PageEngine) => Partial<Draft> | Promise<Partial<Draft>>): Promise<void> => {
    try {
      const engine = await startEngine()
      const next = { ...draft, ...(await edit(engine)) }
      setDraft(next)
      const view = await engine.with(stateWith(next)).look({ object: "" })
      if (view?.preview !== undefined) setShown(view.preview)
      setFailed(false)
    } catch {
      setFailed(true)
    }
  }
  const take = (way: Way, conflict: ExplainedConflict): Promise<void> =>
    change(async ({ remote }) =>
      way === "overwrite" ? { force: true } : { text: (await remote.takeWay(draft.text, conflict, way)) ?? draft.text },
    )

  const replicas = /^ {2}replicas: (\d+)$/m.exec(draft.text)?.[1]
  const { conflicts, step } = shown
  const isFirst = draft === first
  return (
    <section
      class="demo"
      aria-label="A conflict"
      onPointerEnter={() => void startEngine().catch(() => {})}
      onFocusIn={() => void startEngine().catch(() => {})}
    >
      <h2 class="hidden">A conflict and its ways out</h2>
      <p class="situation">
        Git says 3 replicas. The autoscaler has scaled to 7 since then. Now <b>web-team</b> applies a new image
        {replicas === undefined ? (
          " without replicas."
        ) : (
          <>
            {" and "}
            <label class="inline">
              <span>replicas:</span>
              <input
                type="number"
                min={0}
                max={99}
                value={replicas}
                onInput={event => {
                  const count = event.currentTarget.value
                  if (/^\d+$/.test(count)) {
                    void change(() => ({
                      text: draft.text.replace(/^ {2}replicas: \d+$/m, `  replicas: ${count}`),
                      force: false,
                    }))
                  }
                }}
              />
            </label>
          </>
        )}
        {draft.force && ", by force."}
      </p>
      <div aria-live="polite">
        {isFailed && <p class="note danger">The engine could not be loaded. Try again.</p>}
        {conflicts.length > 0 && (
          <h3 class="verdict conflict">
            web-team would have {conflicts.length} {conflicts.length === 1 ? "conflict" : "conflicts"}
          </h3>
        )}
        {conflicts.map(conflict => (
          <ConflictCard key={conflict.path} conflict={conflict} looks={looks} onWay={take} onGoTo={undefined} />
        ))}
        {conflicts.length === 0 && step !== undefined && (
          <div class="result">
            <h3 class={`verdict ${step.outcome}`}>No conflicts: the apply {outcomes[step.outcome] ?? "is refused"}</h3>
            <Outcome changes={step.changes} transfers={step.ownership} unions={[]} looks={looks} />
          </div>
        )}
      </div>
      <p class="more">
        {!isFirst && (
          <button
            type="button"
            onClick={() => {
              setDraft(first)
              setShown(firstPreview)
            }}
          >
            Start again
          </button>
        )}
        <a href={isFirst ? playground : `${playground}#${fragment}`}>Open this in the playground</a>
        <span class="muted">The engine runs in this page. Nothing is sent.</span>
      </p>
    </section>
  )
}

/** Returns the first story with this draft in its open tab. */
function stateWith(draft: Draft): State {
  return { ...firstStory, drafts: firstStory.drafts.map((other, i) => (i === firstStory.draft ? draft : other)) }
}

const outcomes: Readonly<Partial<Record<string, string>>> = {
  created: "creates the object",
  changed: "changes the object",
  unchanged: "changes nothing",
}

/** The element. Its shadow root keeps out the styles of the page. */
class ConflictElement extends HTMLElement {
  connectedCallback(): void {
    if (this.shadowRoot !== null) return
    const root = this.attachShadow({ mode: "open" })
    adoptStyles(root, [themeStyle, theme, controls, paneStyle, demo])
    render(<ConflictDemo playground={this.getAttribute("playground") ?? ""} />, root)
  }
}

customElements.define("smd-conflict", ConflictElement)
