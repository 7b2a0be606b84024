interface Group {
  readonly text: string
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

export const sidebar: readonly Group[]
