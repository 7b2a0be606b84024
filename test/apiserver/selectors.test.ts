/** Label and field selectors: their results and their cost. */
import { describe, expect, it } from "vitest"
import { readSelector } from "../../src/apiserver/request/selectors.js"
import { createApiServer } from "../../src/apiserver/server.js"
import { kindReader } from "../../src/kinds/reader.js"
import { ResourceTable } from "../../src/kinds/resource/table.js"
import { kubernetesTypes } from "../../src/kubernetes/types.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"

const table = new ResourceTable(kubernetesTypes)
const pods = table.find("", "v1", "pods")
if (pods === undefined) throw new Error("there are no pods")

const objects: readonly MapValue[] = [
  { metadata: { name: "a", namespace: "x", labels: { app: "web", tier: "1" } }, spec: { nodeName: "n1" } },
  { metadata: { name: "b", namespace: "x", labels: { app: "db", tier: "20" } }, spec: { hostNetwork: true } },
  { metadata: { name: "c", namespace: "y", labels: { app: "web", tier: "x" } }, status: { phase: "Running" } },
  { metadata: { name: "d", namespace: "y" } },
]

function selected(query: string, name = ""): string {
  const selects = readSelector(new URLSearchParams(query), pods as NonNullable<typeof pods>, name)
  return objects.flatMap(object => (selects(object) ? [(object.metadata as MapValue).name] : [])).join("")
}

