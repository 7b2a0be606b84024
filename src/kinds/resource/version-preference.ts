// The order in which a server prefers the versions of a group.
import { compareStrings } from "../../value/compare.js"

const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/

/** Sorts the preferred version first: v2, v1, v1beta2, v1beta1, v1alpha1, and then names of any other form by their text. */
export function comparePreference(a: string, b: string): number {
  const [ranksOfA, ranksOfB] = [ranks(a), ranks(b)]
  const different = ranksOfA.findIndex((rank, index) => rank !== ranksOfB[index])
  return different < 0 ? compareStrings(a, b) : (ranksOfB[different] ?? 0) - (ranksOfA[different] ?? 0)
}

/** The stability, the major and the minor number; higher is preferred. */
function ranks(version: string): readonly number[] {
  const [matched, major, stage = "stable", minor] = pattern.exec(version) ?? []
  if (matched === undefined) return [0, 0, 0]
  return [["alpha", "beta", "stable"].indexOf(stage) + 1, Number(major), Number(minor ?? 0)]
}
