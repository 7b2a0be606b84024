// Reads kinds from CustomResourceDefinitions and OpenAPI documents, including the validation of custom resources. Programs that use only
// built-in kinds do not load this file.
import { SchemaError } from "../errors.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { TypeConverter } from "../openapi/type-converter.js"
import { textAt } from "../value/fields.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { isDefinition } from "./custom/definitions.js"
import { checkDefinition } from "./definition/problems.js"
import { checkMutatingExpressions, checkValidatingExpressions, checkWebhookExpressions } from "./policy/problems.js"
import { customResources } from "./resource/custom.js"
import type { KindReader } from "./resource/table.js"

export const kindReader: KindReader = {
  resources: customResources,
  checks: {
    "apiextensions.k8s.io/CustomResourceDefinition": checkDefinition,
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy": checkValidatingExpressions,
    "admissionregistration.k8s.io/MutatingAdmissionPolicy": checkMutatingExpressions,
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration": checkWebhookExpressions,
    "admissionregistration.k8s.io/MutatingWebhookConfiguration": checkWebhookExpressions,
  },
  read(documents, types) {
    const all = documents.flatMap(itemsOf)
    const others = all.filter(document => !isDefinition(document))
    for (const document of others) requireOpenAPI(document)
    const fallback = (apiVersion: string, kind: string) => types.find(apiVersion, kind)
    const sources = others.map(document => ({ document }))
    return {
      definitions: all.filter(isDefinition),
      types: sources.length === 0 ? types : (new TypeConverter(sources, { fallback }) as TypeFinder),
    }
  },
}

/** Returns the items of a List, or the document itself. */
function itemsOf(document: object): MapValue[] {
  if (!isMap(document as Value))
    throw new SchemaError(`${expected}, got ${document === null ? "null" : typeof document}`)
  const { items } = document as MapValue
  return Array.isArray(items) ? (items as object[]).flatMap(itemsOf) : [document as MapValue]
}

const expected = "expected a CustomResourceDefinition or an OpenAPI document"

function requireOpenAPI(document: MapValue): void {
  if ("openapi" in document || "swagger" in document) return
  const kind = textAt(document, "kind")
  if (kind === "") throw new SchemaError(`${expected}: it has no key openapi or swagger`)
  throw new SchemaError(`${expected}, got ${`${textAt(document, "apiVersion")} ${kind}`.trimStart()}`)
}
