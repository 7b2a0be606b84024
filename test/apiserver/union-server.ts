/** A server with a custom resource that has unions, and requests in a short notation: `A b` is `{type: "A", b: {x: 1}}`. */
import type { ApiServerOptions } from "../../src/apiserver/options.js"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"

/** The ways to declare the union of `type`, `a` and `b` in a definition. */
export const dialects: Readonly<Record<string, { readonly host: MapValue; readonly type: MapValue }>> = {
  list: {
    host: { "x-kubernetes-unions": [{ discriminator: "type", "fields-to-discriminateBy": { a: "A", b: "B" } }] },
    type: {},
  },
  fieldMembers: {
    host: {},
    type: {
      "x-kubernetes-unions": { fieldMembers: { A: { name: "a", optional: false }, B: { name: "b", optional: false } } },
    },
  },
}

/** The definition of widgets, whose spec and status have the union. `replicas` and `auto` are members of another union. */
export function unionDefinition(dialect: string): MapValue {
  const { host, type } = dialects[dialect] as (typeof dialects)[string]
  const member = { type: "object", properties: { x: { type: "integer" } } }
  const choice = { type: "object", properties: { type: { type: "string", ...type }, a: member, b: member }, ...host }
  const scaling = {
    type: "object",
    "x-kubernetes-unions": [{ "fields-to-discriminateBy": { replicas: "Fixed", auto: "Auto" } }],
    properties: { replicas: { type: "integer" }, auto: member },
  }
  const spec = { type: "object", properties: { choice, scaling, note: { type: "string" } } }
  const status = { type: "object", properties: { choice } }
  const scale = { specReplicasPath: ".spec.scaling.replicas", statusReplicasPath: ".status.replicas" }
  return definitionOf("Widget", {
    schema: { properties: { spec, status } },
    version: { subresources: { status: {}, scale } },
  })
}

/** Parses a union from the notation. */
export function choiceOf(text: string): MapValue {
  const out: Record<string, Value> = {}
  for (const part of text.split(" ").filter(part => part !== "")) {
    if (part === part.toLowerCase()) out[part] = { x: 1 }
    else out.type = part
  }
  return out
}

/** Formats a union in the notation. */
export function textOf(choice: Value | undefined): string {
  const { type, ...members } = (choice ?? {}) as Record<string, Value>
  return [...(type === undefined ? [] : [String(type)]), ...Object.keys(members).sort()].join(" ")
}

/** The paths that tests send requests to. */
export const widgets = "/apis/example.com/v1/namespaces/default/widgets"
export const deployments = "/apis/apps/v1/namespaces/default/deployments"

/** Returns a widget with these unions. */
export function widget(choice: string, more: MapValue = {}): MapValue {
  const metadata = { name: "w" }
  return { apiVersion: "example.com/v1", kind: "Widget", metadata, spec: { choice: choiceOf(choice), ...more } }
}

/** Creates a server that serves widgets. */
export function widgetServer(
  unions: ApiServerOptions["unions"],
  dialect = "list",
  options: ApiServerOptions = {},
): ApiServer {
  return createApiServer({ ...options, crds: [unionDefinition(dialect)], ...(unions !== undefined && { unions }) })
}