describe("a label selector", () => {
  it.each([
    ["", "abcd"],
    ["app", "abc"],
    ["!app", "d"],
    ["! app", "d"],
    ["app=web", "ac"],
    ["app==web", "ac"],
    ["app = web", "ac"],
    ["app=", ""],
    ["app!=web", "bd"],
    ["app!=web,app", "b"],
    ["app in (web,db)", "abc"],
    ["app in (web , db)", "abc"],
    ["app notin (web)", "bd"],
    ["app in (web,db),app in (db,x)", "b"],
    ["app=web,app=db", ""],
    ["app=web,app!=web", ""],
    ["app=web,!app", ""],
    ["app,!app", ""],
    ["app!=web,app!=db", "d"],
    ["tier>1", "b"],
    ["tier<20", "a"],
    ["tier>0,tier<20", "a"],
    ["tier>0,tier>1", "b"],
    ["tier<30,tier<20", "a"],
    ["app in ()", ""],
    ["app notin (web,)", "bd"],
    [" app = web , tier ", "ac"],
    ["missing>1", ""],
    ["app=web,tier=1,!missing", "a"],
    ["toString", ""],
    ["!constructor", "abcd"],
  ])("%s selects %s", (text, names) => {
    expect(selected(new URLSearchParams({ labelSelector: text }).toString())).toBe(names)
  })

  const labelKeyRule =
    "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
  const labelValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
  const notInteger = "for 'Gt', 'Lt' operators, the value must be an integer"
  it.each([
    ["=1", "found '=', expected: !, identifier, or 'end of string'"],
    ["(", "found '(', expected: !, identifier, or 'end of string'"],
    ["app=a b", "found 'b', expected: ',' or 'end of string'"],
    ["a in (b))", "found ')', expected: ',' or 'end of string'"],
    ["a,", "found '', expected: identifier after ','"],
    ["a,=b", "found '=', expected: identifier after ','"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a=(b)", "unable to parse requirement: found '(', expected: identifier"],
    ["app in web", "unable to parse requirement: found 'web' expected: '('"],
    ["a in (1", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["a in (1,", "unable to parse requirement: found '', expected: ',', or identifier"],
    ["x/y/z=1", `unable to parse requirement: <nil>: Invalid value: "x/y/z": ${labelKeyRule}`],
    ["a=-", `unable to parse requirement: values[0][a]: Invalid value: "-": ${labelValueRule}`],
    ["tier>-1", `unable to parse requirement: values[0][tier]: Invalid value: "-1": ${labelValueRule}`],
    ["tier>x", `unable to parse requirement: values[0]: Invalid value: "x": ${notInteger}`],
    [
      "tier<-",
      `unable to parse requirement: [values[0]: Invalid value: "-": ${notInteger}, values[0][tier]: Invalid value: "-": ${labelValueRule}]`,
    ],
  ])("may not be %s", (text, message) => {
    const query = new URLSearchParams({ labelSelector: text })
    expect(() => selected(query.toString())).toThrow(expect.objectContaining({ code: 400, message }))
  })
})

describe("a field selector", () => {
  it.each([
    ["", "abcd"],
    ["metadata.name=a", "a"],
    ["metadata.name==a", "a"],
    ["metadata.name!=a", "bcd"],
    ["metadata.name!=a,metadata.name!=b", "cd"],
    ["metadata.name=a,metadata.name=b", ""],
    ["metadata.namespace=x", "ab"],
    ["metadata.namespace=x,metadata.name!=b", "a"],
    ["spec.nodeName=", "bcd"],
    ["spec.nodeName=n1", "a"],
    ["spec.nodeName!=", "a"],
    ["spec.hostNetwork=false", "acd"],
    ["spec.hostNetwork=true", "b"],
    ["status.phase=Running", "c"],
    ["metadata.name=a,", "a"],
  ])("%s selects %s", (text, names) => {
    expect(selected(new URLSearchParams({ fieldSelector: text }).toString())).toBe(names)
  })

  it.each([
    ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ["=a", "invalid selector: '=a'; can't understand '=a'"],
    ["spec.color=red", "field label not supported: spec.color"],
    ["constructor=a", "field label not supported: constructor"],
  ])("may not be %s", (text, message) => {
    expect(() => selected(new URLSearchParams({ fieldSelector: text }).toString())).toThrow(message)
  })

  it.each([
    ["", "v1", "configmaps", '"a" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ["apps", "v1", "deployments", '"a" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ["batch", "v1", "jobs", 'field label "a" not supported for Job'],
    ["", "v1", "pods", "field label not supported: a"],
  ])("of %s/%s %s is refused in words of its own", (group, version, plural, message) => {
    const resource = table.find(group, version, plural) as NonNullable<typeof pods>
    expect(() => readSelector(new URLSearchParams({ fieldSelector: "a=1" }), resource, "")).toThrow(message)
  })
})

it.each([
  ["v1", "involvedObject"],
  ["events.k8s.io/v1", "regarding"],
])("a field of an event of %s that is absent is empty", (apiVersion, about) => {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  const events = table.find(group, version, "events") as NonNullable<typeof pods>
  const isSelected = (selector: string, object: MapValue) =>
    readSelector(new URLSearchParams({ fieldSelector: selector }), events, "")(object)
  for (const field of ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"]) {
    const [given, absent] = [
      { metadata: {}, [about]: { [field]: "x" } },
      { metadata: {}, [about]: {} },
    ]
    expect([given, absent].map(object => isSelected(`${about}.${field}=`, object))).toEqual([false, true])
    expect([given, absent].map(object => isSelected(`${about}.${field}=x`, object))).toEqual([true, false])
  }
})

describe("selectors", () => {
  it("go together with each other, and with a name", () => {
    const both = new URLSearchParams({ labelSelector: "app=web", fieldSelector: "metadata.namespace=y" }).toString()
    expect([selected(both), selected(both, "c"), selected(both, "a"), selected("", "b")]).toEqual(["c", "c", "", "b"])
  })

  it("know the fields that a definition makes selectable", () => {
    const server = new ResourceTable(kubernetesTypes, kindReader)
    server.define(
      definitionOf("Widget", {
        group: "example.org",
        schema: { properties: { spec: { type: "object", properties: { color: { type: "string" } } } } },
        version: { selectableFields: [{ jsonPath: ".spec.color" }] },
      }),
    )
    const widgets = server.find("example.org", "v1", "widgets")
    if (widgets === undefined) throw new Error("there are no widgets")
    const selects = readSelector(new URLSearchParams({ fieldSelector: "spec.color=red" }), widgets, "")
    expect([{ spec: { color: "red" } }, { spec: { color: "blue" } }, {}].map(selects)).toEqual([true, false, false])
    expect(() => readSelector(new URLSearchParams({ fieldSelector: "spec.size=1" }), widgets, "")).toThrow("spec.size")
  })

  it.each([
    ["requirements of labels that are not there", (i: number) => `a${i}!=b`],
    ["requirements of one label", (i: number) => `app!=b${i}`],
    ["labels that have to be there", (i: number) => `a${i}`],
  ])("are looked at as often as an object has labels, however many they are: %s", (_, part) => {
    const text = Array.from({ length: 30_000 }, (_, i) => part(i)).join()
    const selects = readSelector(new URLSearchParams({ labelSelector: text }), pods, "")
    let reads = 0
    const labels = new Proxy({ app: "web", tier: "1" } as MapValue, {
      get: (target, key: string) => {
        reads++
        return target[key]
      },
    })
    selects({ metadata: { name: "a", labels } })
    expect(reads).toBeLessThan(5)
  })

  it("are looked at once for each object where they have 100,000 values", async () => {
    const some = Array.from({ length: 2000 }, (_, i) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `c${i}`, labels: { app: `a${i}` } },
    }))
    const server = createApiServer({ objects: some })
    const values = Array.from({ length: 100_000 }, (_, i) => `a${i + 1999}`).join()
    const query = new URLSearchParams({ labelSelector: `app in (${values})` })
    const response = await server.fetch(new Request(`http://test/api/v1/configmaps?${query}`))
    expect(((await response.json()) as { items: unknown[] }).items).toHaveLength(1)
  })
})
