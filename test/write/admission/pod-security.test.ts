/** Enforces the Pod Security Standards that the labels of a namespace name. */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { brokenRules } from "../../../src/write/admission/pod-standards.js"
import { serverWith } from "./policies.js"

const namespace = (labels: object): MapValue =>
  ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: "n",
      labels: Object.fromEntries(
        Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
      ),
    },
  }) as MapValue

const pods = "/api/v1/namespaces/n/pods"
const container = (securityContext: object = {}, more: object = {}) => ({
  name: "a",
  image: "web:1",
  securityContext,
  ...more,
})
const pod = (spec: object = {}, name = "p"): MapValue =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers: [container()], ...spec } }) as MapValue

const harmless = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
}

async function created(labels: object, spec: object) {
  return serverWith([namespace(labels)]).call("POST", pods, pod(spec))
}

describe("a namespace that enforces a standard", () => {
  it("refuses Pods that break its rules, and says which", async () => {
    const { status, body } = await created({ enforce: "restricted" }, {})
    expect(status).toBe(403)
    expect(body.message).toBe(
      'pods "p" is forbidden: violates PodSecurity "restricted:latest": ' +
        'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    )
    expect((await created({ enforce: "restricted" }, { containers: [container(harmless)] })).status).toBe(201)
    expect((await created({ enforce: "baseline" }, {})).status).toBe(201)
    expect((await created({}, { hostNetwork: true })).status).toBe(201)
  })

  it("follows the rules of a version", async () => {
    const probed = { containers: [container({}, { livenessProbe: { httpGet: { host: "h", port: 80 } } })] }
    expect((await created({ enforce: "baseline" }, probed)).status).toBe(403)
    expect((await created({ enforce: "baseline", "enforce-version": "v1.33" }, probed)).status).toBe(201)
  })

  it("warns about templates of Pods, and refuses none", async () => {
    const { call } = serverWith([namespace({ enforce: "baseline" })])
    const template = { metadata: { labels: { a: "b" } }, spec: { hostPID: true, containers: [container()] } }
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    }
    const { status, warnings } = await call("POST", "/apis/apps/v1/namespaces/n/deployments", deployment)
    expect(status).toBe(201)
    expect(warnings).toContain('would violate PodSecurity \\"baseline:latest\\": host namespaces (hostPID=true)')
  })

  it("lets updates pass that change no image", async () => {
    const { call } = serverWith([namespace({})])
    await call("POST", pods, pod({ hostIPC: true }))
    await call("PATCH", "/api/v1/namespaces/n", namespace({ enforce: "baseline" }), "merge")
    expect((await call("PATCH", `${pods}/p`, { metadata: { labels: { a: "b" } } }, "merge")).status).toBe(200)
    const image = { spec: { containers: [{ name: "a", image: "web:2" }] } }
    expect((await call("PATCH", `${pods}/p`, image, "strategic")).status).toBe(403)
  })
})

describe("the labels of a namespace", () => {
  it("warn of existing Pods that a stricter standard forbids", async () => {
    const { call } = serverWith([namespace({})])
    for (const name of ["b", "a"]) await call("POST", pods, pod({ hostIPC: true }, name))
    const { warnings } = await call("PATCH", "/api/v1/namespaces/n", namespace({ enforce: "baseline" }), "merge")
    expect(warnings).toContain('existing pods in namespace \\"n\\" violate the new PodSecurity enforce level')
    expect(warnings).toContain("a (and 1 other pod): host namespaces")
  })

  it("are checked", async () => {
    const { status, body } = await serverWith([]).call("POST", "/api/v1/namespaces", namespace({ enforce: "strict" }))
    expect(status).toBe(422)
    expect(body.message).toBe(
      'Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": ' +
        "must be one of privileged, baseline, restricted",
    )
  })
})

