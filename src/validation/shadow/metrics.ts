// Counts the mismatches and panics of shadow mode.

import { aString, requireArgument } from "../../value/argument.js"
import { increase, metricText } from "../../value/prometheus.js"

/** Receives each mismatch and panic. `ValidationMetrics` implements it. */
export interface ValidationCounters {
  /** Counts one mismatch. The identifier names the kind, subresource and operation: `replicationcontroller_update`, `pod_status_update`. */
  countMismatch(identifier: string): void
  /** Counts an exception of declarative validation. */
  countPanic(identifier: string): void
}

/** The counters of an API server. Several validators may share them. */
export class ValidationMetrics implements ValidationCounters {
  private readonly mismatches = new Map<string, number>()
  private readonly panics = new Map<string, number>()

  /** Counts one mismatch, in the total and under the identifier. */
  countMismatch(identifier: string): void {
    requireArgument("identifier", identifier, aString)
    increase(this.mismatches, labelsOf(identifier), 1)
  }

  /** Counts one exception, in the total and under the identifier. */
  countPanic(identifier: string): void {
    requireArgument("identifier", identifier, aString)
    increase(this.panics, labelsOf(identifier), 1)
  }

  /**
   * Returns the counters in the text format of Prometheus, under the names that kube-apiserver gives them: the totals, and the counts by
   * `validation_identifier`.
   */
  text(): string {
    const mismatches = "Errors that only one of handwritten and declarative validation found"
    const panics = "Exceptions that declarative validation threw"
    const byIdentifier = "by what was validated."
    return [
      metricText(`${prefix}_mismatch_total`, "counter", `${mismatches}.`, total(this.mismatches)),
      metricText(`${prefix}_panic_total`, "counter", `${panics}.`, total(this.panics)),
      metricText(`${prefix}_parity_discrepancies_total`, "counter", `${mismatches}, ${byIdentifier}`, this.mismatches),
      metricText(`${prefix}_panics_total`, "counter", `${panics}, ${byIdentifier}`, this.panics),
    ].join("")
  }
}

const prefix = "apiserver_validation_declarative_validation"

function labelsOf(identifier: string): { validation_identifier: string } {
  return { validation_identifier: identifier }
}

function total(counts: ReadonlyMap<string, number>): [string, number][] {
  return [["", [...counts.values()].reduce((sum, count) => sum + count, 0)]]
}
