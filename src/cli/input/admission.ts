// `--admission`: the policies, webhook configurations, limits, quotas and classes of a cluster, from files or from the cluster.
import { metaText } from "../../schema/metadata.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { Admission } from "../../write/attributes.js"
import { printable } from "../terminal/layout.js"
import { readFiles } from "./application.js"
import type { ConnectionValues } from "./cluster-options.js"
import { type Document, InputError } from "./document.js"
import { isDefinition } from "./document-types.js"
import type { Input } from "./input.js"
import { repeated } from "./options.js"

export const admissionOption = {
  ...repeated(
    "FILE|DIR|-|cluster",
    "policies, webhook configurations, namespaces, limits, quotas and classes that count for the result, or cluster to read them from there",
  ),
  group: "Input" as const,
}

/** The options that `readAdmission` reads. */
export interface AdmissionArguments extends ConnectionValues {
  readonly admission: readonly string[]
  readonly recursive: boolean
  readonly namespace?: string | undefined
}

/** The admission of a cluster, and definitions of kinds that it needs. */
export interface FoundAdmission {
  readonly admission: Admission
  readonly definitions: readonly MapValue[]
}

/**
 * Loads the admission that `--admission` names, for requests about these objects; undefined without the option. Reports policies that can't
 * be run, which are left out.
 */
export async function readAdmission(
  args: AdmissionArguments,
  input: Input,
  objects: readonly Value[],
): Promise<FoundAdmission | undefined> {
  const { admission: paths, recursive } = args
  if (paths.length === 0) return undefined
  const documents: Document[] = await readFiles(
    paths.filter(path => path !== "cluster"),
    recursive,
    input,
  )
  let { namespace } = args
  if (paths.includes("cluster")) {
    const cluster = await input.openCluster(args)
    namespace ??= await cluster.namespace()
    const named = objects.filter(isMap).map(object => metaText(object, "namespace"))
    documents.push(...(await cluster.admissionObjects([...new Set([...named, namespace])].filter(name => name !== ""))))
  }
  const notObjects = documents.filter(({ value }) => !isMap(value))
  if (notObjects.length > 0) throw new InputError(notObjects.map(each => `${each.at([])}: an object must be a map`))
  const { loadAdmission } = await import("../../tools/ownership/admission.js")
  const report = (policy: object, why: string) => {
    const place = documents.find(({ value }) => value === policy)?.at([]) ?? "--admission"
    input.remark(`${printable(`${place}: warning: the policy does not count: ${why}`)}\n`)
  }
  const admission = await loadAdmission({
    objects: documents.map(({ value }) => value as MapValue),
    namespace,
    onUnrunnable: report,
  })
  return { admission, definitions: documents.filter(isDefinition).map(({ value }) => value as MapValue) }
}
