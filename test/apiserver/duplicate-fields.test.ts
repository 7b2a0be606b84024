import { expect, it } from "vitest"
import { duplicateFields } from "../../src/apiserver/request/duplicate-fields.js"

// What sigs.k8s.io/json answers to the same texts.
it.each<[string, string[]]>([
  ['{"a":1,"b":{"a":2}}', []],
  ['{"a":1,"a":2}', ["a"]],
  [
    '{"a":{"b":[{"c":1,"c":2,"c":3},{"c":1,"c":2}],"b":[]},"a":{"x":1,"x":{"y":1,"y":2}}}',
    ["a.b[0].c", "a.b[1].c", "a.b", "a", "a.x", "a.x.y"],
  ],
  ['[{"a":1,"a":1}]', ["[0].a"]],
  ['{"a.b":{"":1,"":2}}', ["a.b."]],
  ['{"a":{"a":1,"A":2}}', []],
  ['{"a":[[{"b":1,"b":1}]]}', ["a[0][0].b"]],
  ['{"a":"{\\"b\\":1,\\"b\\":2}","b":"x","\\u0061":2}', ["a"]],
  ['{"a":{"x":1,"x":2},"a":{"x":1,"x":2}}', ["a.x", "a"]],
  ["1", []],
])("%s", (text, paths) => {
  expect(duplicateFields(text)).toEqual(paths)
})
