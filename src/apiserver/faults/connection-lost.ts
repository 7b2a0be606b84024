/** The error with which `answer` and `fetch` reject if a fault breaks the connection: a TypeError, like that of `fetch`. Over HTTP, the connection closes. */
export class ConnectionLost extends TypeError {
  constructor(why: string) {
    super(`fetch failed: ${why}`)
  }
}
