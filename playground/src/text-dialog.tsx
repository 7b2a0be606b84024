// A dialog for a text that the user pastes or loads from a file.
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

export function TextDialog(props: {
  readonly title: string
  readonly label: string
  readonly text: string
  readonly action: string
  /** Uses the text. Resolves to undefined to close the dialog; else resolves to the problem of the text, or rejects with it. */
  readonly onText: (text: string) => Promise<string | undefined>
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** A second button, with its label. */
  readonly other?: { readonly label: string; readonly onTake: () => void }
}) {
  const { title, label, action, onText, onClose, children, other } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState(props.text)
  const [problem, setProblem] = useState("")
  useEffect(() => dialog.current?.showModal(), [])
  const take = async (): Promise<void> => {
    try {
      const textProblem = await onText(text)
      if (textProblem === undefined) onClose()
      else setProblem(textProblem)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  const readFile = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? []
    if (file !== undefined) setText(await file.text())
  }
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <form
        method="dialog"
        onSubmit={event => {
          event.preventDefault()
          void take()
        }}
      >
        <h2 id="dialog-title">{title}</h2>
        <div class="help">{children}</div>
        <label class="field">
          <span>{label}</span>
          <textarea
            rows={14}
            wrap="off"
            spellcheck={false}
            value={text}
            aria-invalid={problem !== ""}
            aria-describedby="dialog-problem"
            onInput={event => setText(event.currentTarget.value)}
          />
        </label>
        <p id="dialog-problem" role="alert" class="note danger" hidden={problem === ""}>
          {problem}
        </p>
        <div class="dialog-buttons">
          <label class="file">
            <span>From a file</span>
            <input
              type="file"
              accept=".yaml,.yml,.json,.go,.txt"
              onChange={event => void readFile(event.currentTarget)}
            />
          </label>
          <span class="grow" />
          {other !== undefined && (
            <button type="button" onClick={other.onTake}>
              {other.label}
            </button>
          )}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            {action}
          </button>
        </div>
      </form>
    </dialog>
  )
}
