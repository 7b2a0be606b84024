// Watches over WebSocket (RFC 6455), which fabric8's client for Java asks for first. Each event is a text message.
import { createHash } from "node:crypto"
import { type IncomingMessage, type Server, ServerResponse } from "node:http"
import type { WatchLines } from "../response/response.js"

/** Whether a request asks for a WebSocket. */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket" && headers["sec-websocket-key"] !== undefined
}

/**
 * Passes requests for a WebSocket to `serve`, with a response that closes the connection. Node gives up parsing a connection at a request for any
 * other protocol; a server may ignore it, so the request is parsed again without it. Java's client asks for HTTP/2 in this way.
 */
export function onWebSocket(http: Server, serve: (incoming: IncomingMessage, outgoing: ServerResponse) => void): void {
  http.on("upgrade", (incoming, socket, rest) => {
    if (!wantsWebSocket(incoming)) {
      socket.unshift(Buffer.concat([headWithoutUpgrade(incoming), rest]))
      http.emit("connection", socket)
      return
    }
    socket.unshift(rest)
    const outgoing = new ServerResponse(incoming)
    outgoing.shouldKeepAlive = false
    outgoing.assignSocket(incoming.socket)
    outgoing.once("finish", () => incoming.socket.destroySoon())
    serve(incoming, outgoing)
  })
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (!/^(?:upgrade|connection)$/i.test(rawHeaders[i] as string)) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")
}

/** Accepts the WebSocket, and sends the events of a watch until the watch ends or the client closes the connection. */
export async function sendMessages(lines: WatchLines, incoming: IncomingMessage): Promise<void> {
  const { socket } = incoming
  const key = `${incoming.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash("sha1").update(key).digest("base64")
  const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
  socket.write(head)
  socket.on("data", answerControlFrames(socket))
  socket.once("close", () => void lines.return())
  for await (const chunk of lines) {
    const text = Buffer.from(chunk)
    for (let begin = 0; begin < text.length; ) {
      const end = text.indexOf("\n", begin) + 1 || text.length
      if (!socket.write(frame(opcodes.text, text.subarray(begin, end)))) await drained(socket)
      begin = end
    }
  }
  if (socket.writable) socket.write(frame(opcodes.close, normalClosure))
  socket.destroySoon()
}

const opcodes = { text: 1, close: 8, ping: 9, pong: 10 }
const normalClosure = Buffer.from([0x03, 0xe8])

function frame(opcode: number, data: Buffer): Buffer {
  const { length } = data
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = 0x80 | opcode
  if (head.length === 2) head[1] = length
  else if (head.length === 4) head.writeUInt16BE(length, head.writeUInt8(126, 1))
  else head.writeBigUInt64BE(BigInt(length), head.writeUInt8(127, 1))
  return Buffer.concat([head, data])
}

/** Answers pings, and ends the connection when the client closes it. Clients have nothing else to say. */
function answerControlFrames(socket: IncomingMessage["socket"]): (data: Buffer) => void {
  let unread = Buffer.alloc(0)
  return data => {
    unread = Buffer.concat([unread, data])
    while (unread.length >= 6) {
      const opcode = (unread[0] as number) & 15
      const length = (unread[1] as number) & 127
      // A control frame is short and masked.
      if (opcode < opcodes.close || length > 125) return void socket.destroy()
      if (unread.length < 6 + length) return
      const mask = unread.subarray(2, 6)
      const content = unread.subarray(6, 6 + length).map((byte, i) => byte ^ (mask[i % 4] as number))
      unread = unread.subarray(6 + length)
      if (opcode === opcodes.ping) socket.write(frame(opcodes.pong, Buffer.from(content)))
      if (opcode !== opcodes.close) continue
      socket.write(frame(opcodes.close, normalClosure))
      return void socket.destroySoon()
    }
  }
}

/** Resolves once the client has read the written data or has disconnected. */
function drained(socket: IncomingMessage["socket"]): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      socket.off("drain", done).off("close", done)
      resolve()
    }
    socket.on("drain", done).on("close", done)
    if (socket.destroyed) done()
  })
}
