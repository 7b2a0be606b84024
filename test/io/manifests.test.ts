import { describe, expect, expectTypeOf, it } from "vitest"
import { ParseError } from "../../src/errors.js"
import { type Manifest, parseManifests } from "../../src/io/index.js"
import type { MapValue, Value } from "../../src/value/value.js"

/** Returns a name for each object: `v1/Pod a`. */
function names(text: string): string[] {
  return parseManifests(text).map(({ apiVersion, kind, metadata }) => `${apiVersion}/${kind} ${metadata?.name}`)
}

const pod = (name: string): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`

describe("parseManifests", () => {
  it.each<[what: string, text: string, expected: string[]]>([
    ["the object of one document", pod("a"), ["v1/Pod a"]],
    ["the objects of several documents", `${pod("a")}---\n${pod("b")}`, ["v1/Pod a", "v1/Pod b"]],
    ["JSON", '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}', ["v1/Pod a"]],
    ["nothing from nothing", "", []],
    ["nothing from comments and null", "# a\n---\n# b\n---\nnull\n---\n~\n", []],
    [
      "objects between empty documents",
      `---\n---\n${pod("a")}---\n# b\n---\n${pod("b")}---\n`,
      ["v1/Pod a", "v1/Pod b"],
    ],
    [
      "the items of a List",
      "apiVersion: v1\nkind: List\nmetadata: {resourceVersion: ''}\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: b}}\n",
      ["v1/Pod a", "apps/v1/Deployment b"],
    ],
    [
      "the items of Lists in Lists",
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: a}}]}\n",
      ["v1/Pod a"],
    ],
    ["nothing from an empty List", "apiVersion: v1\nkind: List\nitems: []\n", []],
    ["nothing from a List without items", "apiVersion: v1\nkind: List\n", []],
    ["nothing from a typed list of which the items are null", "apiVersion: v1\nkind: PodList\nitems: null\n", []],
    [
      "the items of a typed list, which say no type",
      "apiVersion: apps/v1\nkind: DeploymentList\nitems:\n- metadata: {name: a}\n- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n",
      ["apps/v1/Deployment a", "v1/Pod b"],
    ],
    [
      "a custom resource that is called a list",
      "apiVersion: example.org/v1\nkind: AllowList\nmetadata: {name: a}\nspec: {items: [1]}\n",
      ["example.org/v1/AllowList a"],
    ],
    ["an object without metadata", "apiVersion: v1\nkind: Pod\n", ["v1/Pod undefined"]],
  ])("gives %s", (_, text, expected) => {
    expect(names(text)).toEqual(expected)
  })

  it("puts the type of an item before its fields, and changes nothing else", () => {
    const text = '{"apiVersion":"v1","kind":"PodList","items":[{"spec":{"__proto__":1,"a":9007199254740993}}]}'
    const [item] = parseManifests(text)
    expect(Object.keys(item ?? {})).toEqual(["apiVersion", "kind", "spec"])
    expect(Object.entries(item?.spec as MapValue)).toEqual([
      ["__proto__", 1],
      ["a", 9007199254740993n],
    ])
  })

  it.each<[text: string, message: string]>([
    ["- a\n", "document 1, line 1: expected an object with apiVersion and kind, found a list"],
    ["a\n", "document 1, line 1: expected an object with apiVersion and kind, found a string"],
    [`${pod("a")}---\n12\n`, "document 2, line 6: expected an object with apiVersion and kind, found a number"],
    [`${pod("a")}---\nkind: Pod\n`, "document 2, line 6: apiVersion is missing"],
    [`---\n---\n# b\napiVersion: v1\n`, "document 2, line 4: kind is missing"],
    ["{}\n", "document 1, line 1: apiVersion is missing"],
    ["kind: Pod\napiVersion: 1\n", "document 1, line 2: apiVersion: expected a string, found a number"],
    ["apiVersion: v1\nkind: ''\n", "document 1, line 2: kind: expected a string, found an empty one"],
    ["apiVersion: v1\nkind: yes\n", "document 1, line 2: kind: expected a string, found a boolean"],
    ["apiVersion: v1\nkind:\n", "document 1, line 2: kind: expected a string, found null"],
    ["apiVersion: v1\nkind: Pod\nmetadata:\n", "document 1, line 3: metadata: expected a map, found null"],
    ["apiVersion: v1\nkind: Pod\nmetadata: []\n", "document 1, line 3: metadata: expected a map, found a list"],
    [pod("123"), "document 1, line 4: name: expected a string, found a number"],
    [`${pod("a")}  namespace: {}\n`, "document 1, line 5: namespace: expected a string, found a map"],
    ["apiVersion: v1\nkind: List\nitems: {}\n", "document 1, line 3: items: expected a list, found a map"],
    [
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n- metadata: {name: a}\n",
      "document 1, line 6: apiVersion is missing",
    ],
    ["apiVersion: v1\nkind: PodList\nitems:\n- kind: Pod\n", "document 1, line 4: apiVersion is missing"],
    [
      "apiVersion: v1\nkind: List\nitems: [null]\n",
      "document 1, line 3: expected an object with apiVersion and kind, found null",
    ],
    ["a: 1\na: 2\n", 'line 2, column 1: key "a" already set in map'],
  ])("refuses %j", (text, message) => {
    expect(() => parseManifests(text)).toThrow(ParseError)
    expect(() => parseManifests(text)).toThrow(message)
  })

  it("says of an object what is known of it, and takes it for a value", () => {
    expectTypeOf<Manifest>().toExtend<Value>()
    expectTypeOf<Manifest["apiVersion"]>().toEqualTypeOf<string>()
    expectTypeOf<Manifest["kind"]>().toEqualTypeOf<string>()
    expectTypeOf<NonNullable<Manifest["metadata"]>["name"]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<NonNullable<Manifest["metadata"]>["labels"]>().toEqualTypeOf<Value>()
    expectTypeOf<Manifest["spec"]>().toEqualTypeOf<Value>()
  })
})
