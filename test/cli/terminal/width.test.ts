import { describe, expect, it } from "vitest"
import { fitColumns, shorten, wrap } from "../../../src/cli/terminal/layout.js"
import { cutMiddle, sliceColumns, widthOf } from "../../../src/cli/terminal/width.js"

describe("width", () => {
  it("is two columns for wide characters, and zero for marks and our own colours", () => {
    const rows: [string, number][] = [
      ["abc", 3],
      ["\x1b[31mab\x1b[39m", 2],
      ["…é", 2],
      ["e\u0301", 1],
      ["\u200b", 0],
      ["日本語", 6],
      ["ｶﾅ", 2],
      ["한글", 4],
      ["ＡＢ", 4],
      ["。", 2],
      ["🚀", 2],
      ["👩‍🚀", 2],
      ["🇩🇪", 2],
      ["❤️", 2],
      ["❤", 1],
      ["ключ", 4],
    ]
    for (const [text, width] of rows) expect([text, widthOf(text)]).toEqual([text, width])
  })

  it("cuts between characters", () => {
    expect(sliceColumns("a日本b", 1, 3)).toBe("日")
    expect(sliceColumns("a👩‍🚀b", 0, 3)).toBe("a👩‍🚀")
    expect(shorten("日本語日本語", 9)).toBe("日本語...")
    expect(cutMiddle(".spec.template.spec.hostNetwork", 15)).toBe(".spec.t…Network")
    for (let width = 1; width < 20; width++)
      expect(widthOf(cutMiddle("日本語.日本語.abc", width))).toBeLessThanOrEqual(width)
  })

  it("limits wrapped text and columns", () => {
    expect(wrap("日本 語日本", 6)).toEqual(["日本", "語日本"])
    expect(wrap("a .spec.template.spec", 9)).toEqual(["a", ".spe…spec"])
    expect(fitColumns([[".spec.template.spec.containers", "1", "you"]], [8, 2, 4])).toEqual([
      ".spec.tem…ntainers",
      "          1   you",
    ])
  })
})
