import type { Page } from "playwright-core"

export interface OpenedBrowser {
  readonly url: string
  readonly errors: string[]
  page(options?: { width?: number; height?: number; dark?: boolean; isFirstVisit?: boolean }): Promise<Page>
  close(): Promise<void>
}

export function openBrowser(folder?: string): Promise<OpenedBrowser>
