// Calls webhooks over TLS with the certificates of their configurations, which `fetch` can't be given.
import { request } from "node:https"
import type { WebhookRequest, WebhookResponse } from "../../write/admission/webhook-client.js"

/** Sends a request to a webhook. Rejects with an Error whose `cause` is that of Node if no response arrives in time. */
export function callWebhookByHttps({ url, body, timeoutSeconds, caBundle }: WebhookRequest): Promise<WebhookResponse> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", accept: "application/json" }
    const ca = caBundle === "" ? undefined : Buffer.from(caBundle, "base64")
    const signal = AbortSignal.timeout(timeoutSeconds * 1000)
    const sent = request(url, { method: "POST", headers, ca, signal, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") })
      })
      response.once("error", fail)
    })
    const fail = (cause: Error) => reject(signal.aborted ? signal.reason : new Error(cause.message, { cause }))
    sent.once("error", fail)
    sent.end(body)
  })
}
