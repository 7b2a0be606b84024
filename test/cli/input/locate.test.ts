import { describe, expect, it } from "vitest"
import { Places } from "../../../src/cli/input/locate.js"
import { compileSchema } from "../../../src/typed/type.js"
import type { Steps } from "../../../src/value/change.js"
import { deepFreeze } from "../../support/deep-freeze.js"

const document = deepFreeze({
  a: { b: 1, "b.c": { d: 2 }, "e[0]": 3, "": 4 },
  "a.b": [5],
  set: ["x", "y]", 1, true, null],
  ports: [{ port: 80 }, { port: 80, protocol: "UDP" }, { port: 53, name: 'q"]' }, 7],
  "": { "": 1 },
})

const rows: [path: string, steps: Steps][] = [
  ["", []],
  [".a", ["a"]],
  [".a.b", ["a.b"]],
  [".a.b.c", ["a", "b.c"]],
  [".a.b.c.d", ["a", "b.c", "d"]],
  [".a.b[0]", ["a.b", 0]],
  [".a.e[0]", ["a", "e[0]"]],
  [".a.", ["a", ""]],
  ["..", ["", ""]],
  ['.set[="y]"]', ["set", 1]],
  [".set[=1]", ["set", 2]],
  [".set[4]", ["set", 4]],
  [".set[9]", ["set"]],
  ['.ports[port=80,protocol="UDP"].protocol', ["ports", 1, "protocol"]],
  ['.ports[port=80,protocol="UDP"].port', ["ports", 1, "port"]],
  ['.ports[port=80,protocol="TCP"].port', ["ports", 0, "port"]],
  ['.ports[name="q\\"]",port=53].name', ["ports", 2, "name"]],
  [".ports[port=99].port", ["ports"]],
  [".a[b]", ["a", "b"]],
  [".a[b.c].d", ["a", "b.c", "d"]],
  [".a[e[0]]", ["a", "e[0]"]],
  ["[a.b][0]", ["a.b", 0]],
  [".a[b", ["a"]],
  [".missing.deeper", []],
  [".a.missing", ["a"]],
]

const keyed = { elementType: { namedType: "item" }, elementRelationship: "associative" } as const
const types = compileSchema({
  types: [
    {
      name: "pod",
      map: {
        fields: [
          { name: "containers", type: { list: { ...keyed, keys: ["name"] } } },
          { name: "ports", type: { list: { ...keyed, keys: ["port", "protocol"] } } },
        ],
      },
    },
    {
      name: "item",
      map: {
        fields: [
          { name: "name", type: { scalar: "string" }, default: "" },
          { name: "port", type: { scalar: "numeric" } },
          { name: "protocol", type: { scalar: "string" }, default: "TCP" },
        ],
      },
    },
  ],
})
const pod = deepFreeze({
  containers: [{ name: "ok" }, { nam: "web" }, { image: "x" }],
  ports: [{ protocol: "UDP" }, { port: 80, protocol: "UDP" }, { port: 80 }],
})

describe("locate", () => {
  it.each(rows)("finds %s", (path, steps) => {
    expect(new Places(document).locate(path)).toEqual(steps)
  })

  it.each<[path: string, steps: Steps]>([
    ['.containers[name="ok"].name', ["containers", 0, "name"]],
    ['.containers[name=""].nam', ["containers", 1, "nam"]],
    ['.containers[name=""].image', ["containers", 2, "image"]],
    ['.containers[name="web"].image', ["containers"]],
    ['.ports[port=80,protocol="TCP"].port', ["ports", 2, "port"]],
    ['.ports[port=80,protocol="UDP"].port', ["ports", 1, "port"]],
    ['.ports[protocol="UDP"].protocol', ["ports", 0, "protocol"]],
    ['.ports[port=1,protocol="TCP"]', ["ports"]],
  ])("finds %s by the defaults of keys", (path, steps) => {
    expect(new Places(pod, types.type("pod")).locate(path)).toEqual(steps)
  })
})
