// Probes of containers, and handlers that run when a container starts and stops.
import type { Field } from "./field.js"
import { portName } from "./names.js"

const handlers: Readonly<Record<string, (handler: Field) => void>> = {
  exec: handler => {
    if (handler.at("command").size === 0) handler.at("command").required()
  },
  httpGet: handler => {
    handler.at("path").requireText()
    checkPort(handler.at("port"))
    handler.at("scheme").oneOf(["HTTP", "HTTPS"])
  },
  tcpSocket: handler => checkPort(handler.at("port")),
  grpc: handler => checkPort(handler.at("port")),
  sleep: () => {},
}

/** The protocols of ports. */
export const protocols: readonly string[] = ["SCTP", "TCP", "UDP"]

/** Checks the number or the name of a port. */
export function checkPort(port: Field): void {
  if (typeof port.value === "string") port.check(portName)
  else port.between(1, 65535)
}

/** Checks that there is one handler, and checks the handler. */
export function checkHandler(parent: Field): void {
  let hasHandler = false
  for (const [name, check] of Object.entries(handlers)) {
    const handler = parent.at(name)
    if (!handler.isSet) continue
    if (hasHandler) handler.forbidden("may not specify more than 1 handler type")
    else check(handler)
    hasHandler = true
  }
  if (!hasHandler) parent.required("must specify a handler type")
}

/** Checks a probe, if there is one. `once`: whether it must succeed exactly once, as liveness and startup probes must. */
export function checkProbe(probe: Field, once: boolean): void {
  if (!probe.isSet) return
  checkHandler(probe)
  for (const key of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ]) {
    probe.at(key).notNegative()
  }
  const grace = probe.at("terminationGracePeriodSeconds")
  if (once && grace.isSet && grace.number <= 0) grace.invalid("must be greater than 0")
  if (once && probe.at("successThreshold").number !== 1) probe.at("successThreshold").invalid("must be 1")
  if (!once && grace.isSet) grace.invalid("must not be set for readinessProbes")
}
