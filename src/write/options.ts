// What a request that writes says beside the object.

export interface WriteOptions {
  /** The manager whose fields the request writes. */
  readonly manager: string
  readonly dryRun: boolean
  /** Whether it is server-side apply. */
  readonly applies: boolean
  readonly force: boolean
  readonly fieldValidation: "Strict" | "Warn" | "Ignore"
}
