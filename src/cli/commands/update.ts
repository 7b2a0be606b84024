import type { Managers } from "../../fieldpath/managers.js"
import { formatPath } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { readManagedFields } from "../../managedfields/entries/entry.js"
import { decodeManagedFields, type Managed } from "../../managedfields/entries/managed.js"
import { parseManagerId } from "../../managedfields/entries/manager-id.js"
import { counted } from "../../value/words.js"
import { readAdmission } from "../input/admission.js"
import { type ConfiguredObject, loadApplication } from "../input/application.js"
import { forEach, InputError, requested } from "../input/document.js"
import { decodeOwners, readKubernetesObject } from "../input/managed-fields.js"
import { managerOption } from "../input/manager-name.js"
import { firstGiven, inPlaceOption, managedFieldsOption, outOption, requireOperands } from "../input/options.js"
import type { Types } from "../input/types.js"
import { policyFor } from "../input/unions.js"
import { formatObjects, objectOutputOption, resourceName } from "../output/document.js"
import { onlyFile } from "../output/out.js"
import { printable } from "../terminal/layout.js"
import { reportApplied, reportRefusals } from "./apply.js"
import { updateObject } from "./apply-object.js"
import { checkStored, liveObjectIn, loadKindsFor, requestOptions } from "./apply-request.js"
import { command } from "./command.js"
import { loadEndpoints } from "./endpoint.js"

export const update = command({
  name: "update",
  summary: "Replace the live object, as the manager of the fields that change",
  operands: "[LIVE] NEXT...",
  isPrinter: true,
  options: {
    ...requestOptions,
    manager: managerOption("who updates"),
    output: objectOutputOption,
    out: outOption,
    inPlace: inPlaceOption("the file of the live object"),
    showManagedFields: managedFieldsOption,
  },
  notes: [
    "Prints the object after a PUT of NEXT, with managedFields. The manager then owns its earlier fields and all changed fields,",
    "and others lose the changed fields: an update never conflicts. smd reports who owns more or less than before. Fields that an",
    "API server does not let a request write keep their values: .status, or with --subresource status everything else. For an",
    "object that a server would refuse, smd prints each reason with its place, and exits with 1.",
    "",
    "Without --live, the first of two operands is LIVE. Live objects are matched by group, kind, namespace and name.",
    "",
    "managedFields in NEXT replace those of LIVE, as in an API server; an empty list removes all owners.",
  ],
  examples: [
    "smd update live.yaml next.yaml --manager autoscaler",
    "smd update live.yaml next.yaml --manager controller --subresource status",
    "smd update live.yaml next.yaml --manager ops --crd widgets-crd.yaml --output json",
  ],
  inPlaceFile: ({ live, operands }) => onlyFile(live.length > 0 ? live : operands.slice(0, 1), "file of live objects"),
  async run({ args, input, terminal }) {
    const isLiveNamed = firstGiven(args, ["live", "context", "kubeconfig"]) !== undefined
    const [live, next] = isLiveNamed ? [] : requireOperands(args, "LIVE", "NEXT")
    const files = live === undefined || next === undefined ? args : { ...args, live: [live], operands: [next] }
    const { types, objects } = await loadApplication(files, input, "NEXT")
    const found = await readAdmission(
      args,
      input,
      objects.map(({ config }) => config.value),
    )
    const options = {
      manager: args.manager,
      kinds: await loadKindsFor(types, objects, found),
      now: terminal.now(),
      admission: found?.admission,
    }
    const policyOf = policyFor(args, input)
    const endpointOf = await loadEndpoints(args.subresource)
    const updates = await forEach(objects, object => {
      const { document, live, before, request } = requestOf(object, types, endpointOf)
      // A server would drop unknown fields without a warning.
      checkStored(document, request.type)
      const unions = policyOf(document, request.type)
      const update = () => updateObject({ ...options, ...request, unions }, document)
      return { object, before, written: requested(document, update, () => checkStored(live, request.type)) }
    })
    const refusals = updates.flatMap(({ written }) => ("refusals" in written ? written.refusals : []))
    if (refusals.length > 0) {
      reportRefusals(refusals, terminal)
      return 1
    }
    const updated = updates.flatMap(({ written, ...rest }) => ("refusals" in written ? [] : { ...rest, written }))
    terminal.write(
      formatObjects(
        updated.map(({ written }) => written.object),
        args,
        input.secrets,
      ),
    )
    for (const { object, before, written } of updated) {
      for (const line of shifts(before, written.object))
        terminal.report(`${updated.length > 1 ? `${printable(resourceName(written.object))}: ` : ""}${line}\n`)
      reportApplied(object, written, terminal)
    }
    return 0
  },
})

/** Returns the part of a request that depends on the documents, and the owners before it. */
function requestOf(
  { config: document, live: liveDocument }: ConfiguredObject,
  types: Types,
  endpointOf: Awaited<ReturnType<typeof loadEndpoints>>,
) {
  const type = types.typeOf(document)
  const next = readKubernetesObject(document, "an object")
  if (liveDocument === undefined)
    throw new InputError(`${document.at([])}: there is no live object of this kind and name`)
  decodeOwners(document)
  const before = decodeOwners(liveDocument)
  const live = liveObjectIn(liveDocument, document)
  const source = types.sourceOf(document)
  const endpoint = endpointOf(document, source)
  return {
    document,
    live: liveDocument,
    before,
    request: { live, next, type, emptyObject: source.emptyObject, definition: source.definition, endpoint },
  }
}

/** Formats a line for each manager that owns more or less than before. */
function shifts({ fields: before }: Managed, object: object): string[] {
  const { fields: after } = decodeManagedFields(readManagedFields(object) ?? [])
  const lines: string[] = []
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const had = setOf(before, id)
    const has = setOf(after, id)
    const changes = [formatFields("now owns", has.difference(had)), formatFields("lost", had.difference(has))]
    const text = changes.filter(change => change !== "").join("; ")
    if (text !== "") lines.push(printable(`${formatManager(id)} ${text}`))
  }
  return lines
}

function setOf(owners: Managers, id: string): FieldSet {
  return owners.get(id)?.set ?? FieldSet.empty
}

function formatFields(verb: string, set: FieldSet): string {
  const paths = [...set].map(formatPath)
  const rest = paths.length - mostPaths
  return paths.length === 0
    ? ""
    : `${verb} ${paths.slice(0, mostPaths).join(", ")}${rest > 0 ? ` and ${counted(rest, "more field")}` : ""}`
}

const mostPaths = 5

function formatManager(id: string): string {
  const { manager = id, operation, subresource } = parseManagerId(id) ?? {}
  return `${manager} (${operation}${subresource === undefined ? "" : `, subresource ${subresource}`})`
}
