// The containers of a Pod.
import { compareQuantities } from "../../value/quantity.js"
import type { Field } from "./field.js"
import { configKey, dnsLabel, dnsSubdomain, labelKey, portName, variableName } from "./names.js"
import { checkLocalPath, checkNoBacksteps } from "./paths.js"
import { checkHandler, checkProbe, protocols } from "./probes.js"
import { checkContainerSecurity } from "./security.js"

/** The facts about a Pod that the checks of its containers need. */
export interface PodFacts {
  /** The volumes that may be mounted, by name. */
  readonly volumes: ReadonlyMap<string, Field>
  readonly restartPolicy: string
  /** Whether the Pod shares the users of its node. */
  readonly hasHostUsers: boolean
}

/** Checks the containers that run at the same time. */
export function checkContainers(containers: Field, pod: PodFacts): void {
  if (containers.size === 0) {
    containers.required()
    return
  }
  const names = new Set<string>()
  const hostPorts = new Set<string>()
  for (const container of containers.items()) {
    checkContainer(container, pod)
    container.at("name").holding(container.at("name").text).unique(names)
    checkLifecycle(container)
    checkRestart(container)
  }
  for (const container of containers.items()) checkHostPorts(container, hostPorts)
}

/** Checks the init containers, which run one after the other before the `others`. */
export function checkInitContainers(containers: Field, others: Field, pod: PodFacts): void {
  const names = new Set(others.items().map(container => container.at("name").text))
  for (const container of containers.items()) {
    checkContainer(container, pod)
    const policy = container.at("restartPolicy")
    checkRestart(container)
    const name = container.at("name")
    if (name.text !== "") name.unique(names)
    checkHostPorts(container, new Set())
    if (policy.text === "Always") checkLifecycle(container)
    else {
      for (const key of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]) {
        const field = container.at(key)
        if (field.isSet) field.forbidden("may not be set for init containers without restartPolicy=Always")
      }
    }
  }
}

const notEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
]

/** Checks the containers that somebody adds to a running Pod. */
export function checkEphemeralContainers(spec: Field, pod: PodFacts): void {
  const others = ["containers", "initContainers"].flatMap(key => spec.at(key).items())
  const otherNames = new Set(others.map(container => container.at("name").text))
  const names = new Set(otherNames)
  const what = "cannot be set for an Ephemeral Container"
  for (const container of spec.at("ephemeralContainers").items()) {
    checkContainer(container, pod)
    checkImageSpace(container.at("image"))
    container.at("name").holding(container.at("name").text).unique(names)
    const target = container.at("targetContainerName")
    if (target.text !== "" && !otherNames.has(target.text)) target.notFound()
    for (const key of notEphemeral) {
      const field = container.at(key)
      const isEmpty = typeof field.value === "object" && field.size === 0 && ["ports", "resources"].includes(key)
      if (field.isSet && !isEmpty) field.forbidden(what)
    }
    for (const mount of container.at("volumeMounts").items()) {
      for (const key of ["subPath", "subPathExpr"]) if (mount.at(key).text !== "") mount.at(key).forbidden(what)
    }
  }
}

/** Checks that the name of an image has no space around it. Templates may have some. */
export function checkImageSpace(image: Field): void {
  if (image.text !== image.text.trim()) image.invalid("must not have leading or trailing whitespace")
}

/** Checks when a container restarts. */
function checkRestart(container: Field): void {
  const [policy, rules] = [container.at("restartPolicy"), container.at("restartPolicyRules")]
  policy.oneOfIfSet(["Always", "Never", "OnFailure"])
  if (rules.size > 0 && !policy.isSet) policy.required("must specify restartPolicy when restart rules are used")
  for (const rule of rules.items()) {
    const codes = rule.at("exitCodes")
    rule.at("action").oneOf(["Restart", "RestartAllContainers"])
    if (codes.isSet) codes.at("operator").oneOf(["In", "NotIn"])
    else codes.required("must be specified")
  }
}

function checkLifecycle(container: Field): void {
  for (const key of ["postStart", "preStop"]) {
    const handler = container.at("lifecycle", key)
    if (handler.isSet) checkHandler(handler)
  }
  checkProbe(container.at("livenessProbe"), true)
  checkProbe(container.at("readinessProbe"), false)
  checkProbe(container.at("startupProbe"), true)
}

function checkHostPorts(container: Field, seen: Set<string>): void {
  for (const port of container.at("ports").items()) {
    const hostPort = port.at("hostPort")
    if (hostPort.number === 0) continue
    hostPort.holding(`${port.at("protocol").text}/${port.at("hostIP").text}/${hostPort.number}`).unique(seen)
  }
}

