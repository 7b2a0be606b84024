import { expect, it } from "vitest"
import { goSyntaxProblem } from "../../src/json/go-syntax.js"

// The errors of encoding/json for the same texts.
it.each<[string, string | undefined]>([
  ['{"a":', "unexpected end of JSON input"],
  ["", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ["[1", "unexpected end of JSON input"],
  ["[1 2]", "invalid character '2' after array element"],
  ['{"a"}', "invalid character '}' after object key"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
  ["[,]", "invalid character ',' looking for beginning of value"],
  ['"a\\x"', "invalid character 'x' in string escape code"],
  ['"a\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"a\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ["trux", "invalid character 'x' in literal true (expecting 'e')"],
  ["nul", "invalid character ' ' in literal null (expecting 'l')"],
  ["-a", "invalid character 'a' in numeric literal"],
  ["01", "invalid character '1' after top-level value"],
  ["1.", "invalid character ' ' after decimal point in numeric literal"],
  ["1ex", "invalid character 'x' in exponent of numeric literal"],
  ["{} x", "invalid character 'x' after top-level value"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
  ["[é]", "invalid character 'Ã' looking for beginning of value"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ["[}", "invalid character '}' looking for beginning of value"],
  ["1e5", undefined],
  [' \t\r\n{"a":[1,{"b":null}]}', undefined],
  ['"\\/\\b"', undefined],
  ['"\t"', "invalid character '\\t' in string literal"],
  ["[[[]]", "unexpected end of JSON input"],
  ['"a', "unexpected end of JSON input"],
])("%j", (text, problem) => {
  expect(goSyntaxProblem(text)).toBe(problem)
})
