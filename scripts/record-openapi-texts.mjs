// Records what the OpenAPI documents of custom resources have in common:
//
//   node scripts/record-openapi-texts.mjs
//
// It reads the OpenAPI documents in the Go module k8s.io/kubernetes, at the version of oracle/reset-fields/go.mod, and writes
// src/apiserver/discovery/custom-openapi-data.ts: the parameters of requests, and the schemas of metadata, Status, DeleteOptions and Scale.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./install.mjs"

const options = { cwd: join(root, "oracle/reset-fields"), encoding: "utf8" }
const module = JSON.parse(execFileSync("go", ["mod", "download", "-json", "k8s.io/kubernetes"], options))
const read = file => JSON.parse(readFileSync(join(module.Dir, "api/openapi-spec", file), "utf8"))
const apps = read("v3/apis__apps__v1_openapi.json")
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1."
const scale = "io.k8s.api.autoscaling.v1."

/** Groups whose options of deletes a document of custom resources does not list, although a server has them. */
const elsewhere = ["admission.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "imagepolicy.k8s.io"]

const schemas = Object.fromEntries(
  [
    ...["DeleteOptions", "FieldsV1", "ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "Patch"],
    ...["Preconditions", "ShardInfo", "Status", "StatusCause", "StatusDetails", "Time"],
  ]
    .map(name => meta + name)
    .concat(["Scale", "ScaleSpec", "ScaleStatus"].map(name => scale + name))
    .map(name => [name, apps.components.schemas[name]]),
)
const kinds = read("swagger.json").definitions[`${meta}DeleteOptions`]["x-kubernetes-group-version-kind"]
schemas[`${meta}DeleteOptions`]["x-kubernetes-group-version-kind"] = kinds.filter(
  ({ group }) => !elsewhere.includes(group),
)

const path = apps.paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]
const all = apps.paths["/apis/apps/v1/deployments"]
const named = list => Object.fromEntries(list.map(parameter => [parameter.name, parameter]))
const parameters = {
  ...named(all.parameters),
  ...named(path.parameters),
  ...named(path.get.parameters ?? []),
  ...named(path.delete.parameters),
  ...named(path.put.parameters),
  force: named(path.patch.parameters).force,
  patchManager: named(path.patch.parameters).fieldManager,
}
delete parameters.name
const data = { texts: { apiVersion: text("apiVersion"), kind: text("kind") }, parameters, schemas }
const file = `// Written by scripts/record-openapi-texts.mjs from the OpenAPI documents in k8s.io/kubernetes (Apache-2.0).

/** JSON: {texts: descriptions of fields, parameters: by name, with that of the manager of a patch as patchManager, schemas: by name}. */
export const customOpenAPIData = String.raw\`${JSON.stringify(data).replaceAll("`", "\\u0060")}\`
`
writeFileSync(join(root, "src/apiserver/discovery/custom-openapi-data.ts"), file)

function text(field) {
  return apps.components.schemas["io.k8s.api.apps.v1.Deployment"].properties[field].description
}
