// The options of `smd serve`.

import type { FeatureGates } from "../../apiserver/options.js"
import { choice, flag, type Operands, option, repeated, UsageError, type ValuesOf } from "../input/options.js"
import { unionPolicyOption } from "../input/unions.js"
import type { ReplaySpeed } from "./replay/replay.js"

export const serveOptions = {
  load: repeated(
    "FILE|DIR|-",
    "objects to begin with: output of kubectl get, manifests, or NDJSON; of folders also the inner ones",
  ),
  crd: repeated("FILE|DIR", "CustomResourceDefinitions to begin with"),
  save: option(
    "FILE",
    "keep the state in this file, as NDJSON: load it at the start, write it after changes and at the end",
  ),
  readOnly: flag("refuse every request that would store something; dry runs work"),
  record: option("FILE", "write every request with its answer to this file, as NDJSON, without the values of Secrets"),
  replay: option("LOG", "serve the objects of an audit log, a recorded watch, or a file of --record, as they changed"),
  speed: option(
    "10x|step",
    "how fast --replay goes: as the log, 1x, if absent; step waits for Enter or a request",
    parseSpeed,
  ),
  writable: flag("let clients write during --replay"),
  faults: option("FILE", "failures to inject into requests, as JSON or YAML; clients may then change them"),
  controllers: flag(
    "run small controllers, from Deployments to Pods that are ready, and Jobs, Services and autoscalers",
  ),
  stages: option(
    "FILE",
    "stages of controllers, as JSON or YAML; with --controllers, in addition to the built-in ones",
  ),
  openapi: repeated("FILE|DIR", "OpenAPI v3 documents of a cluster, for kubectl explain: .json and .json.gz"),
  authorization: choice(["rbac"], "let roles and their bindings decide what users may do"),
  tokens: option("FILE", 'the users: lines of token,name,uid,"group1,group2", as kube-apiserver reads them'),
  featureGates: option("GATES", "feature gates: ManagedFieldsOptOut=true, or several with commas", parseGates),
  unions: unionPolicyOption("if absent, the server ignores unions, as a cluster does"),
  parity: choice(
    ["v6", "v7"],
    "the release of the Go module whose bytes managedFields get: v7 as in Kubernetes 1.38; v6 if absent",
  ),
  port: option("NUMBER", "the port to listen at; a free one if absent", parsePort),
  host: option("ADDRESS", "the address to listen at; 127.0.0.1 if absent"),
  allowHost: repeated("NAME", "a host name that clients may use, besides addresses, localhost and the name in --host"),
}

export type ServeArguments = Operands & ValuesOf<typeof serveOptions>

const gateNames = [
  "DeclarativeValidation",
  "DeclarativeValidationBeta",
  "DeclarativeValidationTakeover",
  "ManagedFieldsOptOut",
]

function parseGates(text: string, name: string): FeatureGates {
  const gates = text.split(",").map(pair => {
    const [gate = "", value = ""] = pair.trim().split("=")
    if (!gateNames.includes(gate)) throw new UsageError(`${name}: unrecognized feature gate: ${gate}`)
    if (value !== "true" && value !== "false")
      throw new UsageError(`${name}: ${gate} must be true or false, not ${value}`)
    return [gate, value === "true"] as const
  })
  return Object.fromEntries(gates)
}

function parseSpeed(text: string, name: string): ReplaySpeed {
  if (text === "step") return text
  const [, number] = /^(\d{1,6}(?:\.\d{1,6})?)x?$/.exec(text) ?? []
  if (Number(number) > 0) return Number(number)
  throw new UsageError(`${name} must be step, or a number such as 10x or 0.5x, not ${text}`)
}

function parsePort(text: string, name: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new UsageError(`${name} must be 0 to 65535, not ${text}`)
}
