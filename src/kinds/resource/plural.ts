/** The plural name of a resource, guessed as clients of Kubernetes guess it. */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase()
  if (singular.endsWith("endpoints")) return singular
  if (singular.endsWith("s")) return `${singular}es`
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`
}
