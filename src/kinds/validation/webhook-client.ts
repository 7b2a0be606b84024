// Checks the settings with which an API server calls a webhook, for admission or for the conversion of custom resources.
import type { Field } from "./field.js"
import { dnsLabel1035, dnsSubdomain } from "./names.js"

/** Checks the URL or the service of a webhook. */
export function checkClient(client: Field): void {
  const [url, service] = [client.at("url"), client.at("service")]
  if (url.isSet === service.isSet) client.required("exactly one of url or service is required")
  else if (url.isSet) checkUrl(url)
  else checkService(service)
}

/** Matches a URL with an optional scheme, user, host, query and fragment. */
const parts = /^(?:([A-Za-z][\w+.-]*):)?(?:\/\/(?:([^/?#]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#([\s\S]*))?$/

function checkUrl(url: Field): void {
  const form = "; desired format: https://host[/path]"
  const [, scheme = "", user, host = "", query = "", fragment = ""] = parts.exec(url.text) ?? []
  if (scheme.toLowerCase() !== "https") url.invalid(`'https' is the only allowed URL scheme${form}`, scheme)
  if (host === "") url.invalid(`host must be specified${form}`, "")
  if (user !== undefined) url.invalid("user information is not permitted in the URL", user)
  if (fragment !== "") url.invalid("fragments are not permitted in the URL", fragment)
  if (query !== "") url.invalid("query parameters are not permitted in the URL", query)
}

function checkService(service: Field): void {
  // Go: reports a missing namespace at the name, and a missing name at the namespace.
  if (service.at("namespace").text === "") service.at("name").required()
  if (service.at("name").text === "") service.at("namespace").required()
  checkServicePort(service.at("port"))
  const path = service.at("path")
  if (path.text === "" || path.text === "/") return
  if (path.text === "//") {
    path.invalid("segment[0] may not be empty")
    return
  }
  if (!path.text.startsWith("/")) path.invalid("must start with a '/'")
  const segments = path.text.slice(1).replace(/\/$/, "").split("/")
  for (const [index, segment] of segments.entries()) {
    if (segment === "") path.invalid(`segment[${index}] may not be empty`)
    else for (const message of dnsSubdomain(segment)) path.invalid(`segment[${index}]: ${message}`)
  }
}

/** Checks the port of a service that the API server calls. It is 443 by default. */
export function checkServicePort(port: Field): void {
  if (!port.isSet || (port.number >= 1 && port.number <= 65535)) return
  port.invalid("port is not valid: must be between 1 and 65535, inclusive", port.number)
}

/** The versions of reviews that an API server can send. */
export const reviewVersions: readonly string[] = ["v1", "v1beta1"]

/** Checks the versions of reviews that a webhook accepts. */
export function checkReviewVersions(versions: Field, ifEmpty = ""): void {
  if (versions.size === 0) {
    versions.required(ifEmpty)
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
