// Union policies: what to do about one-of groups, as data.
//
// The design had several generations, and each answers the same questions otherwise: whom to believe where discriminator and
// members disagree, who writes the discriminator, what an apply of the discriminator alone means. A policy is one answer to
// each question; `decide` in union.ts is the only code that reads them. Copy a policy and change an answer to get one's own:
//
//   {...unionPolicies.v4, name: "mine", clearedOwnedByOthers: "conflict"}

/** The policies that come with the package, by name: those of `unionPolicies`. */
export type UnionPolicyName = "off" | "v4" | "kep-2019" | "kep-2022-draft" | "kep-2022" | "extended"

/** What is done about the unions that a schema carries, where nothing else is said: by an Updater, a FieldManager and `smd` alike. */
export const defaultUnionPolicy: UnionPolicyName = "v4"

/** One answer to each question that the generations of the design answer differently. */
export interface UnionPolicy {
  /** How reports and conflicts call it. */
  readonly name: string
  /** Whether unions are looked at at all. */
  readonly enabled: boolean
  /** A discriminator that came to name a member: the others go, or it is passed over as if it had not changed. */
  readonly onDiscriminatorChange: "clear-others" | "ignore"
  /** Such a change is an error together with a new member that it does not name, or with several new members. */
  readonly strictChange: boolean
  /**
   * A discriminator that became `""`. Clears all members, or that only where the union may be empty and is an error where it
   * may not, or means nothing.
   */
  readonly emptyDiscriminator: "not-a-change" | "clear-all" | "clear-all-or-fail"
  /** A discriminator that is gone, or null, likewise. Clients that don't know it send such objects. */
  readonly removedDiscriminator: "not-a-change" | "clear-all" | "clear-all-or-fail"
  /** The discriminator rules whether it changed or not. */
  readonly alwaysEnforceDiscriminator: boolean
  /** A value that no member has is taken for a field's name. */
  readonly fieldNameSelects: boolean
  /** Several members are set, and the discriminator did not change or there is none. */
  readonly unchangedMultiple: "error" | "keep-single-added" | "leave" | "leave-for-validation"
  /** `keep-single-added`, and several members were added. */
  readonly severalAdded: "error" | "leave"
  /** Several members are set, all of which were set before: an error as any other, or left alone, also by validation. */
  readonly legacyMultiple: "error" | "ratchet"
  /** When the engine writes the discriminator that belongs to the one member set. */
  readonly writeDiscriminator: "never" | "schema-flag" | "always"
  /** The member selected is absent: all right, taken over from the old object, or an error of `validateUnions`. */
  readonly selectedAbsent: "accept" | "carry-over" | "error-unless-optional"
  /** A discriminator value that the union does not list: all right, or an error of `validateUnions`. */
  readonly unknownValue: "accept" | "error"
  /** What `validateUnions` finds in the result of an apply or update: left to the caller, or an error of the request. */
  readonly invalidResult: "accept" | "error"
  /** What an apply goes by: the configuration, or what the merge made of the live object. */
  readonly applyBasis: "applied-fields" | "merged-vs-live"
  /** An apply of a discriminator without a member: clears the members it does not select, or nothing. */
  readonly discriminatorOnlyApply: "keep" | "clear-others"
  /**
   * Pruning takes a discriminator, and its member stays as others own parts of it: it goes all the same, or comes back and
   * belongs to them. Where the merged object decides, the rules of an update say what becomes of it.
   */
  readonly prunedDiscriminator: "goes" | "follows-member"
  /** Unions without a discriminator. */
  readonly undiscriminated: "handle" | "skip"
  /** An apply clears a member that others own: only reported, or a conflict with them. */
  readonly clearedOwnedByOthers: "silent" | "conflict"
}

const v4: UnionPolicy = {
  name: "v4",
  enabled: true,
  onDiscriminatorChange: "clear-others",
  strictChange: true,
  emptyDiscriminator: "not-a-change",
  removedDiscriminator: "not-a-change",
  alwaysEnforceDiscriminator: false,
  fieldNameSelects: true,
  unchangedMultiple: "error",
  severalAdded: "error",
  legacyMultiple: "error",
  writeDiscriminator: "schema-flag",
  selectedAbsent: "accept",
  unknownValue: "accept",
  invalidResult: "accept",
  applyBasis: "applied-fields",
  discriminatorOnlyApply: "keep",
  prunedDiscriminator: "goes",
  undiscriminated: "handle",
  clearedOwnedByOthers: "silent",
}

/** Texts that go by what the merge made and leave refusing to validation: what they have in common, where they differ from `v4`. */
const kep: Partial<UnionPolicy> = {
  strictChange: false,
  emptyDiscriminator: "clear-all",
  fieldNameSelects: false,
  severalAdded: "leave",
  legacyMultiple: "ratchet",
  invalidResult: "error",
  applyBasis: "merged-vs-live",
  discriminatorOnlyApply: "clear-others",
}

/**
 * The policies by name.
 *
 * - `off`: unions mean nothing, as in structured-merge-diff v6.
 * - `v4`: what structured-merge-diff 3 and 4 did, the only generation that was ever released.
 * - `kep-2019`, `kep-2022-draft`, `kep-2022`: KEP-1027 as it was written first, rewritten, and left.
 * - `extended`: `v4`, and an apply may name only the discriminator, objects that were invalid before may stay so, clearing
 *   what others own is a conflict, an empty discriminator clears all members, and what is invalid in the end is refused.
 */
export const unionPolicies: Readonly<Record<UnionPolicyName, UnionPolicy>> = Object.freeze({
  off: policy("off", { enabled: false }),
  v4: policy("v4", {}),
  "kep-2019": policy("kep-2019", {
    ...kep,
    unchangedMultiple: "keep-single-added",
    writeDiscriminator: "always",
  }),
  "kep-2022-draft": policy("kep-2022-draft", {
    ...kep,
    emptyDiscriminator: "clear-all-or-fail",
    removedDiscriminator: "clear-all-or-fail",
    alwaysEnforceDiscriminator: true,
    unchangedMultiple: "keep-single-added",
    severalAdded: "error",
    writeDiscriminator: "never",
    selectedAbsent: "carry-over",
    unknownValue: "error",
  }),
  "kep-2022": policy("kep-2022", {
    ...kep,
    removedDiscriminator: "clear-all",
    unchangedMultiple: "leave-for-validation",
    legacyMultiple: "error",
    writeDiscriminator: "never",
    selectedAbsent: "error-unless-optional",
    unknownValue: "error",
    undiscriminated: "skip",
  }),
  extended: policy("extended", {
    emptyDiscriminator: "clear-all",
    legacyMultiple: "ratchet",
    selectedAbsent: "error-unless-optional",
    unknownValue: "error",
    invalidResult: "error",
    discriminatorOnlyApply: "clear-others",
    prunedDiscriminator: "follows-member",
    clearedOwnedByOthers: "conflict",
  }),
})

/** `v4` with another name and other answers. */
function policy(name: UnionPolicyName, answers: Partial<UnionPolicy>): UnionPolicy {
  return Object.freeze({ ...v4, ...answers, name })
}

/** The policy of that name, or the policy given. Throws a RangeError for a name there is no policy of. */
export function unionPolicy(choice: UnionPolicyName | UnionPolicy): UnionPolicy {
  if (typeof choice !== "string") return choice
  if (!Object.hasOwn(unionPolicies, choice)) {
    throw new RangeError(`unknown union policy "${choice}", expected one of ${Object.keys(unionPolicies).join(", ")}`)
  }
  return unionPolicies[choice]
}