function checkContainer(container: Field, pod: PodFacts): void {
  container.at("name").requiredAnd(dnsLabel)
  container.at("image").requireText()
  container.at("terminationMessagePolicy").requiredOneOf(["File", "FallbackToLogsOnError"])
  checkPorts(container.at("ports"))
  for (const variable of container.at("env").items()) checkVariable(variable)
  checkVariableSources(container.at("envFrom"))
  checkMounts(container, pod)
  checkDevices(container, pod)
  container.at("imagePullPolicy").requiredOneOf(["Always", "IfNotPresent", "Never"])
  checkResources(container.at("resources"))
  checkResizing(container.at("resizePolicy"), pod)
  checkContainerSecurity(container.at("securityContext"), pod.hasHostUsers)
}

function checkPorts(ports: Field): void {
  const names = new Set<string>()
  for (const port of ports.items()) {
    const name = port.at("name")
    if (name.text !== "") {
      if (portName(name.text).length > 0) name.check(portName)
      else name.unique(names)
    }
    const number = port.at("containerPort")
    if (number.number === 0) number.required()
    else number.between(1, 65535)
    const hostPort = port.at("hostPort")
    if (hostPort.number !== 0) hostPort.between(1, 65535)
    port.at("protocol").requiredOneOf(protocols)
  }
}

const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"]
const listedSources = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"

const shownResources = ["limits", "requests"].flatMap(kind =>
  ["cpu", "ephemeral-storage", "memory"].map(resource => `${kind}.${resource}`),
)

function checkVariable(variable: Field): void {
  variable.at("name").requiredAnd(variableName)
  const from = variable.at("valueFrom")
  if (!from.isSet) return
  const present = sources.map(source => from.at(source)).filter(source => source.isSet)
  for (const source of present) checkVariableSource(source)
  if (present.length === 0) from.invalid(`must specify one of: ${listedSources}`, "")
  else if (variable.at("value").text !== "") from.invalid("may not be specified when `value` is not empty", "")
  else if (present.length > 1) from.invalid("may not have more than one field specified at a time", "")
}

function checkVariableSource(source: Field): void {
  if (source.path.endsWith(".fieldRef")) {
    source.at("fieldPath").requireText()
  } else if (source.path.endsWith(".resourceFieldRef")) {
    source.at("resource").requireText()
    if (source.at("resource").text !== "" && !/^(limits|requests)\.hugepages-/.test(source.at("resource").text)) {
      source.at("resource").oneOf(shownResources)
    }
  } else if (source.path.endsWith(".fileKeyRef")) {
    source.at("key").requiredAnd(variableName)
    source.at("volumeName").requiredAnd(dnsLabel)
    source.at("path").requireText()
    checkNoBacksteps(source.at("path"))
  } else {
    source.at("name").check(dnsSubdomain)
    source.at("key").requiredAnd(configKey)
  }
}

function checkVariableSources(list: Field): void {
  for (const from of list.items()) {
    from.at("prefix").checkIfGiven(variableName)
    const present = ["configMapRef", "secretRef"].map(key => from.at(key)).filter(source => source.isSet)
    for (const source of present) source.at("name").requiredAnd(dnsSubdomain)
    if (present.length === 0) list.invalid("must specify one of: `configMapRef` or `secretRef`", "")
    else if (present.length > 1) list.invalid("may not have more than one field specified at a time", "")
  }
}

function checkMounts(container: Field, { volumes }: PodFacts): void {
  const paths = new Set<string>()
  const [mounts, devices] = [container.at("volumeMounts"), container.at("volumeDevices").items()]
  const isPrivileged = container.at("securityContext", "privileged").value === true
  for (const mount of mounts.items()) {
    const name = mount.at("name")
    const path = mount.at("mountPath")
    name.requireText()
    if (!volumes.has(name.text)) name.notFound()
    path.requireText()
    if (paths.has(path.text)) path.invalid("must be unique", path.text)
    paths.add(path.text)
    if (name.text !== "" && devices.some(device => device.at("name").text === name.text)) {
      name.invalid("must not already exist in volumeDevices", name.text)
    }
    if (path.text !== "" && devices.some(device => device.at("devicePath").text === path.text)) {
      path.invalid("must not already exist as a path in volumeDevices", path.text)
    }
    for (const key of ["subPath", "subPathExpr"]) {
      const below = mount.at(key).text
      if (below === "") continue
      if (key === "subPathExpr" && mount.at("subPath").text !== "") {
        mount.at(key).invalid("subPathExpr and subPath are mutually exclusive")
      }
      checkLocalPath(mounts.at(key).holding(below))
    }
    const propagation = mounts.at("mountPropagation").holding(mount.at("mountPropagation").value)
    propagation.oneOfIfSet(["Bidirectional", "HostToContainer", "None"])
    if (propagation.text === "Bidirectional" && !isPrivileged) {
      propagation.forbidden("Bidirectional mount propagation is available only to privileged containers")
    }
    checkRecursive(mounts.at("recursiveReadOnly"), mount)
  }
}

