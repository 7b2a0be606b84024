// The dialogs for types and for importing objects and stories.
import type { Store } from "./store.js"
import { TextDialog } from "./text-dialog.js"
import type { Types } from "./types.js"
import { type Engine, loadTypes } from "./use-engine.js"

export function TypesDialog(props: { store: Store; engine: Engine | undefined; onClose: () => void }) {
  const { store, engine, onClose } = props
  return (
    <TextDialog
      title="Types"
      label="CustomResourceDefinitions, an OpenAPI document, or Go types"
      text={store.state.types}
      action="Use these types"
      onClose={onClose}
      onText={async text => {
        if (engine === undefined) return "The engine is still loading."
        const { problem } = await loadTypes(engine, text, false)
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
        The built-in kinds of Kubernetes are always there. Paste the types of other kinds: their lists, maps and unions
        count, and their fields are completed and checked as you type.
      </p>
    </TextDialog>
  )
}

export function ImportDialog(props: {
  store: Store
  engine: Engine | undefined
  types: Types | undefined
  onDone: (said: string) => void
  onClose: () => void
}) {
  const { store, engine, types, onDone, onClose } = props
  return (
    <TextDialog
      title="Import"
      label="An object with its managedFields, or a story file"
      text=""
      action="Import"
      onClose={onClose}
      onText={async text => {
        if (engine === undefined || types === undefined) return "The engine is still loading."
        try {
          store.replace(engine.stateOfText(text, types, store.state))
          onDone(`${store.state.title}: ${store.state.drafts.length} managers.`)
          return undefined
        } catch (error) {
          return error instanceof Error ? error.message : String(error)
        }
      }}
    >
      <p>
        Paste what <code>kubectl get -o yaml --show-managed-fields</code> prints: its managers become tabs with what
        each owns. A story file is one that <code>smd simulate</code> runs. Nothing leaves this page.
      </p>
    </TextDialog>
  )
}
