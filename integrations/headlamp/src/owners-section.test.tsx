import { fireEvent, render, screen, waitFor } from "@testing-library/react"
import type { ReactNode } from "react"
import { expect, it, vi } from "vitest"
import { OwnersSection } from "./owners-section"

vi.setConfig({ testTimeout: 60_000 })
const request = vi.hoisted(() => vi.fn())
vi.mock("@kinvolk/headlamp-plugin/lib", () => ({ ApiProxy: { request } }))
vi.mock("@kinvolk/headlamp-plugin/lib/CommonComponents", () => ({
  SectionBox: ({ title, children }: { title: string; children: ReactNode }) => (
    <section aria-label={title}>{children}</section>
  ),
}))

const entry = { apiVersion: "v1", fieldsType: "FieldsV1" }
const live = (color: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "settings",
    managedFields: [{ ...entry, manager: "gitops", operation: "Apply", fieldsV1: { "f:data": { "f:color": {} } } }],
  },
  data: { color },
})
// The part that tries files is loaded on first use.
const eventually = (check: () => void) => waitFor(check, { timeout: 20_000 })
const shown = () => document.querySelector("smd-owners")?.shadowRoot?.textContent ?? ""
const write = (text: string) => fireEvent.change(screen.getByLabelText(/YAML/), { target: { value: text } })

it("shows the owners of the object, and of its next version", async () => {
  const { rerender } = render(<OwnersSection resource={{ jsonData: live("green") }} />)
  await eventually(() => expect(shown()).toContain("color: green"))
  expect(shown()).toContain("gitops")
  rerender(<OwnersSection resource={{ jsonData: live("blue") }} />)
  await eventually(() => expect(shown()).toContain("color: blue"))
})

it("shows what a file would change, and takes a way out of a conflict", async () => {
  render(<OwnersSection resource={{ jsonData: live("green") }} />)
  write("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  color: red # mine\n")
  await eventually(() => expect(shown()).toContain("kubectl would have 1 conflict"))
  const root = document.querySelector("smd-owners")?.shadowRoot
  const buttons = Array.from(root?.querySelectorAll<HTMLElement>(".way") ?? [])
  buttons.find(({ textContent }) => textContent?.startsWith("Agree on green"))?.click()
  await eventually(() => expect(shown()).toContain("kubectl would change the object"))
  expect((screen.getByLabelText(/YAML/) as HTMLTextAreaElement).value).toContain("color: green # mine")
})

it("asks the cluster for the types of custom resources", async () => {
  request.mockRejectedValue(new Error("not found"))
  const widget = { ...live("green"), apiVersion: "example.com/v1", kind: "Widget" }
  render(<OwnersSection resource={{ jsonData: widget }} />)
  write("apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: settings}\n")
  await eventually(() => expect(shown()).toContain("set types"))
  expect(request).toHaveBeenCalledWith("/openapi/v3/apis/example.com/v1")
})

it("shows nothing without an object", () => {
  render(<OwnersSection resource={null} />)
  expect(screen.queryByLabelText("Owners")).toBeNull()
})
