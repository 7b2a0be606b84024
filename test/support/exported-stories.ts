/** Stories as scripts and as tests. */
import { kubernetesTypes } from "../../src/kubernetes/types.js"
import { expect, test } from "../../src/testing/vitest/vitest.js"
import type { Story } from "../../src/tools/simulator/story/story.js"

/** Declares the test that `smd simulate --output vitest` has printed. */
export function declareTest(text: string): void {
  const body = text.replaceAll(/^import .*\n/gm, "")
  new Function("test", "expect", "kubernetesTypes", body)(test, expect, kubernetesTypes)
}

/** Text that a shell, a terminal or a program would take for something else. */
export const hostileText = `it's "x" $(touch injected) \`touch injected\` \${HOME} \\ ; touch injected & !! EOF`
const entry = { manager: hostileText, operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1" }

/** The text of the first apply. */
export const hostileObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", annotations: { ["__proto__"]: "own", [hostileText]: "key", "\u202e": "key" } },
  data: { end: "EOF\nEOF2\nSTORY\nSTORY2\ntouch injected\n", quoted: hostileText, escape: "\u001b[201~\n\u202e" },
}

/** A story with such text in all places. */
export const hostileStory: Story = {
  title: `${hostileText}\nSTORY\ntouch injected`,
  about: "*/ injected()",
  objects: [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "given", managedFields: [{ ...entry, fieldsV1: { "f:data": { "f:text": {} } } }] },
      data: { text: `EOF\nSTORY\ntouch injected\nEOF2\n${hostileText}` },
    },
  ],
  steps: [
    {
      manager: hostileText,
      about: `${hostileText}\r\u2028\n$(touch injected)\u001b[201~\u009b`,
      apply: hostileObject,
    },
    { manager: "--dry-run=client", patch: { data: { a: hostileText, b: "\u009b\n'" } }, object: "ConfigMap/given" },
    { manager: "me", create: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "shop" } } },
    { manager: "me", patch: {}, object: { kind: "--kubeconfig=x", name: hostileText } },
    { manager: "a\ntouch injected", patch: {}, object: "ConfigMap/given" },
    { delete: { kind: "ConfigMap", namespace: hostileText, name: hostileText } },
  ],
}
