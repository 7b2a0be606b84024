// The editor: CodeMirror with completions and diagnostics for Kubernetes objects. Loaded after the page is painted.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete"
import { history, historyKeymap, standardKeymap, toggleComment } from "@codemirror/commands"
import { indentUnit } from "@codemirror/language"
import { type Diagnostic, linter, lintGutter, lintKeymap } from "@codemirror/lint"
import { EditorState, StateEffect, StateField } from "@codemirror/state"
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from "@codemirror/view"
import type { Suggestions } from "./completions.js"
import type { Problem } from "./diagnostics.js"
import { factsElement } from "./facts-element.js"
import { type AskFacts, fieldTips } from "./field-tips.js"
import { yamlLook } from "./yaml-colors.js"

/** The settings of an editor. The values that the functions return may change while the editor is open. */
export interface EditorSettings {
  readonly label: string
  readonly problems: (text: string) => Promise<readonly Problem[]>
  /** Returns the completions at an offset of the text; undefined if nothing is known. */
  readonly suggestions: (text: string, offset: number) => Promise<Suggestions | undefined>
  readonly facts: AskFacts
  /** Called when the text has not changed for a moment, and when the editor loses the focus. */
  readonly onChange: (text: string) => void
  /** Called on Ctrl+Enter, or Cmd+Enter, with the text. */
  readonly onRun: (text: string) => void
}

/** An open editor. */
export interface OpenEditor {
  /** Replaces the text without a call of `onChange`. The editor's undo restores the old text. */
  setText(text: string): void
  /** Returns the current text. */
  text(): string
  /** Checks the text again after the types changed. */
  check(): void
  /** Marks the lines of fields in conflict, counted from 1, and outlines the line `linked`. */
  mark(lines: readonly (number | undefined)[], linked: number | undefined): void
  /** Focuses the editor and selects the text between two offsets. */
  select(anchor: number, head: number): void
  /** Moves the cursor to a line and column, counted from 1, and focuses the editor. */
  goTo(line: number, column: number): void
  close(): void
}

/** Signals that the types changed. */
const recheck = StateEffect.define<null>()
const needsRefresh = ({ transactions }: ViewUpdate): boolean =>
  transactions.some(({ effects }) => effects.some(effect => effect.is(recheck)))

/** The delay between the last keystroke and the update of the page, in milliseconds. */
const pause = 200

export function openEditor(parent: HTMLElement, text: string, settings: EditorSettings): OpenEditor {
  let timer: ReturnType<typeof setTimeout> | undefined
  let reported = text
  const tell = (): void => {
    clearTimeout(timer)
    const now = view.state.doc.toString()
    if (now === reported) return
    reported = now
    settings.onChange(now)
  }
  const run = (): boolean => {
    tell()
    settings.onRun(view.state.doc.toString())
    return true
  }
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        highlightActiveLine(),
        indentUnit.of("  "),
        yamlLook,
        lintGutter(),
        linter(({ state }) => diagnostics(state.doc.toString(), settings), { delay: 300, needsRefresh }),
        autocompletion({ override: [context => completions(context, settings)] }),
        fieldTips(settings.facts),
        keymap.of([
          { key: "Mod-Enter", run },
          { key: "Mod-/", run: toggleComment },
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...standardKeymap,
        ]),
        // Keyboard users must be able to leave the editor, so Tab is not bound.
        EditorView.contentAttributes.of({ "aria-label": settings.label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of(update => {
          if (!update.docChanged) return
          clearTimeout(timer)
          timer = setTimeout(tell, pause)
        }),
        EditorView.domEventHandlers({ blur: tell }),
        markedLines,
      ],
    }),
  })
  const select = (anchor: number, head: number): void => {
    view.dispatch({ selection: { anchor, head }, scrollIntoView: true })
    view.focus()
  }
  return {
    setText(next) {
      // The page may return a reported text late, when the editor already has a newer one.
      if (next === reported) return
      reported = next
      if (next === view.state.doc.toString()) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
      clearTimeout(timer)
    },
    text: () => view.state.doc.toString(),
    check: () => view.dispatch({ effects: recheck.of(null) }),
    mark: (lines, linked) => view.dispatch({ effects: marks.of({ lines, linked }) }),
    select,
    goTo(line, column) {
      const { doc } = view.state
      const place = doc.line(Math.min(Math.max(line, 1), doc.lines))
      const offset = Math.min(place.from + column - 1, place.to)
      select(offset, offset)
    },
    close() {
      tell()
      view.destroy()
    },
  }
}

const marks = StateEffect.define<{
  readonly lines: readonly (number | undefined)[]
  readonly linked: number | undefined
}>()

/** The lines of fields in conflict. They move with the text until the next `mark`. */
const markedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { changes, effects, newDoc }) {
    const effect = effects.findLast(each => each.is(marks))
    if (effect === undefined) return before.map(changes)
    const { lines, linked } = effect.value as { lines: readonly (number | undefined)[]; linked: number | undefined }
    const inText = lines.filter(line => line !== undefined && line >= 1 && line <= newDoc.lines)
    const ranges = [...new Set(inText as number[])].map(line =>
      Decoration.line({ class: line === linked ? "cm-contested cm-linked" : "cm-contested" }).range(
        newDoc.line(line).from,
      ),
    )
    return Decoration.set(ranges, true)
  },
  provide: field => EditorView.decorations.from(field),
})

async function diagnostics(text: string, { problems }: EditorSettings): Promise<Diagnostic[]> {
  return (await problems(text)).map(problem => ({ ...problem }))
}

async function completions(
  context: CompletionContext,
  { suggestions, facts }: EditorSettings,
): Promise<CompletionResult | null> {
  const text = context.state.doc.toString()
  const found = await suggestions(text, context.pos)
  if (found === undefined || (found.from === context.pos && !context.explicit)) return null
  const { from } = found
  const factsOf = async (insert: string): Promise<Node | null> => {
    const about = await facts(text.slice(0, from) + insert + text.slice(context.pos), from)
    return about === undefined ? null : factsElement(about.facts)
  }
  return {
    from,
    options: found.all.map(({ label, insert, detail, isField }) => ({
      label,
      apply: insert,
      detail,
      ...(isField && { info: () => factsOf(insert) }),
    })),
    validFor: /^[\w./-]*$/,
  }
}
