import { upgradeManagedFields, upgradeManagedFieldsPatch } from "../../managedfields/entries/upgrade.js"
import { isMap } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import { filesOptions, readObjects } from "../input/application.js"
import { forEach, InputError } from "../input/document.js"
import { decodeOwners } from "../input/managed-fields.js"
import { checkManagerName, managerName } from "../input/manager-name.js"
import { managerOption, objectOutputOption, outOption, UsageError } from "../input/options.js"
import { formatDocument, formatObjects } from "../output/document.js"
import { printable } from "../terminal/layout.js"
import type { Command } from "./command.js"

const kubectl = "kubectl-client-side-apply"

export const upgrade: Command = {
  name: "upgrade",
  summary: "Turn what client-side apply owns into what a manager has applied",
  operands: "LIVE...",
  isPrinter: true,
  options: [
    managerOption("who will apply on the server's side (required)"),
    ...filesOptions,
    {
      name: "csa-manager",
      value: "NAME",
      repeated: true,
      help: `who applied on the client's side; without it, ${kubectl}`,
    },
    { name: "subresource", value: "NAME", help: "of which the entries are; without it, those of the object itself" },
    { name: "json-patch", help: "print the JSON Patch to send instead of the object, of which there has to be one" },
    objectOutputOption,
    outOption,
  ],
  notes: [
    "kubectl apply without --server-side is an update to the server: what a later server-side apply leaves out would stay,",
    "owned by that update. Prints LIVE with these entries of managedFields turned into what --manager has applied; as it is",
    "where there are none. The JSON Patch names the resourceVersion of LIVE, so it fails if the object has changed since.",
  ],
  examples: [
    "kubectl get deployment web -o yaml --show-managed-fields | smd upgrade --manager kubectl -",
    "smd upgrade --csa-manager helm --csa-manager kubectl-client-side-apply --manager gitops live.yaml",
    "smd upgrade --manager kubectl --json-patch live.yaml",
  ],
  async run({ args, input, terminal }) {
    const ssaManager = managerName(args)
    const given = args.all("csa-manager").map(name => checkManagerName(name, "csa-manager"))
    const csaManagers = given.length === 0 ? [kubectl] : given
    const subresource = args.get("subresource") ?? ""
    const documents = await readObjects(args, input, "LIVE")
    const request = { csaManagers, ssaManager, subresource }
    const upgrades = await forEach(documents, document => {
      const { value } = document
      if (!isMap(value)) throw new InputError(`${document.at([])}: the live object has to be a map`)
      decodeOwners(document)
      return { live: value, patch: upgradeManagedFieldsPatch(value, request) }
    })
    if (upgrades.every(({ patch }) => patch === undefined)) {
      input.remark(printable(`nothing to upgrade: no updates by ${listAnd(csaManagers)}`).concat("\n"))
    }
    if (!args.has("json-patch")) {
      terminal.write(
        formatObjects(
          upgrades.map(({ live }) => upgradeManagedFields(live, request)),
          args,
        ),
      )
      return 0
    }
    if (upgrades.length > 1) throw new UsageError(`--json-patch is for one object, not ${upgrades.length}`)
    const steps = (upgrades[0]?.patch ?? []).map(step => ({ ...step }))
    terminal.write(formatDocument(steps, args.output ?? "json"))
    return 0
  },
}
