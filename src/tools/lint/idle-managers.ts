// Finds managers that nobody expects: they are not on the caller's list, or have changed nothing for a long time.
import { ancientChanges } from "../../managedfields/chain/cap-managers.js"
import { beforeFirstApply } from "../../managedfields/chain/skip-non-applied.js"
import { formatTime } from "../../managedfields/entries/time.js"
import { counted, wildcardPattern } from "../../value/words.js"
import type { LintFinding } from "./finding.js"
import { aboutEntry, entryLabel, type OwnedFields } from "./owners.js"

/** The managers that are expected. Without these options no manager is reported. */
export interface ExpectedManagers {
  /**
   * The names of all managers in use. `*` stands for any characters. The parts of a cluster itself, such as kubelet and
   * kube-controller-manager, need no mention.
   */
  readonly knownManagers?: readonly string[] | undefined
  /**
   * Managers whose last change is older than this are reported too. A manager that applies the same values again and again changes
   * nothing, so its time gets old as well.
   */
  readonly changedSince?: Date | undefined
}

/** Names under which a cluster itself writes: its programs, and the names that the API server gives to lost owners. */
const ofCluster = [
  ...["kube-*", "kubelet", "kubeadm", "cloud-controller-manager", "clusterrole-aggregation-controller"],
  ...["k3s", "rke2", "apiserver", "coredns", ancientChanges, beforeFirstApply],
]

/** Reports entries of managers that are not expected. */
export function lintIdleManagers(
  found: LintFinding[],
  owners: readonly OwnedFields[],
  { knownManagers, changedSince }: ExpectedManagers,
): void {
  const since = changedSince && formatTime(changedSince)
  const known = knownManagers && [...knownManagers, ...ofCluster].map(wildcardPattern)
  for (const owner of owners) {
    const { manager = "", time } = owner.entry
    const isUnknown = known !== undefined && !known.some(pattern => pattern.test(manager))
    const isOld = since !== undefined && time !== undefined && time < since
    if (!isUnknown && !isOld) continue
    const reasons = [
      ...(isUnknown ? ["is not a known manager"] : []),
      ...(isOld ? [`has changed nothing since ${time}`] : []),
    ]
    const fields = counted(owner.set.leaves().size, "field")
    const message = `${entryLabel(owner.entry)} ${reasons.join(", ")}, and owns ${fields}: they stay when others leave them out`
    const remedy = `if it is gone, hand its fields over with smd managers transfer --from ${manager} --to NAME, or let it release them with smd managers release --manager ${manager}`
    found.push(aboutEntry("idle-manager", owner, message, remedy))
  }
}
