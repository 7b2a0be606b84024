// Security contexts, ephemeral containers, devices and operating systems of Pods. The messages are those of a kube-apiserver v1.37.1.
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { problemsOf } from "../problems.js"

const container = {
  name: "web",
  image: "web:1",
  terminationMessagePolicy: "File",
  imagePullPolicy: "Always",
}
const spec = { restartPolicy: "Always", dnsPolicy: "ClusterFirst" }

/** Returns the problems of a Pod with this spec and a container with these fields. */
const ofPod = (pod: MapValue, fields: MapValue = {}, before?: MapValue): string[] =>
  problemsOf("/Pod", { spec: { ...spec, containers: [{ ...container, ...fields }], ...pod } }, before)

const ofContainer = (fields: MapValue, pod: MapValue = {}): string[] =>
  ofPod(pod, fields).map(problem => problem.replace("spec.containers[0].", ""))

describe("the security context of a Pod", () => {
  it.each<[MapValue, string[]]>([
    [{ fsGroup: 0, runAsUser: 2147483647 }, []],
    [{ fsGroup: -1 }, ["fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive"]],
    [
      { supplementalGroups: [1, -2] },
      ["supplementalGroups[1]: Invalid value: -2: must be between 0 and 2147483647, inclusive"],
    ],
    [{ sysctls: [{ name: "net.core/somaxconn" }, {}] }, ["sysctls[1].name: Required value"]],
    [{ sysctls: [{ name: "a" }, { name: "a" }] }, ['sysctls[1].name: Duplicate value: "a"']],
    [
      { seLinuxChangePolicy: "a" },
      ['seLinuxChangePolicy: Unsupported value: "a": supported values: "MountOption", "Recursive"'],
    ],
    [
      { appArmorProfile: { type: "Localhost" } },
      ["appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost"],
    ],
    [{ appArmorProfile: {} }, ["appArmorProfile.type: Required value: type is required when appArmorProfile is set"]],
    [{ seccompProfile: { type: "Localhost", localhostProfile: "a/b" } }, []],
    [
      { seccompProfile: { type: "Localhost", localhostProfile: "/a/.." } },
      [
        'seccompProfile.localhostProfile: Invalid value: "/a/..": must be a relative path',
        "seccompProfile.localhostProfile: Invalid value: \"/a/..\": must not contain '..'",
      ],
    ],
    [
      { seccompProfile: { type: "RuntimeDefault", localhostProfile: "a b" } },
      [
        'seccompProfile.localhostProfile: Invalid value: {"Type":"RuntimeDefault","LocalhostProfile":"a b"}: can only be set when seccomp type is Localhost',
      ],
    ],
  ])("%j has the problems %j", (securityContext, expected) => {
    expect(ofPod({ securityContext })).toEqual(expected.map(problem => `spec.securityContext.${problem}`))
  })

  it.each([
    ["ContainerAdministrator", []],
    ["NT AUTHORITY\\SYSTEM", []],
    ["a\\b\\c", ["cannot contain more than one backslash"]],
    ["*.\\user", ["'s Domain doesn't match the NetBios nor the DNS format"]],
    ["a\\", ["'s User cannot be empty"]],
    ["..", ["'s User cannot contain only periods or spaces"]],
    ["/etc", [`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`]],
  ])("knows the Windows user %j by its problems %j", (runAsUserName, expected) => {
    const found = ofPod({ securityContext: { windowsOptions: { runAsUserName } } })
    expect(found.map(problem => problem.split(": runAsUserName")[1]?.trim())).toEqual(expected)
  })
})

