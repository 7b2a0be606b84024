/**
 * Guesses the plural name of a resource from its kind, as Kubernetes' clients do, except that a y after a vowel stays: `gateways`, where
 * Kubernetes guesses `gatewaies`.
 */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase()
  if (singular.endsWith("endpoints")) return singular
  if (singular.endsWith("s")) return `${singular}es`
  return /(?<![aeiou])y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`
}
