// The types of the bodies that actions read. Bindings and token requests can't be applied, so the bundled types lack them.

import { kubernetesSchema } from "../../kubernetes/types.js"
import type { FoundKind, TypeFinder } from "../../managedfields/types/object-types.js"
import type { Schema, StructField, TypeRef } from "../../schema/schema.js"
import type { MapValue } from "../../value/value.js"

const text: TypeRef = { scalar: "string" }
const number: TypeRef = { scalar: "numeric" }
const texts: TypeRef = { list: { elementType: text, elementRelationship: "atomic" } }
const textsByName: TypeRef = { map: { elementType: texts } }
const named = (namedType: string): TypeRef => ({ namedType })

function fieldsOf(types: Readonly<Record<string, TypeRef>>): StructField[] {
  return Object.entries(types).map(([name, type]) => ({ name, type }))
}

function structOf(types: Readonly<Record<string, TypeRef>>): TypeRef {
  return { map: { fields: fieldsOf(types) } }
}

const header = { apiVersion: text, kind: text, metadata: named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta") }
const boundObject = structOf({ apiVersion: text, kind: text, name: text, uid: text })
const structs: Readonly<Record<string, Readonly<Record<string, TypeRef>>>> = {
  "v1 Binding": { ...header, target: named("io.k8s.api.core.v1.ObjectReference") },
  "authentication.k8s.io/v1 TokenRequest": {
    ...header,
    spec: structOf({
      audiences: texts,
      expirationSeconds: number,
      boundObjectRef: boundObject,
      attestations: textsByName,
    }),
    status: structOf({ token: text, expirationTimestamp: text }),
  },
}

/** The zero values of the Go structs, from which a server starts. */
const emptyObjects: Readonly<Record<string, MapValue>> = {
  "authentication.k8s.io/v1 TokenRequest": {
    spec: { audiences: null, expirationSeconds: null, boundObjectRef: null },
    status: { token: "", expirationTimestamp: null },
  },
}

let schema: Schema | undefined

/** Returns the types, with those of the bodies of actions. */
export function withActionTypes(types: TypeFinder): TypeFinder {
  return { find: (apiVersion, kind) => types.find(apiVersion, kind) ?? findAction(`${apiVersion} ${kind}`) }
}

function findAction(typeName: string): FoundKind | undefined {
  if (!Object.hasOwn(structs, typeName)) return undefined
  schema ??= {
    types: [
      ...kubernetesSchema().types,
      ...Object.entries(structs).map(([name, types]) => ({ name, map: { fields: fieldsOf(types) } })),
    ],
  }
  return { schema, typeName, emptyObject: emptyObjects[typeName] }
}
