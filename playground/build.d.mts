export const site: string
export const offlineFile: string
export function buildPlayground(options?: { siteOnly?: boolean }): Promise<void>
export function weights(): Record<string, number>
