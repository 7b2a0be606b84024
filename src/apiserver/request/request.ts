// A request as plain data, and its parsed form.

/** A request as plain data. */
export interface ApiRequest {
  /** The HTTP method, in capitals. */
  readonly method: string
  /** Path and query, as in the first line of an HTTP request: `/api/v1/nodes?limit=10`. */
  readonly path: string
  /** Header values by lower-case name. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** The body: text, bytes, or a function that reads it, which the server calls only if it needs the body. */
  readonly body?: string | Uint8Array | BodyReader | undefined
}

/** Reads a body. Resolves to undefined if it has more than `limit` bytes; rejects if the body was cut off. */
export type BodyReader = (limit: number) => Promise<Uint8Array | undefined>

/** A request with its address split into path and query. */
export interface ServerRequest {
  readonly method: string
  readonly path: string
  /** The query as the client wrote it: `?limit=10`, or "". */
  readonly search: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: ApiRequest["body"]
}

/** Splits the address of a request into path and query. */
export function readAddress({ method, path: address, headers = {}, body }: ApiRequest): ServerRequest {
  const [, path, search = ""] = isNormal(address) ? (normal.exec(address) ?? []) : []
  if (path !== undefined) return { method, path, search, query: queryOf(search), headers, body }
  // The target of "OPTIONS *" is not a path. Without the slash it would become a part of the host.
  const url = new URL(`http://localhost${address.startsWith("/") ? "" : "/"}${address}`)
  return { method, path: url.pathname, search: url.search, query: url.searchParams, headers, body }
}

// Nearly all addresses match this pattern: a URL would not change them. Creating a URL takes as long as finding an object.
const normal = /^(\/[\w\-~!$&'()*+,;=:@./]*)(\?[\w\-~!$&()*+,;=:@./?%]+)?$/

function isNormal(address: string): boolean {
  return !address.includes("/.")
}

/** Shared by all requests without a query. Never changed. */
const noQuery = new URLSearchParams()

function queryOf(search: string): URLSearchParams {
  return search === "" ? noQuery : new URLSearchParams(search)
}
