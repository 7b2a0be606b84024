/**
 * Counts the nodes of a document as if every alias were written out, and reports when too many nodes come from aliases, by the rule of
 * yaml.v2. A small document may expand a hundredfold, a large one hardly at all.
 */
export class AliasBudget {
  /** The nodes so far. */
  spent = 0
  private fromAliases = 0

  /** Counts one node. Returns false if that is too many. */
  spend(): boolean {
    this.spent++
    return this.fromAliases <= 100 || this.isFair()
  }

  /** Counts the nodes that an alias stands for. Returns false if that is too many. */
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

// The share of nodes that may come from aliases: 99 % in a small document, 10 % in a large one, and falling in between.
function allowedShare(nodes: number): number {
  if (nodes <= smallDocument) return 0.99
  if (nodes >= largeDocument) return 0.1
  return 0.99 - 0.89 * ((nodes - smallDocument) / (largeDocument - smallDocument))
}
