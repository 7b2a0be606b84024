export const output: string
export function buildSite(): Promise<void>
