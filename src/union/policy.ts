// Union policies: how unions are treated, as data.
//
// The design of unions had several generations, which answer the same questions differently: which side counts if discriminator and members
// disagree, who writes the discriminator, what an apply of the discriminator alone means. A policy is an answer to each question. union.ts
// reads the answers about a single map, validate.ts those about the result, and merge/unions.ts those about pruning, owners and conflicts.
// To make a policy of your own, copy one and change an answer:
//
//   {...unionPolicies.v4, name: "mine", clearedOwnedByOthers: "conflict"}

import { anObject, type Expected, requireArgument } from "../value/argument.js"

/** The names of the policies in `unionPolicies`. */
export type UnionPolicyName = "off" | "v4" | "kep-2019" | "kep-2022-draft" | "kep-2022" | "extended"

/**
 * The default union policy of an Updater, a FieldManager, a simulation, a plan and `smd`, for unions from every source. Under it no apply
 * takes a field of a union from another manager without a conflict, and an invalid result is refused.
 */
export const defaultUnionPolicy: UnionPolicyName = "extended"

/** An answer to each question on which the generations of the design differ. */
export interface UnionPolicy {
  /** The name of the policy in reports and conflicts. */
  readonly name: string
  /** Whether unions are handled at all. */
  readonly enabled: boolean
  /** If the discriminator changes to select a member: the other members are cleared, or the change is ignored. */
  readonly onDiscriminatorChange: "clear-others" | "ignore"
  /** Whether such a change is an error if members are added that it does not select. */
  readonly strictChange: boolean
  /**
   * If the discriminator becomes `""`: nothing is done, or all members are cleared. `clear-all-or-fail` clears them if the union may be
   * empty; otherwise it is an error.
   */
  readonly emptyDiscriminator: "not-a-change" | "clear-all" | "clear-all-or-fail"
  /** The same for a discriminator that is removed or becomes null. Clients that don't know the field send such objects. */
  readonly removedDiscriminator: "not-a-change" | "clear-all" | "clear-all-or-fail"
  /** Whether the discriminator clears the other members even if it did not change. */
  readonly alwaysEnforceDiscriminator: boolean
  /** Whether a discriminator value that belongs to no member is taken as the name of a field. */
  readonly fieldNameSelects: boolean
  /**
   * If several members are set, and the discriminator did not change or does not exist: an error; or only the added member is kept; or all
   * members are left; or all are left and `validateUnions` refuses them.
   */
  readonly unchangedMultiple: "error" | "keep-single-added" | "leave" | "leave-for-validation"
  /** With `keep-single-added`, if several members were added: an error, or all are left. */
  readonly severalAdded: "error" | "leave"
  /** If several members are set that were all set before: an error as usual, or accepted, also by `validateUnions`. */
  readonly legacyMultiple: "error" | "ratchet"
  /** When the engine writes the discriminator for the only member that is set. `schema-flag` stands for `deduceInvalidDiscriminator`. */
  readonly writeDiscriminator: "never" | "schema-flag" | "always"
  /** If the selected member is absent: accepted, carried over from the old object, or an error of `validateUnions`. */
  readonly selectedAbsent: "accept" | "carry-over" | "error-unless-optional"
  /** If the discriminator has a value that the union does not list: accepted, or an error of `validateUnions`. */
  readonly unknownValue: "accept" | "error"
  /** If `validateUnions` finds errors in the result of an apply or update: left to the caller, or errors of the request. */
  readonly invalidResult: "accept" | "error"
  /** The basis of decisions in an apply: the configuration, or the changes that the merge made to the live object. */
  readonly applyBasis: "applied-fields" | "merged-vs-live"
  /** If a configuration has a discriminator without a member: members that it does not select stay, or are cleared. */
  readonly discriminatorOnlyApply: "keep" | "clear-others"
  /**
   * If pruning removes a discriminator while its member stays because others own parts of it: it stays removed, or it is written again and
   * given to the owners of the member. With `merged-vs-live`, the rules of an update decide instead.
   */
  readonly prunedDiscriminator: "goes" | "follows-member"
  /** Whether unions without a discriminator are settled like others, or skipped. */
  readonly undiscriminated: "handle" | "skip"
  /**
   * If an apply removes fields of a union that others own, either by clearing a member or by a null in its configuration: only reported, or
   * a conflict with their owners. An owner with a conflict about the union's discriminator gets no further conflicts about the union.
   */
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

/** Answers in which all three versions of KEP-1027 differ from `v4`: the merged object decides, and validation refuses. */
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
 * - `off`: unions are ignored, as in structured-merge-diff v6.
 * - `v4`: the behavior of structured-merge-diff 3 and 4, the only generation that was ever released.
 * - `kep-2019`, `kep-2022-draft`, `kep-2022`: the first, the rewritten and the last version of KEP-1027.
 * - `extended`, the default: like `v4`, but the engine always writes the discriminator that a member implies, a configuration may have only
 *   the discriminator, and an empty discriminator clears all members. Removing fields of other owners is a conflict. An update that adds a
 *   member switches to it. An invalid result is refused, unless the object was invalid before in the same way.
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
    fieldNameSelects: false,
    unchangedMultiple: "keep-single-added",
    legacyMultiple: "ratchet",
    writeDiscriminator: "always",
    selectedAbsent: "error-unless-optional",
    unknownValue: "error",
    invalidResult: "error",
    discriminatorOnlyApply: "clear-others",
    prunedDiscriminator: "follows-member",
    clearedOwnedByOthers: "conflict",
  }),
})

/** Returns `v4` with another name and other answers. */
function policy(name: UnionPolicyName, answers: Partial<UnionPolicy>): UnionPolicy {
  return Object.freeze({ ...v4, ...answers, name })
}

/** Returns the policy of that name, or the given policy. Throws a RangeError if no policy has that name. */
export function unionPolicy(choice: UnionPolicyName | UnionPolicy): UnionPolicy {
  if (typeof choice !== "string") {
    requireArgument("unions", choice, policyOrName)
    return choice
  }
  if (!Object.hasOwn(unionPolicies, choice)) {
    throw new RangeError(`unknown union policy "${choice}", expected one of ${Object.keys(unionPolicies).join(", ")}`)
  }
  return unionPolicies[choice]
}

const policyOrName: Expected = { name: "a union policy or the name of one", fits: anObject.fits }
