/**
 * Counts the nodes of a document as if every alias were written out, and says when too many of them come from aliases: the
 * measure of yaml.v2. A small document may expand a hundredfold, one that gets large may hardly expand at all.
 */
export class AliasBudget {
  /** The nodes so far. */
  spent = 0
  private fromAliases = 0

  /** Counts one node. False where that is too many. */
  spend(): boolean {
    this.spent++
    return this.fromAliases <= 100 || this.isFair()
  }

  /** Counts what an alias stands for. False where that is too many. */
  spendOnAlias(nodes: number): boolean {
    this.spent += nodes
    this.fromAliases += nodes
    return this.fromAliases <= 100 || this.isFair()
  }

  private isFair(): boolean {
    return this.spent <= 1000 || this.fromAliases / this.spent <= allowedShare(this.spent)
  }
}

const smallDocument = 400_000
const largeDocument = 4_000_000

// 99 % up to a small document, 10 % from a large one, falling in between.
function allowedShare(nodes: number): number {
  if (nodes <= smallDocument) return 0.99
  if (nodes >= largeDocument) return 0.1
  return 0.99 - 0.89 * ((nodes - smallDocument) / (largeDocument - smallDocument))
}