describe("the security context of a container", () => {
  it("may not escalate and be privileged", () => {
    const found = ofContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain("cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
  })

  it("is unmasked only with users of its own", () => {
    const fields = { securityContext: { procMount: "Unmasked" } }
    expect(ofContainer(fields, { hostUsers: false })).toEqual([])
    expect(ofContainer(fields)).toEqual([
      'securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ])
  })
})

describe("a Pod for an operating system", () => {
  it.each<[MapValue, string[]]>([
    [{ os: { name: "linux" }, securityContext: { runAsUser: 1 } }, []],
    [{ os: { name: "plan9" } }, ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"']],
    [{ os: { name: "windows" }, hostPID: false }, []],
    [{ os: { name: "windows" }, hostPID: true }, ["spec.hostPID: Forbidden: cannot be set for a windows pod"]],
    [
      { os: { name: "linux" }, securityContext: { windowsOptions: {} } },
      ["spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"],
    ],
  ])("%j has the problems %j", (pod, expected) => {
    expect(ofPod(pod)).toEqual(expected)
  })
})

describe("a container", () => {
  it.each<[MapValue, MapValue, string[]]>([
    [{ resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] }, {}, []],
    [
      { resizePolicy: [{ resourceName: "disk", restartPolicy: "RestartContainer" }] },
      {},
      ['resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"'],
    ],
    [
      { volumeDevices: [{ name: "data", devicePath: "/dev/a" }] },
      { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "a" } }] },
      [],
    ],
    [
      { volumeDevices: [{ name: "data", devicePath: "/dev/a" }] },
      { volumes: [{ name: "data", emptyDir: {} }] },
      [
        'volumeDevices[0].name: Invalid value: "data": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      ],
    ],
    [
      { volumeMounts: [{ name: "data", mountPath: "/a", recursiveReadOnly: "Enabled" }] },
      { volumes: [{ name: "data", emptyDir: {} }] },
      ["volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true"],
    ],
    [
      { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.gpu" } } }] },
      {},
      [
        'env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      ],
    ],
  ])("with %j in a Pod with %j has the problems %j", (fields, pod, expected) => {
    expect(ofContainer(fields, pod)).toEqual(expected)
  })

  it("that is added to a running Pod has neither ports nor probes, and a name of its own", () => {
    const ephemeralContainers = [
      { ...container, ports: [], resources: {}, lifecycle: {}, targetContainerName: "other" },
    ]
    const found = ofPod({ ephemeralContainers }).map(problem => problem.replace("spec.ephemeralContainers[0].", ""))
    expect(found.slice(0, 3)).toEqual([
      'name: Duplicate value: "web"',
      'targetContainerName: Not found: "other"',
      "lifecycle: Forbidden: cannot be set for an Ephemeral Container",
    ])
  })
})

describe("a Pod", () => {
  it.each<[MapValue, string[]]>([
    [
      { resourceClaims: [{ name: "gpu" }] },
      [
        'spec.resourceClaims[0]: Invalid value: {"Name":"gpu","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      ],
    ],
    [{ hostUsers: false, hostPID: true }, ["spec.HostPID: Forbidden: when `hostUsers` is false"]],
    [{ dnsConfig: { options: [{}] } }, ["spec.dnsConfig.options[0]: Required value: must not be empty"]],
    [{ dnsConfig: { searches: ["_a.b.", "."] } }, []],
    [{ schedulingGates: [{ name: "a" }, { name: "a" }] }, ['spec.schedulingGates[1]: Duplicate value: "a"']],
    [{ preemptionPolicy: "" }, ["spec.preemptionPolicy: Required value"]],
    [
      { volumes: [{ name: "a", flocker: {} }] },
      ["spec.volumes[0].flocker: Required value: one of datasetName and datasetUUID is required"],
    ],
    [
      { volumes: [{ name: "a", quobyte: { registry: "a:1,b", volume: "v" } }] },
      [
        'spec.volumes[0].quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
      ],
    ],
  ])("with %j has the problems %j", (pod, expected) => {
    expect(ofPod(pod)).toEqual(expected)
  })
})

describe("a Job", () => {
  const template = { spec: { ...spec, restartPolicy: "Never", containers: [container] } }
  const ofJob = (job: MapValue): string[] =>
    problemsOf("batch/CronJob", {
      spec: { schedule: "@daily", concurrencyPolicy: "Allow", jobTemplate: { spec: { template, ...job } } },
    }).map(problem => problem.replace("spec.jobTemplate.spec.", ""))

  it.each<[MapValue, string[]]>([
    [{ podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "a", status: "True" }] }] } }, []],
    [
      { podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "50%", values: [] } }] } },
      [
        'podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
        'podFailurePolicy.rules[0].onExitCodes.operator: Unsupported value: "50%": supported values: "In", "NotIn"',
        "podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required",
      ],
    ],
    [
      { podFailurePolicy: { rules: [{ action: "Count", onExitCodes: { operator: "In", values: [0, 2, 1, 2] } }] } },
      [
        "podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator",
        "podFailurePolicy.rules[0].onExitCodes.values[3]: Duplicate value: 2",
        "podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [0,2,1,2]: must be ordered",
      ],
    ],
    [
      { podFailurePolicy: { rules: [{}] } },
      [
        'podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
        "podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
      ],
    ],
    [
      { successPolicy: { rules: [] } },
      ['successPolicy: Invalid value: {"Rules":[]}: requires indexed completion mode'],
    ],
    [
      { completionMode: "Indexed", completions: 2, successPolicy: { rules: [{}, { succeededCount: 3 }] } },
      [
        "successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified",
        "successPolicy.rules[1].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of specified completions)",
      ],
    ],
  ])("with %j has the problems %j", (job, expected) => {
    expect(ofJob(job)).toEqual(expected)
  })

  it.each([
    ["Etc/UTC", []],
    ["", ['Invalid value: "": timeZone must be nil or non-empty string']],
    ["x1", ['Invalid value: "x1": unknown time zone x1']],
  ])("of a CronJob in the time zone %j has the problems %j", (timeZone, expected) => {
    const jobTemplate = { spec: { template } }
    const found = problemsOf("batch/CronJob", {
      spec: { schedule: "@daily", timeZone, concurrencyPolicy: "Allow", jobTemplate },
    })
    expect(found).toEqual(expected.map(problem => `spec.timeZone: ${problem}`))
  })
})
