// The stories of examples/, each a file that is loaded when it is chosen.

/** A story that can be chosen. */
export interface ExampleName {
  /** The name of its file. */
  readonly id: string
  readonly title: string
}

const files = import.meta.glob<string>("../../examples/stories/*/story.yaml", { query: "?raw", import: "default" })
const titles = import.meta.glob<string>("../../examples/stories/*/story.yaml", {
  query: "?title",
  import: "default",
  eager: true,
})

/** All stories, in the order of their titles. */
export const examples: readonly ExampleName[] = Object.entries(titles)
  .map(([file, title]) => ({ id: idOf(file), title }))
  .sort((a, b) => (a.title < b.title ? -1 : 1))

/** The text of a story; undefined where there is none of this name. */
export async function loadExample(id: string): Promise<string | undefined> {
  const file = Object.keys(files).find(name => idOf(name) === id)
  return file === undefined ? undefined : await files[file]?.()
}

function idOf(file: string): string {
  return file.split("/").at(-2) ?? file
}
