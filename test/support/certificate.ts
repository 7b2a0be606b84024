import { generateKeyPairSync, sign } from "node:crypto"

/** Returns a new key and its self-signed certificate for 127.0.0.1, as PEM. The certificate is valid until the year 2999. */
export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const algorithm = sequence(ecdsaWithSha256)
  const name = sequence(tagged(0x31, sequence(commonName, tagged(0x0c, Buffer.from("test")))))
  const validity = sequence(time("20000101000000Z"), time("29991231235959Z"))
  const address = tagged(0x04, sequence(tagged(0x87, Buffer.from([127, 0, 0, 1]))))
  const extensions = tagged(0xa3, sequence(sequence(subjectAltName, address)))
  const version = tagged(0xa0, integer(2))
  const spki = publicKey.export({ type: "spki", format: "der" })
  const body = sequence(version, integer(1), algorithm, name, validity, name, spki, extensions)
  const der = sequence(body, algorithm, tagged(0x03, Buffer.from([0]), sign("sha256", body, privateKey)))
  const lines = der.toString("base64").replace(/.{64}/g, "$&\n")
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

// Object identifiers in DER.
const ecdsaWithSha256 = Buffer.from("06082a8648ce3d040302", "hex")
const commonName = Buffer.from("0603550403", "hex")
const subjectAltName = Buffer.from("0603551d11", "hex")

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]))
}

function time(text: string): Buffer {
  return tagged(0x18, Buffer.from(text))
}
