// The stories in examples/. The page loads a story's file when the user chooses it.

/** A story that the user can choose. */
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

/** All stories, sorted by title. */
export const examples: readonly ExampleName[] = Object.entries(titles)
  .map(([file, title]) => ({ id: idOf(file), title }))
  .sort((a, b) => (a.title < b.title ? -1 : 1))

/** Returns the text of a story; undefined if no story has this id. */
export async function loadExample(id: string): Promise<string | undefined> {
  const file = Object.keys(files).find(name => idOf(name) === id)
  return file === undefined ? undefined : await files[file]?.()
}

function idOf(file: string): string {
  return file.split("/").at(-2) ?? file
}
