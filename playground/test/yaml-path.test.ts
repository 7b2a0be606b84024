import { describe, expect, it } from "vitest"
import { item, placeOfCursor } from "../src/yaml-path.js"

/** The place of `|` in the text: steps joined by dots, then what is written. */
function place(text: string): string {
  const offset = text.indexOf("|")
  const found = placeOfCursor(text.replace("|", ""), offset)
  if (found === undefined) return "nowhere"
  const steps = found.steps.map(step => (step === item ? "[]" : step)).join(".")
  return `${steps} ${found.field === undefined ? "key" : `value of ${found.field}`} '${found.written}'`
}

describe("the place of the cursor", () => {
  it.each([
    ["|", " key ''"],
    ["ki|", " key 'ki'"],
    ["kind: Dep|", " value of kind 'Dep'"],
    ["kind:|", " value of kind ''"],
    ["spec:\n  re|", "spec key 're'"],
    ["spec:\n  |", "spec key ''"],
    ["spec:\n  a: 1\n\n  # note\n  re|", "spec key 're'"],
    ["spec:\n  a:\n    b: 1\n  re|", "spec key 're'"],
    ["spec:\n  ports:\n  - na|", "spec.ports.[] key 'na'"],
    ["spec:\n  ports:\n    - na|", "spec.ports.[] key 'na'"],
    ["spec:\n  ports:\n  - name: a\n    po|", "spec.ports.[] key 'po'"],
    ["spec:\n  ports:\n  - name: a\n  - po|", "spec.ports.[] key 'po'"],
    ["spec:\n  ports:\n  - name: a\n  ty|", "spec key 'ty'"],
    ["spec:\n  containers:\n  - name: a\n    env:\n    - name: B\n      val|", "spec.containers.[].env.[] key 'val'"],
    ["spec:\n  containers:\n  - name: a\n    ports:\n    - containerPort: 1\n    im|", "spec.containers.[] key 'im'"],
    ["a: 1\n---\nb:\n  c|", "b key 'c'"],
    ['"quoted key":\n  x|', "quoted key key 'x'"],
    ["a: 1 # com|", "nowhere"],
  ])("of %j is %s", (text, expected) => {
    expect(place(text)).toBe(expected)
  })

  it("knows the other keys of the same map only", () => {
    const text = "spec:\n  a: 1\n  list:\n  - x: 1\n    |\n    y: 2\n  - z: 3\n  b: 2\n"
    const found = placeOfCursor(text.replace("|", ""), text.indexOf("|"))
    expect([...(found?.siblings ?? [])]).toEqual(["x", "y"])
    const outer = "spec:\n  a: 1\n  |\n  b:\n    c: 1\nstatus: {}\n"
    expect([...(placeOfCursor(outer.replace("|", ""), outer.indexOf("|"))?.siblings ?? [])]).toEqual(["a", "b"])
  })
})
