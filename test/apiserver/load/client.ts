// A small client over node:http, whose cost is the same for every server.
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http"
import { Agent as SecureAgent, request as secureRequest } from "node:https"
import type { MapValue } from "../../../src/value/value.js"

export interface Answer {
  readonly status: number
  readonly body: MapValue
}

export interface ClientOptions {
  /** Sent with every request: a token for a real cluster. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends requests over persistent connections, and opens each watch on a connection of its own. */
export class Client {
  private readonly url: URL
  private readonly headers: Readonly<Record<string, string>>
  private readonly kept: Agent
  private readonly isSecure: boolean

  constructor(url: string, { headers = {} }: ClientOptions = {}) {
    this.url = new URL(url)
    this.headers = headers
    this.isSecure = this.url.protocol === "https:"
    // Test servers sign their own certificates.
    const options = { keepAlive: true, rejectUnauthorized: false }
    this.kept = this.isSecure ? new SecureAgent(options) : new Agent(options)
  }

  async send(method: string, path: string, body?: MapValue, type = "application/json"): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = text === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(text) }
    const response = await this.open(method, path, headers, this.kept, text)
    let answer = ""
    response.setEncoding("utf8")
    for await (const part of response) answer += part
    return { status: response.statusCode ?? 0, body: JSON.parse(answer) as MapValue }
  }

  /** Opens a watch. Its response can be paused, or destroyed to end the watch. */
  watch(path: string): Promise<IncomingMessage> {
    return this.open("GET", path, {}, false)
  }

  close(): void {
    this.kept.destroy()
  }

  private open(
    method: string,
    path: string,
    headers: Readonly<Record<string, string | number>>,
    agent: Agent | false,
    body?: string,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options = { method, agent, headers: { ...this.headers, ...headers }, rejectUnauthorized: false }
      const address = new URL(path, this.url)
      const sent: ClientRequest = this.isSecure ? secureRequest(address, options) : request(address, options)
      sent.once("response", resolve)
      sent.once("error", reject)
      sent.end(body)
    })
  }
}
