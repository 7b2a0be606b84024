/** Values of a Secret that are not base64 are reported at their places, in plain words, and not quoted. */
import { describe, expect, it } from "vitest"
import { smd } from "../cli.js"

const token = "hunter2-secret"
const secret = `apiVersion: v1
kind: Secret
metadata: {name: db, namespace: default}
data:
  user: YWRtaW4=
  password: ${token}
  tls.key: |
    ${token}!
`
const files = {
  "secret.yaml": secret,
  "live.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: db, namespace: default}\n",
}
const as = ["--manager", "me", "--live", "live.yaml"]
const lines = ["secret.yaml:6:3: .data[password]: must be base64", "secret.yaml:7:3: .data[tls.key]: must be base64"]

describe("a value of a Secret that is not base64", () => {
  it.each([
    ["apply", as, 1],
    ["update", as, 1],
    ["validate", [], 2],
  ] as const)("is reported by smd %s at its place", async (command, args, expected) => {
    const { status, out, err } = await smd([command, ...args, "secret.yaml"], { files })
    expect([status, out]).toEqual([expected, ""])
    expect(err.split("\n").slice(0, 2)).toEqual(lines)
    expect(err).not.toMatch(/illegal base64|hunter2/)
  })

  it.each(["plan", "explain"])("is reported by smd %s at its line", async command => {
    const { status, out } = await smd([command, ...as, "secret.yaml"], { files })
    expect(status).toBe(1)
    expect(out).toContain(
      "\n  ! refused with 500\n    secret.yaml:6: data[password]: must be base64\n    secret.yaml:7: data[tls.key]: must be base64\n",
    )
    expect(out).not.toMatch(/illegal base64|hunter2/)
    const github = await smd([command, ...as, "secret.yaml", "-o", "github"], { files })
    expect(github.out).toContain(
      "::error file=secret.yaml,line=6,col=3,title=Refused::data[password]: must be base64\n",
    )
  })

  it("is reported in a ConfigMap too", async () => {
    const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nbinaryData:\n  x: '#'\n"
    const { err } = await smd(["validate", "a.yaml"], { files: { "a.yaml": text } })
    expect(err.split("\n")[0]).toBe("a.yaml:5:3: .binaryData[x]: must be base64")
  })
})
