// The Pod Security Standards: what the levels `baseline` and `restricted` forbid in a Pod, as k8s.io/pod-security-admission words it.

import { compareStrings } from "../../value/compare.js"
import { mapAt, mapsAt, textAt, textsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import { isMap, type MapValue } from "../../value/value.js"

export type Level = "privileged" | "baseline" | "restricted"

/** A Pod or the template of Pods. */
interface Pod {
  readonly annotations: MapValue
  readonly spec: MapValue
  /** The containers of all types: those that start first, the others, those for debugging. */
  readonly containers: readonly MapValue[]
  readonly isWindows: boolean
  /** Whether root in the Pod is another user outside. */
  readonly hasUserNamespace: boolean
}

/** A rule that the Pod breaks: its name, and the places in the Pod. */
export type Broken = readonly [rule: string, detail: string]

/** Finds what a Pod breaks at a minor version of Kubernetes. */
type Finder = (pod: Pod, minor: number) => Broken | undefined

interface Check {
  readonly level: Exclude<Level, "privileged">
  /** The minor version of Kubernetes that introduced the check; 0 if it was always there. */
  readonly since?: number
  /** The check of the level `baseline` that this one replaces. */
  readonly replaces?: Finder
  readonly find: Finder
}

/** Returns the rules of a level that a Pod breaks. `minor` is the minor version of Kubernetes whose rules count. */
export function brokenRules(level: Level, minor: number, metadata: MapValue, spec: MapValue): readonly Broken[] {
  if (level === "privileged") return []
  const pod: Pod = {
    annotations: mapAt(metadata, "annotations"),
    spec,
    containers: ["initContainers", "containers", "ephemeralContainers"].flatMap(key => mapsAt(spec, key)),
    isWindows: textAt(mapAt(spec, "os"), "name") === "windows",
    hasUserNamespace: own(spec, "hostUsers") === false,
  }
  const applicable = checks.filter(
    check => (check.since ?? 0) <= minor && (level === "restricted" || check.level === level),
  )
  const replaced = new Set(applicable.map(check => check.replaces))
  return applicable.flatMap(({ find }) => {
    const broken = replaced.has(find) ? undefined : find(pod, minor)
    return broken === undefined ? [] : [broken]
  })
}

const quoted = (texts: readonly string[]) => texts.map(text => `"${text}"`).join(", ")
const sorted = (texts: Iterable<string>) => [...new Set(texts)].sort(compareStrings)
const many = (count: number, one: string, more = `${one}s`) => (count === 1 ? one : more)
const named = (names: readonly string[], one = "container") => `${many(names.length, one)} ${quoted(names)}`
const contextOf = (part: MapValue) => mapAt(part, "securityContext")
const partName = (part: MapValue) => textAt(part, "name")

/** Returns the containers for which `find` returns something, and what it returned. */
function inContainers(
  pod: Pod,
  find: (container: MapValue) => readonly string[],
): { names: string[]; found: string[] } {
  const each = pod.containers.map(container => ({ name: partName(container), found: find(container) }))
  const bad = each.filter(({ found }) => found.length > 0)
  return { names: bad.map(({ name }) => name), found: sorted(bad.flatMap(({ found }) => found)) }
}

const namesWhere = (pod: Pod, isBad: (container: MapValue) => boolean) =>
  inContainers(pod, container => (isBad(container) ? [""] : [])).names

/** Names the Pod and containers whose securityContext is bad: `pod and container "a"`; "" if none is. */
function setters(pod: Pod, isBad: (context: MapValue) => boolean): string {
  const names = namesWhere(pod, container => isBad(contextOf(container)))
  return [...(isBad(contextOf(pod.spec)) ? ["pod"] : []), ...(names.length > 0 ? [named(names)] : [])].join(" and ")
}

/** Returns the values of a field in the securityContexts that `isAllowed` refuses, and names the parts that have one. */
function wrongValues(pod: Pod, read: (context: MapValue) => string | undefined, isAllowed: (value: string) => boolean) {
  const isBad = (context: MapValue) => {
    const value = read(context)
    return value !== undefined && !isAllowed(value)
  }
  const contexts = [pod.spec, ...pod.containers].map(contextOf).filter(isBad)
  return { by: setters(pod, isBad), values: sorted(contexts.map(context => read(context) as string)) }
}

const typeIn = (profile: string) => (context: MapValue) => {
  const given = own(context, profile)
  return isMap(given) ? textAt(given, "type") : undefined
}

const isProfile = (type: string) => type === "RuntimeDefault" || type === "Localhost"

function appArmorProfile(pod: Pod): Broken | undefined {
  const { by, values } = wrongValues(pod, typeIn("appArmorProfile"), isProfile)
  const annotated = Object.entries(pod.annotations)
    .filter(([key]) => key.startsWith("container.apparmor.security.beta.kubernetes.io/"))
    .filter(([, value]) => !/^(|runtime\/default|localhost\/.*)$/s.test(String(value)))
    .map(([key, value]) => `${key}=${quoteGo(String(value))}`)
    .sort(compareStrings)
  const all = [...values, ...annotated]
  if (all.length === 0) return undefined
  const where = [...(by === "" ? [] : [by]), ...(annotated.length > 0 ? [many(annotated.length, "annotation")] : [])]
  const rule = `forbidden AppArmor ${many(all.length, "profile")}`
  return [rule, `${where.join(" and ")} must not set AppArmor profile type to ${quoted(all)}`]
}

const addedBy = (container: MapValue) => textsAt(mapAt(contextOf(container), "capabilities"), "add")
const defaultCapabilities =
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT"

function addedBeyond(pod: Pod, allowed: string): string {
  const known = allowed.split(" ")
  const { names, found } = inContainers(pod, container => addedBy(container).filter(each => !known.includes(each)))
  return names.length === 0
    ? ""
    : `${named(names)} must not include ${quoted(found)} in securityContext.capabilities.add`
}

function baselineCapabilities(pod: Pod): Broken | undefined {
  const added = addedBeyond(pod, defaultCapabilities)
  return added === "" ? undefined : ["non-default capabilities", added]
}

function restrictedCapabilities(pod: Pod, minor: number): Broken | undefined {
  if (minor >= 25 && pod.isWindows) return undefined
  const dropped = (container: MapValue) => textsAt(mapAt(contextOf(container), "capabilities"), "drop")
  const missing = namesWhere(pod, container => !dropped(container).includes("ALL"))
  const drop = missing.length === 0 ? "" : `${named(missing)} must set securityContext.capabilities.drop=["ALL"]`
  const problems = [drop, addedBeyond(pod, "NET_BIND_SERVICE")].filter(text => text !== "")
  return problems.length === 0 ? undefined : ["unrestricted capabilities", problems.join("; ")]
}

function hostNamespaces({ spec }: Pod): Broken | undefined {
  const used = ["hostNetwork", "hostPID", "hostIPC"].filter(key => own(spec, key) === true)
  return used.length === 0 ? undefined : ["host namespaces", used.map(key => `${key}=true`).join(", ")]
}

function hostPathVolumes({ spec }: Pod): Broken | undefined {
  const names = mapsAt(spec, "volumes")
    .filter(volume => isMap(own(volume, "hostPath")))
    .map(partName)
  return names.length === 0 ? undefined : ["hostPath volumes", named(names, "volume")]
}

function hostPorts(pod: Pod): Broken | undefined {
  const { names, found } = inContainers(pod, container =>
    mapsAt(container, "ports").flatMap(port => (own(port, "hostPort") ? [String(own(port, "hostPort"))] : [])),
  )
  if (names.length === 0) return undefined
  const uses = `${many(names.length, "uses", "use")} ${many(found.length, "hostPort")}`
  return ["hostPort", `${named(names)} ${uses} ${found.join(", ")}`]
}

function hostsOfProbes(pod: Pod): Broken | undefined {
  const { names, found } = inContainers(pod, container => {
    const lifecycle = mapAt(container, "lifecycle")
    const probes = ["livenessProbe", "readinessProbe", "startupProbe"].map(key => mapAt(container, key))
    const handlers = [...probes, mapAt(lifecycle, "postStart"), mapAt(lifecycle, "preStop")]
    const hosts = handlers.flatMap(handler => ["httpGet", "tcpSocket"].map(key => textAt(mapAt(handler, key), "host")))
    return hosts.filter(host => host !== "")
  })
  if (names.length === 0) return undefined
  const uses = `${many(names.length, "uses", "use")} probe or lifecycle ${many(found.length, "host")}`
  return ["probe or lifecycle host", `${named(sorted(names))} ${uses} ${quoted(found)}`]
}

function privileged(pod: Pod): Broken | undefined {
  const names = namesWhere(pod, container => own(contextOf(container), "privileged") === true)
  return names.length === 0 ? undefined : ["privileged", `${named(names)} must not set securityContext.privileged=true`]
}

function anyProcMount(pod: Pod): Broken | undefined {
  const { names, found } = inContainers(pod, container => {
    const type = own(contextOf(container), "procMount") ?? "Default"
    return type === "Default" ? [] : [String(type)]
  })
  if (names.length === 0) return undefined
  return ["procMount", `${named(names)} must not set securityContext.procMount to ${quoted(found)}`]
}

function procMount(pod: Pod, minor: number): Broken | undefined {
  return minor >= 35 && pod.hasUserNamespace ? undefined : anyProcMount(pod)
}

const selinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"]

function seLinuxOptions(pod: Pod, minor: number): Broken | undefined {
  const allowed = minor >= 31 ? [...selinuxTypes, "container_engine_t"] : selinuxTypes
  const optionsOf = (context: MapValue) => mapAt(context, "seLinuxOptions")
  const all = [pod.spec, ...pod.containers].map(contextOf).map(optionsOf)
  const types = sorted(all.map(options => textAt(options, "type")).filter(type => !allowed.includes(type)))
  const isSet = (key: string) => all.some(options => textAt(options, key) !== "")
  const by = setters(pod, context => {
    const options = optionsOf(context)
    return ["user", "role"].some(key => textAt(options, key) !== "") || !allowed.includes(textAt(options, "type"))
  })
  if (by === "") return undefined
  const what = [
    ...(types.length > 0 ? [named(types, "type")] : []),
    ...["user", "role"].filter(isSet).map(key => `${key} may not be set`),
  ]
  return ["seLinuxOptions", `${by} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`]
}

function wrongSeccomp(pod: Pod): Broken | undefined {
  const { by, values } = wrongValues(pod, typeIn("seccompProfile"), isProfile)
  return by === ""
    ? undefined
    : ["seccompProfile", `${by} must not set securityContext.seccompProfile.type to ${quoted(values)}`]
}

function seccompAnnotations({ annotations, containers }: Pod): Broken | undefined {
  const prefix = "container.seccomp.security.alpha.kubernetes.io/"
  const keys = ["seccomp.security.alpha.kubernetes.io/pod", ...containers.map(each => `${prefix}${partName(each)}`)]
  const isBad = (value: string) => !/^(runtime\/default|docker\/default|localhost\/.*)$/s.test(value)
  const bad = sorted(keys.filter(key => own(annotations, key) !== undefined && isBad(textAt(annotations, key))))
  if (bad.length === 0) return undefined
  const shown = bad.map(key => `${key}=${quoteGo(textAt(annotations, key))}`)
  return ["seccompProfile", `forbidden ${many(bad.length, "annotation")} ${shown.join(", ")}`]
}

function baselineSeccomp(pod: Pod, minor: number): Broken | undefined {
  return minor >= 19 ? wrongSeccomp(pod) : seccompAnnotations(pod)
}

/** Names the containers that lack a setting of their own, unless the Pod has it: `pod or container "a" must set …`. */
function unset(pod: Pod, isSet: (context: MapValue) => boolean, setting: string): string {
  const names = isSet(contextOf(pod.spec)) ? [] : namesWhere(pod, container => !isSet(contextOf(container)))
  return names.length === 0 ? "" : `pod or ${named(names)} must set securityContext.${setting}`
}

function restrictedSeccomp(pod: Pod, minor: number): Broken | undefined {
  if (minor >= 25 && pod.isWindows) return undefined
  const isSet = (context: MapValue) => isMap(own(context, "seccompProfile"))
  const missing = unset(pod, isSet, 'seccompProfile.type to "RuntimeDefault" or "Localhost"')
  return wrongSeccomp(pod) ?? (missing === "" ? undefined : ["seccompProfile", missing])
}

/** Safe settings of the kernel, and the versions that added them. */
const sysctlsSince: Readonly<Record<number, string>> = {
  0: "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start",
  27: "net.ipv4.ip_local_reserved_ports",
  29: "net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes",
  32: "net.ipv4.tcp_rmem net.ipv4.tcp_wmem",
  37: "net.ipv4.tcp_slow_start_after_idle net.ipv4.tcp_notsent_lowat",
}

function sysctls({ spec }: Pod, minor: number): Broken | undefined {
  const allowed = Object.entries(sysctlsSince).flatMap(([since, names]) =>
    Number(since) <= minor ? names.split(" ") : [],
  )
  const bad = mapsAt(contextOf(spec), "sysctls")
    .map(partName)
    .filter(name => !allowed.includes(name))
  return bad.length === 0 ? undefined : ["forbidden sysctls", bad.join(", ")]
}

function hostProcess(pod: Pod): Broken | undefined {
  const by = setters(pod, context => own(mapAt(context, "windowsOptions"), "hostProcess") === true)
  return by === "" ? undefined : ["hostProcess", `${by} must not set securityContext.windowsOptions.hostProcess=true`]
}

function allowPrivilegeEscalation(pod: Pod, minor: number): Broken | undefined {
  if (minor >= 25 && pod.isWindows) return undefined
  const names = namesWhere(pod, container => own(contextOf(container), "allowPrivilegeEscalation") !== false)
  const detail = `${named(names)} must set securityContext.allowPrivilegeEscalation=false`
  return names.length === 0 ? undefined : ["allowPrivilegeEscalation != false", detail]
}

const freeVolumes = "configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret".split(
  " ",
)

function volumeTypes({ spec }: Pod): Broken | undefined {
  const volumeType = (volume: MapValue) =>
    Object.keys(volume).find(key => key !== "name" && isMap(own(volume, key))) ?? "unknown"
  const bad = mapsAt(spec, "volumes").filter(volume => !freeVolumes.includes(volumeType(volume)))
  if (bad.length === 0) return undefined
  const types = sorted(bad.map(volumeType))
  const uses = `${many(bad.length, "uses", "use")} restricted volume ${many(types.length, "type")}`
  return ["restricted volume types", `${named(bad.map(partName), "volume")} ${uses} ${quoted(types)}`]
}

function runAsNonRoot(pod: Pod, minor: number): Broken | undefined {
  if (minor >= 35 && pod.hasUserNamespace) return undefined
  const by = setters(pod, context => own(context, "runAsNonRoot") === false)
  if (by !== "") return ["runAsNonRoot != true", `${by} must not set securityContext.runAsNonRoot=false`]
  const missing = unset(pod, context => own(context, "runAsNonRoot") === true, "runAsNonRoot=true")
  return missing === "" ? undefined : ["runAsNonRoot != true", missing]
}

function runAsUser(pod: Pod, minor: number): Broken | undefined {
  if (minor >= 35 && pod.hasUserNamespace) return undefined
  const by = setters(pod, context => own(context, "runAsUser") === 0)
  return by === "" ? undefined : ["runAsUser=0", `${by} must not set runAsUser=0`]
}

/** In the order of a server's messages. */
const checks: readonly Check[] = [
  { level: "baseline", find: appArmorProfile },
  { level: "baseline", find: baselineCapabilities },
  { level: "baseline", find: hostNamespaces },
  { level: "baseline", find: hostPathVolumes },
  { level: "baseline", find: hostPorts },
  { level: "baseline", find: hostsOfProbes, since: 34 },
  { level: "baseline", find: privileged },
  { level: "baseline", find: procMount },
  { level: "baseline", find: seLinuxOptions },
  { level: "baseline", find: baselineSeccomp },
  { level: "baseline", find: sysctls },
  { level: "baseline", find: hostProcess },
  { level: "restricted", find: allowPrivilegeEscalation, since: 8 },
  { level: "restricted", find: restrictedCapabilities, since: 22, replaces: baselineCapabilities },
  { level: "restricted", find: anyProcMount, since: 35, replaces: procMount },
  { level: "restricted", find: volumeTypes, replaces: hostPathVolumes },
  { level: "restricted", find: runAsNonRoot },
  { level: "restricted", find: runAsUser, since: 23 },
  { level: "restricted", find: restrictedSeccomp, since: 19, replaces: baselineSeccomp },
]
