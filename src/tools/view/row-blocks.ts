// The rows of a table. They are made when they come into view, so a table may have a hundred thousand of them.
import { h } from "./dom.js"

/** The number of rows that are made together. */
const blockSize = 200
/** The height of a row that is not made yet, in pixels. The browser corrects it when the row is made. */
export const rowHeight = 18

/** The rows of a table inside an element with the class `scroll`. */
export class RowBlocks {
  private readonly table: HTMLTableElement
  private readonly columns: number
  private readonly makeRow: (index: number) => HTMLTableRowElement
  private readonly blocks: HTMLTableSectionElement[] = []
  private observer: IntersectionObserver | undefined
  private count = 0

  constructor(table: HTMLTableElement, columns: number, makeRow: (index: number) => HTMLTableRowElement) {
    this.table = table
    this.columns = columns
    this.makeRow = makeRow
  }

  /** Replaces all rows by this number of rows. */
  rebuild(count: number): void {
    this.observer?.disconnect()
    for (const block of this.blocks) block.remove()
    this.blocks.length = 0
    this.count = count
    // The row of names counts too.
    this.table.setAttribute("aria-rowcount", String(count + 1))
    for (let start = 0; start < count; start += blockSize) {
      const height = `height:${Math.min(blockSize, count - start) * rowHeight}px`
      const space = h("td", { role: "presentation", colspan: String(this.columns), style: height })
      const block = h("tbody", {}, h("tr", { role: "presentation", class: "space" }, space))
      this.blocks.push(block)
      this.table.append(block)
      // Where nothing is laid out, as in jsdom, all rows are made at once.
      if (start < 2 * blockSize || typeof IntersectionObserver === "undefined") this.fill(this.blocks.length - 1)
    }
    if (this.blocks.some(block => !isFilled(block))) this.observe()
  }

  /** Makes the rows again that are made. */
  refresh(): void {
    this.blocks.forEach((block, i) => isFilled(block) && this.fill(i))
  }

  /** Returns a row, and makes it if need be. */
  rowAt(index: number): HTMLTableRowElement | undefined {
    const block = this.blocks[Math.floor(index / blockSize)]
    if (block !== undefined && !isFilled(block)) this.fill(Math.floor(index / blockSize))
    return this.rowIfMade(index)
  }

  rowIfMade(index: number): HTMLTableRowElement | undefined {
    const block = this.blocks[Math.floor(index / blockSize)]
    return block !== undefined && isFilled(block) ? block.rows[index % blockSize] : undefined
  }

  private observe(): void {
    const toFill = (entries: readonly IntersectionObserverEntry[]): void => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue
        this.observer?.unobserve(target)
        if (!isFilled(target)) this.fill(this.blocks.indexOf(target as HTMLTableSectionElement))
      }
    }
    this.observer = new IntersectionObserver(toFill, { root: this.table.closest(".scroll"), rootMargin: "800px" })
    for (const block of this.blocks) if (!isFilled(block)) this.observer.observe(block)
  }

  private fill(block: number): void {
    const rows: HTMLTableRowElement[] = []
    const end = Math.min(this.count, (block + 1) * blockSize)
    for (let index = block * blockSize; index < end; index++) rows.push(this.makeRow(index))
    this.blocks[block]?.replaceChildren(...rows)
  }
}

function isFilled(block: Element): boolean {
  return block.firstElementChild?.classList.contains("space") === false
}
