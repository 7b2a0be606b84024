// Checks the conversion of a CustomResourceDefinition.
import type { Field } from "../validation/field.js"
import { dnsLabel1035, dnsSubdomain } from "../validation/names.js"

/** Checks the conversion. Errors name the webhook by its path in older definitions, as an API server does, rather than by its path in v1. */
export function conversionErrors(conversion: Field): void {
  if (!conversion.isSet) return
  const strategy = conversion.at("strategy")
  strategy.requiredOneOf(["None", "Webhook"])
  const webhook = conversion.at("webhook")
  const client = conversion.at("webhookClientConfig").holding(webhook.at("clientConfig").value)
  const versions = conversion.at("conversionReviewVersions").holding(webhook.at("conversionReviewVersions").value)
  if (strategy.text !== "Webhook") {
    for (const field of [client, versions]) {
      if (field === client ? field.isSet : field.size > 0) {
        field.forbidden("should not be set when strategy is not set to Webhook")
      }
    }
    return
  }
  if (client.isSet) clientErrors(client)
  else client.required("required when strategy is set to Webhook")
  reviewErrors(versions)
}

function clientErrors(client: Field): void {
  const url = client.at("url")
  const service = client.at("service")
  if (url.isSet === service.isSet) client.required("exactly one of url or service is required")
  else if (url.isSet) urlErrors(url)
  else serviceErrors(service)
}

/** Matches a URL with an optional scheme, user, host, query and fragment. */
const address = /^(?:([A-Za-z][\w+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#([\s\S]*))?$/

function urlErrors(url: Field): void {
  const form = "; desired format: https://host[/path]"
  const [, scheme = "", user, host = "", query = "", fragment = ""] = address.exec(url.text) ?? []
  if (scheme.toLowerCase() !== "https") {
    url.holding(scheme).invalid(`'https' is the only allowed URL scheme${form}`)
  }
  if (host === "") url.holding("").invalid(`host must be specified${form}`)
  if (user !== undefined) url.holding(user).invalid("user information is not permitted in the URL")
  if (fragment !== "") url.holding(fragment).invalid("fragments are not permitted in the URL")
  if (query !== "") url.holding(query).invalid("query parameters are not permitted in the URL")
}

function serviceErrors(service: Field): void {
  // Go: reports a missing namespace at the name, and a missing name at the namespace.
  if (service.at("namespace").text === "") service.at("name").required()
  if (service.at("name").text === "") service.at("namespace").required()
  const port = service.at("port")
  if (port.isSet && (port.number < 1 || port.number > 65535)) {
    port.invalid("port is not valid: must be between 1 and 65535, inclusive")
  }
  const path = service.at("path")
  if (path.text === "" || path.text === "/") return
  if (path.text === "//") {
    path.invalid("segment[0] may not be empty")
    return
  }
  if (!path.text.startsWith("/")) path.invalid("must start with a '/'")
  const segments = path.text.slice(1).replace(/\/$/, "").split("/")
  for (const [i, segment] of segments.entries()) {
    if (segment === "") path.invalid(`segment[${i}] may not be empty`)
    else for (const problem of dnsSubdomain(segment)) path.invalid(`segment[${i}]: ${problem}`)
  }
}

const reviewVersions = ["v1", "v1beta1"]

function reviewErrors(versions: Field): void {
  if (versions.size === 0) {
    versions.required()
    return
  }
  const seen = new Set<string>()
  for (const version of versions.items()) {
    if (seen.has(version.text)) version.invalid("duplicate version")
    else version.check(dnsLabel1035)
    seen.add(version.text)
  }
  if (!reviewVersions.some(version => seen.has(version))) {
    versions.invalid(`must include at least one of ${reviewVersions.join(", ")}`)
  }
}