function checkRecursive(place: Field, mount: Field): void {
  const recursive = place.holding(mount.at("recursiveReadOnly").value)
  recursive.oneOfIfSet(["Disabled", "Enabled", "IfPossible"])
  if (!["Enabled", "IfPossible"].includes(recursive.text)) return
  if (mount.at("readOnly").value !== true) recursive.forbidden("may only be specified when readOnly is true")
  if (!["", "None"].includes(mount.at("mountPropagation").text)) {
    recursive.forbidden("may only be specified when mountPropagation is None or not specified")
  }
}

/** Checks the volumes that a container sees as block devices. */
function checkDevices(container: Field, { volumes }: PodFacts): void {
  const [names, paths] = [new Set<string>(), new Set<string>()]
  const mounts = container.at("volumeMounts").items()
  for (const device of container.at("volumeDevices").items()) {
    const [name, path] = [device.at("name"), device.at("devicePath")]
    const volume = volumes.get(name.text)
    name.requireText()
    if (names.has(name.text)) name.invalid("must be unique", name.text)
    if (volume === undefined) name.holding(name.text).notFound()
    else if (!volume.at("persistentVolumeClaim").isSet && !volume.at("ephemeral").isSet) {
      name.invalid("can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode", name.text)
    }
    path.requireText()
    if (paths.has(path.text)) path.invalid("must be unique", path.text)
    if (path.text.split("/").includes("..")) path.invalid("can not contain backsteps ('..')", path.text)
    else paths.add(path.text)
    if (mounts.some(mount => mount.at("name").text === name.text)) {
      name.invalid("must not already exist in volumeMounts", name.text)
    }
    if (mounts.some(mount => mount.at("mountPath").text === path.text)) {
      path.invalid("must not already exist as a path in volumeMounts", path.text)
    }
    if (name.text !== "") names.add(name.text)
  }
}

/** Checks what happens to a container whose resources change. Go: all paths are those of the list. */
function checkResizing(policies: Field, { restartPolicy }: PodFacts): void {
  const seen = new Set<string>()
  for (const policy of policies.items()) {
    const resource = policy.at("resourceName").text
    const restart = policies.holding(policy.at("restartPolicy").text)
    if (seen.has(resource)) policy.duplicate(resource)
    seen.add(resource)
    policies.holding(resource).requiredOneOf(["cpu", "memory"])
    restart.requiredOneOf(["NotRequired", "RestartContainer"])
    if (restartPolicy === "Never" && restart.text !== "NotRequired") {
      restart.invalid("must be 'NotRequired' when pod `restartPolicy` is 'Never'")
    }
  }
}

const overcommitted = (name: string): boolean =>
  !name.startsWith("hugepages-") && (!name.includes("/") || /(^|\.)kubernetes\.io\//.test(name))

function checkResources(resources: Field): void {
  const limits = resources.at("limits")
  const requests = resources.at("requests")
  for (const [name, limit] of limits.entries()) checkAmount(name, limit)
  for (const [name, request] of requests.entries()) {
    checkAmount(name, request)
    const limit = limits.entries().find(([key]) => key === name)?.[1]
    if (limit === undefined) {
      if (!overcommitted(name)) limits.required("Limit must be set for non overcommitable resources")
      continue
    }
    const order = compareQuantities(request.value ?? null, limit.value ?? null)
    const ofLimit = `${name} limit of ${limit.text}`
    if (order !== 0 && !overcommitted(name)) requests.invalid(`must be equal to ${ofLimit}`, request.text)
    else if (order > 0) requests.invalid(`must be less than or equal to ${ofLimit}`, request.text)
  }
}

const standard = /^(cpu|memory|ephemeral-storage|hugepages-.*)$/

function checkAmount(name: string, amount: Field): void {
  const bad = labelKey(name)
  for (const message of bad) amount.invalid(message, name)
  if (bad.length === 0 && !name.includes("/") && !standard.test(name)) {
    amount.invalid("must be a standard resource type or fully qualified", name)
    amount.invalid("must be a standard resource for containers", name)
  }
  if (compareQuantities(amount.value ?? null, 0) < 0) amount.invalid("must be greater than or equal to 0")
}
