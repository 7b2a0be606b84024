// The containers of a Pod.
import { compareQuantities } from "../../value/quantity.js"
import type { Field } from "./field.js"
import { configKey, dnsLabel, dnsSubdomain, labelKey, portName, variableName } from "./names.js"
import { checkHandler, checkProbe, protocols } from "./probes.js"

/** Checks the containers that run at the same time. `volumes` has the names of the volumes that may be mounted. */
export function checkContainers(containers: Field, volumes: ReadonlySet<string>): void {
  if (containers.size === 0) {
    containers.required()
    return
  }
  const names = new Set<string>()
  const hostPorts = new Set<string>()
  for (const container of containers.items()) {
    checkContainer(container, volumes)
    container.at("name").holding(container.at("name").text).unique(names)
    checkLifecycle(container)
    checkRestart(container)
  }
  for (const container of containers.items()) checkHostPorts(container, hostPorts)
}

/** Checks the init containers, which run one after the other before the `others`. */
export function checkInitContainers(containers: Field, others: Field, volumes: ReadonlySet<string>): void {
  const names = new Set(others.items().map(container => container.at("name").text))
  for (const container of containers.items()) {
    checkContainer(container, volumes)
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

function checkContainer(container: Field, volumes: ReadonlySet<string>): void {
  container.at("name").requiredAnd(dnsLabel)
  container.at("image").requireText()
  container.at("terminationMessagePolicy").requiredOneOf(["File", "FallbackToLogsOnError"])
  checkPorts(container.at("ports"))
  for (const variable of container.at("env").items()) checkVariable(variable)
  checkVariableSources(container.at("envFrom"))
  checkMounts(container.at("volumeMounts"), volumes)
  container.at("imagePullPolicy").requiredOneOf(["Always", "IfNotPresent", "Never"])
  checkResources(container.at("resources"))
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
  } else if (!source.path.endsWith(".fileKeyRef")) {
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

function checkMounts(mounts: Field, volumes: ReadonlySet<string>): void {
  const paths = new Set<string>()
  for (const mount of mounts.items()) {
    const name = mount.at("name")
    const path = mount.at("mountPath")
    name.requireText()
    if (!volumes.has(name.text)) name.notFound()
    path.requireText()
    if (paths.has(path.text)) path.invalid("must be unique", path.text)
    paths.add(path.text)
    for (const key of ["subPath", "subPathExpr"]) {
      const below = mount.at(key).text
      if (below !== "") checkRelative(mounts.at(key).holding(below))
    }
  }
}

function checkRelative(path: Field): void {
  if (path.text.startsWith("/")) path.invalid("must be a relative path")
  checkNoBacksteps(path)
}

/** Checks that a path does not lead upwards. */
export function checkNoBacksteps(path: Field): void {
  if (path.text.split("/").includes("..")) path.invalid("must not contain '..'")
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
