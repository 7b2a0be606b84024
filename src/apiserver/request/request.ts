// A request as the server takes it: plain data, whose address is read once.

/** A request as plain data. */
export interface ApiRequest {
  /** The HTTP method, in capitals. */
  readonly method: string
  /** Path and query, as in the first line of an HTTP request: `/api/v1/nodes?limit=10`. */
  readonly path: string
  /** The values of headers by their names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** The body: text, bytes, or a function that reads it, which is called where the server wants it. */
  readonly body?: string | Uint8Array | BodyReader | undefined
}

/** Reads a body. Resolves to undefined if it has more than `most` bytes; rejects if it was cut off. */
export type BodyReader = (most: number) => Promise<Uint8Array | undefined>

/** A request whose address was read. */
export interface ServerRequest {
  readonly method: string
  readonly path: string
  /** The query as it was written: `?limit=10`, or "". */
  readonly search: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: ApiRequest["body"]
}

/** Reads the address of a request. */
export function readAddress({ method, path: address, headers = {}, body }: ApiRequest): ServerRequest {
  const [, path, search = ""] = isNormal(address) ? (normal.exec(address) ?? []) : []
  if (path !== undefined) return { method, path, search, query: queryOf(search), headers, body }
  // The target of "OPTIONS *" is not a path, and must not become a part of the host.
  const url = new URL(`http://localhost${address.startsWith("/") ? "" : "/"}${address}`)
  return { method, path: url.pathname, search: url.search, query: url.searchParams, headers, body }
}

// Addresses that a URL would leave as they are, which are nearly all. To make a URL takes as long as to find an object.
const normal = /^(\/[\w\-~!$&'()*+,;=:@./]*)(\?[\w\-~!$&()*+,;=:@./?%]+)?$/

function isNormal(address: string): boolean {
  return !address.includes("/.")
}

/** The query of most requests, which is none. Nobody changes it. */
const noQuery = new URLSearchParams()

function queryOf(search: string): URLSearchParams {
  return search === "" ? noQuery : new URLSearchParams(search)
}
