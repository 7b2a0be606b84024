/** Runs the commands that a page shows, on the files that it shows. */
import { codeBlocks } from "../support/documents.js"
import { smd } from "./cli.js"

/** The files of a page: its YAML blocks that begin with a comment with their name. */
export function filesOf(page: string): Record<string, string> {
  const files: Record<string, string> = {}
  for (const text of codeBlocks(page, "yaml")) {
    const name = /^# (\S+\.yaml)$/m.exec(text)?.[1]
    if (name !== undefined) files[name] = text
  }
  return files
}

/** Returns the console blocks of the page as its commands print them now. Commands write to `files`. */
export async function consoleBlocks(page: string, files: Record<string, string>): Promise<string[]> {
  const blocks: string[] = []
  for (const block of codeBlocks(page, "console")) {
    let shown = ""
    for (const [, command = ""] of block.matchAll(/^\$ (.*)$/gm)) {
      shown += `$ ${command}\n${await run(command, files)}`
    }
    blocks.push(shown)
  }
  return blocks
}

/** Runs smd, or sed and grep as pages use them. Returns the output, and puts a file that is written into `files`. */
async function run(command: string, files: Record<string, string>): Promise<string> {
  const [, pattern, replacement = "", from = "", to = ""] = /^sed 's\/(.+)\/(.+)\/' (\S+) > (\S+)$/.exec(command) ?? []
  if (pattern !== undefined) {
    files[to] = (files[from] as string).replace(new RegExp(pattern), replacement)
    return ""
  }
  const [, word, source = "", target = ""] = /^grep -v (\S+) (\S+) > (\S+)$/.exec(command) ?? []
  if (word !== undefined) {
    const lines = (files[source] as string).split("\n").filter(line => !line.includes(word))
    files[target] = lines.join("\n")
    return ""
  }
  const { out, err, written } = await smd(command.split(" ").slice(1), { files, columns: 100 })
  Object.assign(files, written)
  return out + err
}
