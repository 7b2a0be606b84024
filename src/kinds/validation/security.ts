// The security contexts of Pods and containers, and the operating system of a Pod.
import { byteLength } from "../../value/bytes.js"
import type { Field } from "./field.js"
import { dnsSubdomain } from "./names.js"
import { checkLocalPath } from "./paths.js"
import { goStruct } from "./struct-layout.js"

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"]

/** Checks the security context of a Pod. */
export function checkPodSecurity(spec: Field): void {
  const context = spec.at("securityContext")
  if (!context.isSet) return
  for (const key of ["fsGroup", "runAsUser", "runAsGroup"]) checkId(context.at(key))
  for (const group of context.at("supplementalGroups").items()) checkId(group)
  checkSysctls(context.at("sysctls"), spec)
  context.at("fsGroupChangePolicy").oneOfIfSet(["Always", "OnRootMismatch"])
  checkSeccomp(context.at("seccompProfile"))
  checkWindowsOptions(context.at("windowsOptions"))
  checkAppArmor(context.at("appArmorProfile"))
  context.at("supplementalGroupsPolicy").oneOfIfSet(["Merge", "Strict"])
  context.at("seLinuxChangePolicy").oneOfIfSet(["MountOption", "Recursive"])
}

/** Checks the security context of a container. `hasHostUsers` says whether its Pod shares the users of its node. */
export function checkContainerSecurity(context: Field, hasHostUsers: boolean): void {
  if (!context.isSet) return
  for (const key of ["runAsUser", "runAsGroup"]) checkId(context.at(key))
  const mount = context.at("procMount")
  if (mount.isSet) {
    mount.oneOf(["Default", "Unmasked"])
    if (hasHostUsers && mount.text === "Unmasked") mount.invalid("`hostUsers` must be false to use `Unmasked`")
  }
  checkSeccomp(context.at("seccompProfile"))
  if (context.at("allowPrivilegeEscalation").value === false) checkPrivileges(context)
  checkWindowsOptions(context.at("windowsOptions"))
  checkAppArmor(context.at("appArmorProfile"))
}

function checkPrivileges(context: Field): void {
  const refuse = (other: string) =>
    context.invalid(
      `cannot set \`allowPrivilegeEscalation\` to false and ${other}`,
      goStruct(context.value, "SecurityContext"),
    )
  if (context.at("privileged").value === true) refuse("`privileged` to true")
  for (const capability of context.at("capabilities", "add").items()) {
    if (capability.text === "CAP_SYS_ADMIN") refuse("`capabilities.Add` CAP_SYS_ADMIN")
  }
}

