// The editor of a manager's text: a plain text field until CodeMirror is loaded.
import { useEffect, useRef, useState } from "preact/hooks"
import type { EditorSettings, OpenEditor } from "./code-mirror.js"
import type { Failure, PageEngine } from "./use-engine.js"
import type { TypesInfo } from "./view.js"

/** The position to move the cursor to. Each move needs a new object. */
export interface Goal {
  readonly line: number
  readonly column: number
}

export function Editor(props: {
  /** Identifies the draft. Each draft has its own editor. */
  readonly id: string
  readonly label: string
  readonly text: string
  /** Completes, checks and explains the text; undefined if nothing can. */
  readonly engine: PageEngine | undefined
  /** The types of the story. When they change, the text is checked again. */
  readonly types: TypesInfo | undefined
  readonly goal: Goal | undefined
  /** The lines of the fields in conflict, by path. */
  readonly contested: ReadonlyMap<string, number | undefined>
  /** The path at which the user points, in any pane. */
  readonly hovered: string
  readonly onFailure: (failure: Failure) => void
  readonly onChange: (text: string) => void
  readonly onRun: (text: string) => void
}) {
  const { id, label, text, engine, types, goal, contested, hovered } = props
  const place = useRef<HTMLDivElement>(null)
  const plain = useRef<HTMLTextAreaElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [editor, setEditor] = useState<OpenEditor>()

  useEffect(() => {
    let open: OpenEditor | undefined
    let isGone = false
    // Text that is pending when this editor closes belongs to this draft, not to the next one.
    const { onChange } = latest.current
    const settings: EditorSettings = {
      label,
      problems: async written => (await latest.current.engine?.remote.problems(written)) ?? [],
      suggestions: async (written, offset) => latest.current.engine?.remote.suggestions(written, offset),
      facts: async (written, offset) => latest.current.engine?.remote.facts(written, offset),
      onChange: (...args) => (isGone ? onChange : latest.current.onChange)(...args),
      onRun: written => latest.current.onRun(written),
    }
    const load = (): void => {
      import("./code-mirror.js").then(
        ({ openEditor }) => {
          if (isGone || place.current === null) return
          open = openEditor(place.current, latest.current.text, settings)
          if (plain.current !== null && plain.current === document.activeElement) {
            open.select(plain.current.selectionStart, plain.current.selectionEnd)
          }
          setEditor(open)
        },
        () => isGone || latest.current.onFailure({ what: "The editor with completions", retry: load }),
      )
    }
    load()
    return () => {
      isGone = true
      open?.close()
      setEditor(undefined)
    }
  }, [id, label])

  useEffect(() => editor?.setText(text), [editor, text])
  useEffect(() => editor?.check(), [editor, engine, types])
  useEffect(() => editor?.mark([...contested.values()], contested.get(hovered)), [editor, text, contested, hovered])
  useEffect(() => {
    if (goal !== undefined) editor?.goTo(goal.line, goal.column)
  }, [editor, goal])

  return (
    <div class="editor">
      {editor === undefined && (
        <textarea
          ref={plain}
          class="plain-editor"
          aria-label={label}
          spellcheck={false}
          value={text}
          onInput={event => props.onChange(event.currentTarget.value)}
        />
      )}
      <div ref={place} class="editor-place" />
    </div>
  )
}
