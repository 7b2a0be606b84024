/** Live objects and configurations that people meet, for what the commands about ownership say of them. */
import { parseYaml } from "../../src/io/yaml.js"
import { text } from "./cli.js"

const entry = (manager: string, operation: string, time: string, fields: object, more: object = {}) => ({
  manager,
  operation,
  apiVersion: "apps/v1",
  time: `2001-02-${time}Z`,
  fieldsType: "FieldsV1",
  fieldsV1: fields,
  ...more,
})

/** The object of this YAML with managedFields, as JSON. */
function live(yaml: string, managedFields: readonly object[]): string {
  const object = parseYaml(yaml) as { readonly metadata: object }
  return JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: "41", managedFields } })
}

const container = (fields: object) => ({ "f:spec": { "f:containers": { 'k:{"name":"web"}': fields } } })
const port = (number: number) => `k:{"containerPort":${number},"protocol":"TCP"}`
const item = (...names: string[]) => ({ ".": {}, ...Object.fromEntries(names.map(name => [`f:${name}`, {}])) })

/** GitOps still says 3 replicas, a new image, and has dropped a variable; an autoscaler has 7; CI owns the limit too. */
export const replicas = {
  "web.yaml": text`
    # The shop's web server.
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
      namespace: default
    spec:
      # as agreed with ops
      replicas: 3
      selector:
        matchLabels: {app: shop}
      template:
        metadata:
          labels: {app: shop}
        spec:
          containers:
          - name: web
            image: web:1.1 # the new one
            env:
            - name: LOG
              value: debug
  `,
  "live.json": live(
    text`
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: shop, namespace: default}
      spec:
        replicas: 7
        selector: {matchLabels: {app: shop}}
        template:
          metadata: {labels: {app: shop}}
          spec:
            containers:
            - name: web
              image: web:1.0
              env: [{name: OLD, value: "1"}, {name: LOG, value: debug}]
              resources: {limits: {memory: 128Mi}}
      status: {readyReplicas: 7}
    `,
    [
      entry("web-team", "Apply", "01T04:05:06", {
        "f:spec": {
          "f:selector": {},
          "f:template": {
            "f:metadata": { "f:labels": { "f:app": {} } },
            ...container({
              ...item("name", "image"),
              "f:env": { 'k:{"name":"LOG"}': item("name", "value"), 'k:{"name":"OLD"}': item("name", "value") },
              "f:resources": { "f:limits": { "f:memory": {} } },
            }),
          },
        },
      }),
      entry("ci", "Apply", "03T01:05:06", {
        "f:spec": { "f:template": container({ ...item("name"), "f:resources": { "f:limits": { "f:memory": {} } } }) },
      }),
      entry("autoscaler", "Update", "03T04:01:06", { "f:spec": { "f:replicas": {} } }, { subresource: "scale" }),
    ],
  ),
}

/** Two appliers of one container: security sets LEVEL and CHECK, and web-team now wants another LEVEL. */
export const variables = {
  "web.yaml": text`
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: shop}
    spec:
      template:
        spec:
          containers:
          - name: web
            image: web:1.0
            env:
            - {name: MODE, value: fast}
            - {name: LEVEL, value: "3"}
  `,
  "live.json": live(
    text`
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: shop}
      spec:
        template:
          spec:
            containers:
            - name: web
              image: web:1.0
              env: [{name: MODE, value: fast}, {name: LEVEL, value: "1"}, {name: CHECK, value: "on"}]
    `,
    [
      entry("web-team", "Apply", "03T04:05:01", {
        "f:spec": {
          "f:template": container({
            ...item("name", "image"),
            "f:env": { 'k:{"name":"MODE"}': item("name", "value") },
          }),
        },
      }),
      entry("security", "Apply", "02T23:05:06", {
        "f:spec": {
          "f:template": container({
            ...item("name"),
            "f:env": { 'k:{"name":"CHECK"}': item("name", "value"), 'k:{"name":"LEVEL"}': item("name", "value") },
          }),
        },
      }),
    ],
  ),
}

/** A port that moves: its number is its key, so one item goes and another comes. */
export const ports = {
  "web.yaml": text`
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: shop}
    spec:
      template:
        spec:
          containers:
          - name: web
            ports:
            - name: http
              containerPort: 9090
  `,
  "live.json": live(
    text`
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: shop}
      spec:
        template:
          spec:
            containers:
            - name: web
              ports: [{name: http, containerPort: 8080, protocol: TCP, hostPort: 80}]
    `,
    [
      entry("web-team", "Apply", "01T04:05:06", {
        "f:spec": {
          "f:template": container({ ...item("name"), "f:ports": { [port(8080)]: item("name", "containerPort") } }),
        },
      }),
      entry("mesh", "Update", "02T04:05:06", {
        "f:spec": { "f:template": container({ "f:ports": { [port(8080)]: { "f:hostPort": {} } } }) },
      }),
    ],
  ),
}