function checkId(id: Field): void {
  if (id.isSet) id.between(0, 2147483647)
}

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
const sysctlPattern = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`
const sysctlName = new RegExp(sysctlPattern)

function checkSysctls(sysctls: Field, spec: Field): void {
  const seen = new Set<string>()
  for (const sysctl of sysctls.items()) {
    const name = sysctl.at("name")
    if (name.text === "") name.required()
    else if (name.text.length > 253 || !sysctlName.test(name.text)) {
      name.invalid(`must have at most 253 characters and match regex ${sysctlPattern}`)
    } else name.unique(seen)
    const dotted = name.text.replaceAll("/", ".")
    if (spec.at("hostNetwork").value === true && dotted.startsWith("net.")) {
      name.invalid("may not be specified when 'hostNetwork' is true")
    } else if (spec.at("hostIPC").value === true && /^(kernel\.(shm|msg)|kernel\.sem$|fs\.mqueue\.)/.test(dotted)) {
      name.invalid("may not be specified when 'hostIPC' is true")
    }
    seen.add(name.text)
  }
}

function checkSeccomp(profile: Field): void {
  if (!profile.isSet) return
  const [type, local] = [profile.at("type"), profile.at("localhostProfile")]
  if (type.text === "") type.required("type is required when seccompProfile is set")
  else type.oneOf(profileTypes)
  if (type.text !== "Localhost") {
    const shown = goStruct(profile.value, "SeccompProfile")
    if (local.isSet) local.invalid("can only be set when seccomp type is Localhost", shown)
  } else if (local.isSet) checkLocalPath(local)
  else local.required("must be set when seccomp type is Localhost")
}

function checkAppArmor(profile: Field): void {
  if (!profile.isSet) return
  const [type, local] = [profile.at("type"), profile.at("localhostProfile")]
  if (type.text === "") type.required("type is required when appArmorProfile is set")
  else if (type.text === "Localhost") {
    if (local.text !== local.text.trim()) local.invalid("must not be padded with whitespace")
    else local.requireText("must be set when AppArmor type is Localhost")
    if (byteLength(local.text) > 4095) local.tooLong(4095)
  } else if (!profileTypes.includes(type.text)) type.notSupported(profileTypes)
  else if (local.isSet) local.invalid("can only be set when AppArmor type is Localhost")
}

function checkWindowsOptions(options: Field): void {
  const [name, spec, user] = ["gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName"].map(key =>
    options.at(key),
  )
  if (name?.isSet) name.check(dnsSubdomain)
  if (spec?.isSet) {
    if (spec.text === "") spec.invalid("gmsaCredentialSpec cannot be an empty string")
    else if (byteLength(spec.text) > 64 * 1024) spec.invalid("gmsaCredentialSpec size must be under 64 KiB")
  }
  if (user?.isSet) for (const problem of userNameProblems(user.text)) user.invalid(`runAsUserName${problem}`)
}

const controls = /\p{Cc}/u
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const domainName = /^[a-z0-9A-Z]([-a-z0-9A-Z]*[a-z0-9A-Z])?(\.[a-z0-9A-Z]([-a-z0-9A-Z]*[a-z0-9A-Z])?)*$/

/** Returns the problems of a Windows user with an optional domain: `DOMAIN\user`. */
function userNameProblems(text: string): string[] {
  if (text === "") return [" cannot be an empty string"]
  if (controls.test(text)) return [" cannot contain control characters"]
  const parts = text.split("\\")
  if (parts.length > 2) return [" cannot contain more than one backslash"]
  const [user = "", domain] = parts.reverse()
  const problems: [boolean, string][] = [
    [(domain ?? "").length >= 256, "'s Domain length must be under 256 characters"],
    [
      domain !== undefined && !netBios.test(domain) && !domainName.test(domain),
      "'s Domain doesn't match the NetBios nor the DNS format",
    ],
    [user === "", "'s User cannot be empty"],
    [user.length > 104, "'s User length must not be longer than 104 characters"],
    [/^[. ]+$/.test(user), "'s User cannot contain only periods or spaces"],
    [/["/\\:;|=,+*?<>@[\]]/.test(user), `'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`],
  ]
  return problems.filter(([isBad]) => isBad).map(([, problem]) => problem)
}

const containerLists = ["initContainers", "containers", "ephemeralContainers"]

const containersOf = (spec: Field): Field[] => containerLists.flatMap(key => spec.at(key).items())

/** Checks that containers which run as processes of a Windows node come alone. */
export function checkHostProcess(spec: Field): void {
  const path = ["securityContext", "windowsOptions", "hostProcess"]
  const ofPod = spec.at(...path)
  const containers = containersOf(spec)
  let count = 0
  for (const container of containers) {
    const own = container.at(...path)
    if (ofPod.isSet && own.isSet && own.value !== ofPod.value) {
      own.invalid(`pod hostProcess value must be identical if both are specified, was ${ofPod.value}`)
    }
    if ((own.isSet ? own : ofPod).value === true) count++
  }
  if (count === 0) return
  if (count !== containers.length) {
    spec.invalid("If pod contains any hostProcess containers then all containers must be HostProcess containers", "")
  }
  const network = spec.at("hostNetwork")
  if (network.value !== true) {
    network.holding(false).invalid("hostNetwork must be true if pod contains any hostProcess containers")
  }
}

const onlyOnLinux = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
]
const onlyOnLinuxInPods = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"]
const onlyOnLinuxInContainers = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
]

/** Checks that a Pod has only the settings of its operating system. */
export function checkOperatingSystem(spec: Field): void {
  const os = spec.at("os")
  if (!os.isSet) return
  const name = os.at("name")
  // Go: the path of the second problem lacks the field.
  if (name.text === "") name.required()
  else if (!["linux", "windows"].includes(name.text)) os.holding(name.text).notSupported(["linux", "windows"])
  else {
    const isLinux = name.text === "linux"
    const what = isLinux ? "windows options cannot be set for a linux pod" : "cannot be set for a windows pod"
    const forbid = (map: Field, keys: readonly string[]) => {
      for (const key of keys) {
        const { value } = map.at(key)
        if (
          value !== undefined &&
          value !== null &&
          !(key.startsWith("host") && key !== "hostUsers" && value === false)
        ) {
          map.at(key).forbidden(what)
        }
      }
    }
    forbid(spec.at("securityContext"), isLinux ? ["windowsOptions"] : onlyOnLinux)
    if (!isLinux) forbid(spec, onlyOnLinuxInPods)
    for (const container of containersOf(spec)) {
      forbid(container.at("securityContext"), isLinux ? ["windowsOptions"] : onlyOnLinuxInContainers)
    }
  }
}
