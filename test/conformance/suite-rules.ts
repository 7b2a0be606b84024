/**
 * Which rules of docs/semantics.md the cases of test/vectors exercise: by name, or by operation if the name has no row of its own.
 * A case also exercises the rules that name it.
 */
const byName: readonly (readonly [names: RegExp, ...rules: string[]])[] = [
  [
    /^values\/(a number sorts|a boolean sorts|false|null|a list|an empty list|lists|upper|the empty string|composed)/,
    "V4",
  ],
  [/^values\/(an emoji|a ligature)/, "V4"],
  [/^values\/(maps|an empty map|the map|a map|keys|a __proto__)/, "V5"],
  [/^values\/(the largest|integers|the smallest int64|small floats)/, "V3"],
  [/^path-elements\/(a value with (html|line sep)|a key with html|a large float|a field whose name holds html)/, "P3"],
  [/^path-elements\/(an unknown|an upper case prefix|no colon|one character|nothing|a colon|a multi-byte)/, "P8"],
  [/^path-elements\/an index/, "P2", "P8"],
  [/^path-elements\/a (value (without|that|followed)|key (that|with something))/, "P8"],
  [/^fieldsv1\/(html|line|control|floats)/, "P3"],
  [/^fieldsv1\/(a dot|null below|what is below|the same|elements with|an element with nothing|two zeros)/, "S8"],
  [
    /^fieldsv1\/(a list|a string|a number|nothing at all|true|a set (that|with)|an element|a key that|a value that)/,
    "S9",
  ],
  [/^fieldsv1\/(an index that|an error)/, "S9"],
  [/^fieldsv1\/(elements in|names|white|escapes|quotes|the same key|the same value)/, "S7"],
  [/^fieldsv1\/size of a set without any known element/, "S8"],
  [/^sets\/from (scalars|an empty|a list|a scalar|null|keys)/, "S11"],
  [
    /^sets\/(equal managers|managers|applied and updated|a manager|fields that|nothing where|the right side|no manager)/,
    "S12",
  ],
  [/^sets\/(excludes|includes)/, "S10"],
  [/^merge\/.*(empty|null)/, "O5"],
  [/^merge\/.*duplicate/, "O9"],
  [/^merge\/(a set|items)/, "O6"],
  [/^merge\/.*deduced/, "T8"],
  [/^parts\/with keys/, "O11"],
  [/^parts\/deduced|^parts\/to |^parts\/overrides|^parts\/items of/, "A16"],
  [/^apply\/(a conflict|conflicts|no conflict|three)/, "A3"],
  [/^apply\/(a field no|applying|pruning|a struct stays|an item goes)/, "A7"],
  [/^apply\/(an? update|an updater|nothing by update|duplicates|a manager that)/, "A10"],
  [/^apply\/(ignor|everything is|a filter|a version without)/, "A15"],
  [/^apply\/(extract)/, "A18"],
  [/^apply\/(an item is|items are|an apply over|integers|floats|strings|keys)/, "A2"],
  [/^apply\/(the same|nothing applied|null applied|with the input|a zero)/, "A11"],
  [/^apply\/(a wrong|a story|ignored fields and)/, "A17"],
  [/^apply\/(managers with|deduced|YAML)/, "A1"],
  [
    /^versions\/(renaming|reliant|repeating|types by|a manager|null|a field of|an update after|a version|no conflict)/,
    "A13",
  ],
  [/^versions\/trading/, "A14"],
  [/^versions\//, "A16"],
  [/^field-manager\/.*conflict/, "M20"],
  [/^field-manager\/(another|a version that|no version)/, "M7"],
  [/^field-manager\/.*(managedFields|reset)/, "M10"],
  [/^field-manager\/live managedFields/, "M12"],
  [/^field-manager\/.*(annotation|kubectl|client)/, "M14"],
  [/^field-manager\/(ten|appliers|the oldest|ancient|an apply caps|no ancient|updaters)/, "M13"],
  [/^field-manager\/(an? pod is|an apply of the zero|before-first-apply)/, "M16"],
  [/^field-manager\/(replicas|ports|a port|a service|a status|a pod|a repl|toler|cond|volumes|items|an atomic)/, "M17"],
  [/^field-manager\/.*(order|times)/, "M3"],
  [/^object-versions\/.*(reset)/, "M15"],
  [/^object-versions\/.*(version)/, "A13"],
  [/^unions\/in |^unions\/.*atomic|^unions\/(several|beside)/, "U2"],
  [/^unions\/(a (first|another|second)|another|two old|null|zero|an empty map is|a member without)/, "U4"],
  [/^unions\/(a discriminator (removed|made|without)|without a discriminator: |a wrong new)/, "U4"],
  [/^unions\/not deduced: (the discriminator stays|a wrong)/, "U4"],
  [/^unions\/(switched|a schema without)/, "U1"],
]

const byOperation: Readonly<Record<string, readonly string[]>> = {
  valueCompare: ["V4"],
  valueToString: ["V7"],
  valueFromJSON: ["V8"],
  pathElement: ["P2"],
  pathElementCompare: ["P5"],
  pathCompare: ["P6"],
  pathString: ["P7"],
  roundTrip: ["S6"],
  size: ["S1"],
  iterate: ["S13"],
  union: ["S3"],
  intersection: ["S3"],
  difference: ["S3"],
  recursiveDifference: ["S4"],
  leaves: ["S5"],
  has: ["S1"],
  insert: ["S1"],
  withPrefix: ["S13"],
  setFromPaths: ["S1"],
  equals: ["S1"],
  copy: ["S1"],
  parse: ["V6"],
  parseSchema: ["T9"],
  validate: ["O1"],
  merge: ["O4"],
  compare: ["O8"],
  reconcileFieldSetWithSchema: ["A16"],
  removeItems: ["O10"],
  extractItems: ["O11"],
  updater: ["A1"],
  fieldManager: ["M1"],
  extract: ["M18"],
  upgradeManagedFields: ["M19"],
  normalizeUnions: ["U3"],
  normalizeUnionsApply: ["U5"],
}

/** All rules that the tables name. */
export const namedRules: readonly string[] = [
  ...byName.flatMap(([, ...rules]) => rules),
  ...Object.values(byOperation).flat(),
]

/** Returns the rules that a case exercises, apart from those that name it. */
export function rulesOf(name: string, operation: string): string[] {
  const named = byName.flatMap(([names, ...rules]) => (names.test(name) ? rules : []))
  if (named.length > 0) return named
  return name.startsWith("unions/") && operation === "updater" ? ["U6"] : [...(byOperation[operation] ?? [])]
}
