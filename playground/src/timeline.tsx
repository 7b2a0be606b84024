// The steps of a story, and the buttons that move between them.
import { useEffect, useRef } from "preact/hooks"
import type { Outcome } from "structured-merge-diff/simulator"
import { Explain } from "./explain.js"
import { Swatch } from "./owner-tag.js"
import type { Branch } from "./state.js"
import { moveFocus } from "./tabs.js"

/** A step as the time line shows it. */
export interface TimelineStep {
  readonly manager: string
  /** "applies", "updates", … */
  readonly verb: string
  /** "" until the step is played. */
  readonly outcome: Outcome | ""
  readonly isAsExpected: boolean
}

export function Timeline(props: {
  readonly steps: readonly TimelineStep[]
  readonly at: number
  readonly looks: ReadonlyMap<string, number>
  readonly branches: readonly Branch[]
  readonly branch: number
  readonly isPlaying: boolean
  readonly onGo: (at: number) => void
  readonly onPlay: () => void
  readonly onFork: () => void
  readonly onBranch: (index: number) => void
}) {
  const { steps, at, looks, branches, branch, isPlaying, onGo, onPlay, onFork, onBranch } = props
  const isAtEnd = at >= steps.length
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const list = row.current
    const step = list?.querySelector<HTMLElement>("[aria-current]")
    if (!list || !step) return
    // Also when the list gets another size, and so other rows.
    const observer = new ResizeObserver(() => {
      list.scrollLeft = step.offsetLeft - (list.clientWidth - step.clientWidth) / 2
      list.scrollTop = step.offsetTop - (list.clientHeight - step.clientHeight) / 2
    })
    observer.observe(list)
    return () => observer.disconnect()
  }, [at, steps.length])
  return (
    <section id="timeline-pane" class="pane timeline" aria-labelledby="timeline-title">
      <header class="pane-head">
        <h2 id="timeline-title">Time line</h2>
        <Explain part="timeline" label="the time line" />
        <div class="controls">
          <button type="button" disabled={at === 0} onClick={() => onGo(0)}>
            To start
          </button>
          <button type="button" disabled={at === 0} onClick={() => onGo(at - 1)}>
            Step back
          </button>
          <button type="button" disabled={isAtEnd} onClick={() => onGo(at + 1)}>
            Step
          </button>
          <button type="button" disabled={isAtEnd && !isPlaying} onClick={onPlay} aria-pressed={isPlaying}>
            {isPlaying ? "Pause" : "Play"}
          </button>
          <button type="button" onClick={onFork} title="Continue from here, and keep the later steps in this branch">
            New branch
          </button>
          {branches.length > 1 && (
            <label class="inline">
              <span>Branch</span>
              <select value={String(branch)} onChange={event => onBranch(Number(event.currentTarget.value))}>
                {branches.map(({ name }, index) => (
                  <option key={name} value={String(index)}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
        </div>
        <span class="muted count">
          {at} of {steps.length} {steps.length === 1 ? "step" : "steps"}
        </span>
      </header>
      {steps.length === 0 ? (
        <p class="empty">No steps yet. Your first apply adds one.</p>
      ) : (
        <div role="toolbar" aria-label="Steps" class="steps" ref={row} onKeyDown={moveFocus}>
          {steps.map((step, index) => (
            <button
              key={index}
              type="button"
              class={`step ${index < at ? "played" : "ahead"} ${step.outcome}`}
              aria-current={index === at - 1 ? "step" : undefined}
              tabIndex={index === Math.max(at - 1, 0) ? 0 : -1}
              onClick={() => onGo(index + 1)}
            >
              <span class="step-number">{index + 1}</span>
              <Swatch look={looks.get(step.manager)} />
              <span class="step-text">
                <span class="step-manager">{step.manager}</span>
                <span class="step-verb">{step.verb}</span>
              </span>
              <span class="step-outcome">{step.outcome === "error" ? "refused" : step.outcome}</span>
              {!step.isAsExpected && <span class="badge danger">not as expected</span>}
            </button>
          ))}
        </div>
      )}
    </section>
  )
}
