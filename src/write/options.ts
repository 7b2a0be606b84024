// The options of a request that writes an object.

export interface WriteOptions {
  /** The name of the manager that writes. */
  readonly manager: string
  /** Whether the result is not stored. */
  readonly dryRun: boolean
  /** Whether the request is a server-side apply. */
  readonly applies: boolean
  /** Whether an apply takes fields from their owners. */
  readonly force: boolean
  /** How problems such as unknown and repeated fields are handled: by a refusal, by warnings, or not at all. */
  readonly fieldValidation: "Strict" | "Warn" | "Ignore"
}