describe("brokenRules", () => {
  const baseline = (spec: object, annotations: object = {}, minor = 37) =>
    brokenRules("baseline", minor, { annotations } as MapValue, pod(spec).spec as MapValue).map(
      ([rule, detail]) => `${rule}: ${detail}`,
    )
  const restricted = (spec: object) =>
    brokenRules("restricted", 37, {}, pod({ containers: [container(harmless)], ...spec }).spec as MapValue).map(
      ([rule, detail]) => `${rule}: ${detail}`,
    )
  const one = (context: object, more: object = {}) => ({ containers: [container(context, more)] })

  it.each<[object, string]>([
    [one({ privileged: true }), 'privileged: container "a" must not set securityContext.privileged=true'],
    [
      one({ capabilities: { add: ["SYS_ADMIN", "CHOWN", "BPF"] } }),
      'non-default capabilities: container "a" must not include "BPF", "SYS_ADMIN" in securityContext.capabilities.add',
    ],
    [one({}, { ports: [{ containerPort: 80, hostPort: 80 }] }), 'hostPort: container "a" uses hostPort 80'],
    [one({ procMount: "Unmasked" }), 'procMount: container "a" must not set securityContext.procMount to "Unmasked"'],
    [{ volumes: [{ name: "v", hostPath: { path: "/" } }] }, 'hostPath volumes: volume "v"'],
    [
      { securityContext: { seLinuxOptions: { type: "t", user: "u", role: "r" } } },
      'seLinuxOptions: pod set forbidden securityContext.seLinuxOptions: type "t"; user may not be set; role may not be set',
    ],
    [
      { securityContext: { seccompProfile: { type: "Unconfined" } } },
      'seccompProfile: pod must not set securityContext.seccompProfile.type to "Unconfined"',
    ],
    [
      {
        securityContext: { appArmorProfile: { type: "Unconfined" } },
        ...one({ appArmorProfile: { type: "Unconfined" } }),
      },
      'forbidden AppArmor profile: pod and container "a" must not set AppArmor profile type to "Unconfined"',
    ],
    [{ securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }, "forbidden sysctls: kernel.msgmax"],
    [
      one({ windowsOptions: { hostProcess: true } }),
      'hostProcess: container "a" must not set securityContext.windowsOptions.hostProcess=true',
    ],
  ])("baseline: %j", (spec, expected) => {
    expect(baseline(spec)).toEqual([expected])
  })

  it("reads old annotations", () => {
    const key = "container.apparmor.security.beta.kubernetes.io/a"
    expect(baseline({}, { [key]: "unconfined" })).toEqual([
      `forbidden AppArmor profile: annotation must not set AppArmor profile type to "${key}="unconfined""`,
    ])
    const seccomp = "seccomp.security.alpha.kubernetes.io/pod"
    expect(baseline({}, { [seccomp]: "unconfined" }, 18)).toEqual([
      `seccompProfile: forbidden annotation ${seccomp}="unconfined"`,
    ])
    expect(baseline({}, { [seccomp]: "unconfined" })).toEqual([])
  })

  it.each<[object, string]>([
    [
      {
        volumes: [
          { name: "v", hostPath: { path: "/" } },
          { name: "w", emptyDir: {} },
        ],
      },
      'restricted volume types: volume "v" uses restricted volume type "hostPath"',
    ],
    [{ securityContext: { runAsUser: 0 } }, "runAsUser=0: pod must not set runAsUser=0"],
    [
      { securityContext: { runAsNonRoot: false } },
      "runAsNonRoot != true: pod must not set securityContext.runAsNonRoot=false",
    ],
    [
      { containers: [container({ ...harmless, capabilities: { drop: ["ALL"], add: ["CHOWN"] } })] },
      'unrestricted capabilities: container "a" must not include "CHOWN" in securityContext.capabilities.add',
    ],
  ])("restricted: %j", (spec, expected) => {
    expect(restricted(spec)).toEqual([expected])
  })

  it("are relaxed for Windows and in user namespaces", () => {
    expect(restricted({ containers: [container()], os: { name: "windows" } })).toEqual([
      'runAsNonRoot != true: pod or container "a" must set securityContext.runAsNonRoot=true',
    ])
    expect(restricted({ hostUsers: false, securityContext: { runAsUser: 0 } })).toEqual([])
  })
})
