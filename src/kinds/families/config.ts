// ConfigMaps and Secrets.

import { goSyntaxProblem } from "../../json/go-syntax.js"
import { bytesOfBase64 } from "../../validation/rules/formats.js"
import { base64, byteLength } from "../../value/bytes.js"
import { mapAt, textAt, withKeys } from "../../value/fields.js"
import { isEmptyMap, own, put } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import { ageColumn, type KindColumns, nameColumn, text } from "../kind/column.js"
import type { Family } from "../kind/kind.js"
import type { Field } from "../validation/field.js"
import { configKey } from "../validation/names.js"

export const config: Family = {
  "/ConfigMap": { validate: { "": checkConfigMap } },
  "/Secret": {
    read: withStringData,
    defaults: { "io.k8s.api.core.v1.Secret": [{ fill: { type: "Opaque" } }] },
    validate: { "": checkSecret },
    selectableFields: { type: "" },
  },
}

export function configColumns(): KindColumns {
  return {
    "/ConfigMap": [nameColumn, text("Data", dataCount), ageColumn],
    "/Secret": [nameColumn, text("Type", object => textAt(object, "type")), text("Data", dataCount), ageColumn],
  }
}

function dataCount(object: MapValue): number {
  return Object.keys(mapAt(object, "data")).length + Object.keys(mapAt(object, "binaryData")).length
}

/** Moves `stringData`, which is write-only, to `data`. */
function withStringData(secret: MapValue): MapValue {
  if (own(secret, "stringData") === undefined) return secret
  const data: Record<string, Value> = { ...mapAt(secret, "data") }
  const texts = mapAt(secret, "stringData")
  for (const key in texts) put(data, key, base64(new TextEncoder().encode(String(own(texts, key)))))
  return withKeys(secret, { data: isEmptyMap(data) ? undefined : data, stringData: undefined })
}

/** The greatest size of the data, in bytes. */
const mostOfData = 1024 * 1024

function checkConfigMap(map: Field, before: Field | undefined): void {
  if (before !== undefined) checkFixed(map, before, ["data", "binaryData"])
  const binary = new Set(
    map
      .at("binaryData")
      .entries()
      .map(([key]) => key),
  )
  let bytes = 0
  for (const [key, field] of map.at("data").entries()) {
    checkKey(key, field)
    if (binary.has(key)) field.invalid("duplicate of key present in binaryData", key)
    bytes += byteLength(field.text)
  }
  for (const [key, field] of map.at("binaryData").entries()) {
    checkKey(key, field)
    bytes += bytesOfBase64(field.text)
  }
  if (bytes > mostOfData) map.at("[]").tooLong(mostOfData)
}

/** The required keys of a Secret, by its type. */
const needed: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
}

function checkSecret(secret: Field, before: Field | undefined): void {
  if (before !== undefined) checkFixed(secret, before, ["data"])
  const data = secret.at("data")
  let bytes = 0
  for (const [key, field] of data.entries()) {
    checkKey(key, field)
    bytes += bytesOfBase64(field.text)
  }
  if (bytes > mostOfData) data.tooLong(mostOfData)
  checkSecretType(secret, data)
  if (before !== undefined) secret.at("type").immutable(before.at("type"))
}

function checkSecretType(secret: Field, data: Field): void {
  const { text: type } = secret.at("type")
  const keys = new Map(data.entries())
  const lacks = (key: string) => data.key(key).required()
  for (const key of needed[type] ?? []) if (!keys.has(key)) lacks(key)
  switch (type) {
    case "kubernetes.io/service-account-token": {
      const annotations = secret.at("metadata", "annotations")
      const name = annotations.key("kubernetes.io/service-account.name")
      name.requireText()
      break
    }
    case "kubernetes.io/dockercfg":
    case "kubernetes.io/dockerconfigjson": {
      const field = keys.get((needed[type] as readonly string[])[0] as string)
      if (field !== undefined) checkJson(field)
      break
    }
    case "kubernetes.io/basic-auth":
      if (!keys.has("username") && !keys.has("password")) for (const key of ["username", "password"]) lacks(key)
      break
    case "kubernetes.io/ssh-auth":
      if ((keys.get("ssh-privatekey")?.text ?? "") === "") lacks("ssh-privatekey")
  }
}

function checkJson(field: Field): void {
  const bytes = Uint8Array.from(atob(field.text), character => character.charCodeAt(0))
  const problem = goSyntaxProblem(new TextDecoder().decode(bytes))
  if (problem !== undefined) field.invalid(problem, "<secret contents redacted>")
}

function checkKey(key: string, field: Field): void {
  for (const message of configKey(key)) field.invalid(message, key)
}

/** Reports changes of an immutable object: of its data, or of `immutable`. */
function checkFixed(object: Field, before: Field, fields: readonly string[]): void {
  if (before.at("immutable").value !== true) return
  const rule = "field is immutable when `immutable` is set"
  if (object.at("immutable").value !== true) object.at("immutable").forbidden(rule)
  for (const name of fields) if (!object.at(name).equals(before.at(name))) object.at(name).forbidden(rule)
}
