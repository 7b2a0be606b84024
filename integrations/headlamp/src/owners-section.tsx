// A section of every object's page: the owners of its fields, and what a file would change.
import { ApiProxy } from "@kinvolk/headlamp-plugin/lib"
import { SectionBox } from "@kinvolk/headlamp-plugin/lib/CommonComponents"
import { Button, TextField, useTheme } from "@mui/material"
import { useEffect, useRef, useState } from "react"
import type { TypeFinder } from "structured-merge-diff/managedfields"
import { type ChosenWay, defineOwnersView, type OwnersView } from "structured-merge-diff/view"
import { typesOf } from "./types"

/** The part of Headlamp's objects that is used. */
interface Shown {
  readonly jsonData: { readonly apiVersion?: string; readonly kind?: string }
}

export function OwnersSection({ resource }: { readonly resource?: Shown | null }) {
  return resource?.jsonData === undefined ? null : <Owners live={resource.jsonData} />
}

function Owners({ live }: { readonly live: Shown["jsonData"] }) {
  const place = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<OwnersView>()
  const [text, setText] = useState("")
  const [manager, setManager] = useState("kubectl")
  const [types, setTypes] = useState<TypeFinder>()
  const { palette } = useTheme()
  const { apiVersion, kind } = live

  useEffect(() => {
    const made = new (defineOwnersView())()
    const onWay = (event: Event): void => {
      const { configuration } = (event as CustomEvent<ChosenWay>).detail
      if (configuration !== undefined) setText(configuration)
    }
    made.addEventListener("smd-way", onWay)
    place.current?.append(made)
    setView(made)
    return () => made.remove()
  }, [])

  useEffect(() => {
    let isGone = false
    setTypes(undefined)
    if (kind === undefined) return
    typesOf({ apiVersion, kind }, path => ApiProxy.request(path)).then(
      found => !isGone && setTypes(found),
      // Without types the owners are shown all the same, and the view says that a file can't be tried.
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [apiVersion, kind])

  useEffect(() => {
    if (view === undefined) return
    view.style.colorScheme = palette.mode
    Object.assign(view, { object: live, types, manager, configuration: text.trim() === "" ? undefined : text })
  }, [view, live, types, manager, text, palette.mode])

  useEffect(() => {
    // A new text is tried without force again.
    if (view !== undefined) view.force = false
  }, [view, text])

  return (
    <SectionBox title="Owners">
      <div ref={place} />
      <h3>What would my file change?</h3>
      <p>Nothing is sent to the cluster: the file is tried in this page.</p>
      <div style={{ display: "flex", gap: 12, alignItems: "center", margin: "8px 0" }}>
        <TextField
          size="small"
          label="Field manager"
          value={manager}
          onChange={event => setManager(event.target.value)}
        />
        <Button component="label" variant="outlined">
          Choose a file
          <input
            hidden
            type="file"
            accept=".yaml,.yml,.json"
            onChange={event => void event.target.files?.[0]?.text().then(setText)}
          />
        </Button>
      </div>
      <TextField
        fullWidth
        multiline
        minRows={4}
        maxRows={16}
        label="Configuration in YAML"
        value={text}
        onChange={event => setText(event.target.value)}
        inputProps={{ spellCheck: false, style: { fontFamily: "monospace", fontSize: 12 } }}
      />
    </SectionBox>
  )
}
