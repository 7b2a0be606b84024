// The dialogs for types, for importing objects and stories, and for copying by hand.
import { useEffect, useRef } from "preact/hooks"
import type { Store } from "./store.js"
import { TextDialog } from "./text-dialog.js"
import { startEngine } from "./use-engine.js"

export function TypesDialog({ store, onClose }: { store: Store; onClose: () => void }) {
  return (
    <TextDialog
      title="Types"
      label="CustomResourceDefinitions, an OpenAPI document, or Go types"
      text={store.state.types}
      action="Use these types"
      onClose={onClose}
      onText={async text => {
        const { remote } = await startEngine()
        const problem = await remote.problemOfTypes(text)
        if (problem === undefined) store.set({ types: text }, "the choice of types")
        return problem
      }}
      other={{
        label: "Built-in kinds only",
        onTake: () => {
          store.set({ types: "" }, "the choice of types")
          onClose()
        },
      }}
    >
      <p>
        The page always knows the built-in kinds of Kubernetes. Paste the types of other kinds, so that the page merges
        their lists, maps and unions as a server does, and completes and checks their fields as you type. The OpenAPI
        document of a cluster also has descriptions of built-in kinds.
      </p>
    </TextDialog>
  )
}

export function ImportDialog(props: { store: Store; onDone: (said: string) => void; onClose: () => void }) {
  const { store, onDone, onClose } = props
  return (
    <TextDialog
      title="Import"
      label="An object with its managedFields, or a story file"
      text=""
      action="Import"
      onClose={onClose}
      onText={async text => {
        const engine = await startEngine()
        store.replace(await engine.with(store.state).stateOfText(text))
        onDone(`Imported ${store.state.title} with ${store.state.drafts.length} managers.`)
        return undefined
      }}
    >
      <p>
        Paste the output of <code>kubectl get -o yaml --show-managed-fields</code>: each manager becomes a tab with the
        fields that it owns. Or paste a story file, as <code>smd simulate</code> runs it. Nothing leaves this page.
      </p>
    </TextDialog>
  )
}

/** Shows a text that the browser did not let the page copy. */
export function CopyDialog({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    area.current?.select()
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby="copy-title" onClose={onClose}>
      <h2 id="copy-title">Copy</h2>
      <label class="field">
        <span>The browser does not allow copying. Copy this text by hand:</span>
        <textarea ref={area} rows={20} readonly spellcheck={false} value={text} />
      </label>
      <div class="dialog-buttons">
        <span class="grow" />
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  )
}
