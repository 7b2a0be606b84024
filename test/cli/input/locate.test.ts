import { describe, expect, it } from "vitest"
import { Places, type Steps } from "../../../src/cli/input/locate.js"
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

describe("locate", () => {
  it.each(rows)("finds %s", (path, steps) => {
    expect(new Places(document).locate(path)).toEqual(steps)
  })
})
