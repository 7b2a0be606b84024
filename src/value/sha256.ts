// SHA-256 without waiting. The Web Crypto API answers later, and pages without TLS don't have it.

/** The first 32 bits of the fraction of a root of each of the first `count` primes. */
function fractions(count: number, root: (prime: number) => number): Uint32Array {
  const primes: number[] = []
  for (let next = 2; primes.length < count; next++) if (primes.every(prime => next % prime !== 0)) primes.push(next)
  return Uint32Array.from(primes, prime => (root(prime) % 1) * 2 ** 32)
}

const rotated = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits))

/** Returns the SHA-256 of the bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const constants = fractions(64, Math.cbrt)
  const state = fractions(8, Math.sqrt)
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  for (let start = 0; start < padded.length; start += 64) addBlock(state, constants, view, start)
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, index) => {
    digest.setUint32(index * 4, word)
  })
  return new Uint8Array(digest.buffer)
}

function addBlock(state: Uint32Array, constants: Uint32Array, view: DataView, start: number): void {
  const words = new Uint32Array(64)
  const word = (index: number) => words[index] ?? 0
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(start + i * 4)
  for (let i = 16; i < 64; i++) {
    const [early, late] = [word(i - 15), word(i - 2)]
    const mixed = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
    words[i] = word(i - 16) + mixed + word(i - 7) + (rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10))
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const chosen = (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g))
    const added = (h + chosen + (constants[i] ?? 0) + word(i)) | 0
    const majority = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    ;[a, b, c, d, e, f, g, h] = [(added + majority) | 0, a, b, c, (d + added) | 0, e, f, g]
  }
  for (const [i, sum] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + sum
}
