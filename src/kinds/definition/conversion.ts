// Checks the conversion of a CustomResourceDefinition.
import type { Field } from "../validation/field.js"
import { checkClient, checkReviewVersions } from "../validation/webhook-client.js"

/** Checks the conversion. Errors name the webhook by its path in older definitions, as an API server does, rather than by its path in v1. */
export function checkConversion(conversion: Field): void {
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
  if (client.isSet) checkClient(client)
  else client.required("required when strategy is set to Webhook")
  checkReviewVersions(versions)
}
