// Replaces a file as a whole: even after a crash, a reader finds either the old content or the new content.
import { promises } from "node:fs"
import type { FileHandle } from "node:fs/promises"

/** New content for a file. It replaces the old content once it is complete. */
export interface Replacement {
  write(text: string): Promise<void>
  /** Puts the new content in place. */
  commit(): Promise<void>
  /** Leaves the file as it was. */
  discard(): Promise<void>
}

export interface ReplaceOptions {
  /** The mode of a new file; the umask decides if it is absent. */
  readonly newMode?: number
  /** The temporary file is named after the file, with this suffix. An existing file of that name is removed. */
  readonly suffix?: string
}

/** Replaces the content of a file with `text`, as `replacementOf` does. */
export async function replaceFile(path: string, text: string, options: ReplaceOptions = {}): Promise<void> {
  const replacement = replacementOf(path, options)
  try {
    await replacement.write(text)
    await replacement.commit()
  } catch (error) {
    await replacement.discard()
    throw error
  }
}

/**
 * Returns a replacement for the file, or for its target if it is a link. The new content goes to a temporary file in the same folder,
 * which gets the file's mode and, if permitted, its owner. Nothing is created before the first write or commit. Pipes and devices
 * can't be replaced: the text goes straight to them.
 */
export function replacementOf(path: string, options: ReplaceOptions = {}): Replacement {
  let opening: Promise<Target> | undefined
  const target = () => {
    opening ??= openTarget(path, options)
    return opening
  }
  return {
    async write(text) {
      await (await target()).handle.writeFile(text)
    },
    async commit() {
      const { handle, file, temporary } = await target()
      if (temporary !== undefined) await handle.sync()
      await handle.close()
      if (temporary !== undefined) await promises.rename(temporary, file)
    },
    async discard() {
      const opened = await opening?.catch(() => undefined)
      if (opened === undefined) return
      await opened.handle.close()
      if (opened.temporary !== undefined) await promises.rm(opened.temporary, { force: true })
    },
  }
}

interface Target {
  readonly handle: FileHandle
  readonly file: string
  /** The path of the temporary file; undefined if `handle` writes to `file` itself. */
  readonly temporary: string | undefined
}

async function openTarget(path: string, options: ReplaceOptions): Promise<Target> {
  const { newMode = 0o666, suffix = `.${crypto.randomUUID()}.tmp` } = options
  const old = await promises.stat(path).catch(() => undefined)
  if (old !== undefined && !old.isFile())
    return { handle: await promises.open(path, "w"), file: path, temporary: undefined }
  const file = await promises.realpath(path).catch(() => path)
  const temporary = `${file}${suffix}`
  await promises.rm(temporary, { force: true })
  // "x" fails, instead of following it, if somebody creates a link here at this moment.
  const handle = await promises.open(temporary, "wx", old === undefined ? newMode : 0o600)
  if (old !== undefined) {
    await handle.chown(old.uid, old.gid).catch(() => undefined)
    await handle.chmod(old.mode & 0o777)
  }
  return { handle, file, temporary }
}
