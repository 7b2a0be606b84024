// How a file is replaced as a whole: whoever reads it, even after a crash, finds its old content or its new one.
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises"

/** New content for a file, which takes the place of the old one when it is complete. */
export interface Replacement {
  write(text: string): Promise<void>
  /** Puts the new content in place. */
  commit(): Promise<void>
  /** Leaves the file as it was. */
  discard(): Promise<void>
}

export interface ReplaceOptions {
  /** The mode of a file that is new; what the umask allows if not given. */
  readonly newMode?: number
  /** What the name of the temporary file ends with, after the name of the file. An old file of this name is removed. */
  readonly suffix?: string
}

/** Replaces the content of a file by `text`, as `replacementOf` does. */
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
 * A replacement for the file, or for the file to which a link leads. It is written beside the file, under another name, and gets the
 * file's mode and, if that is allowed, its owner. Nothing is created before the first text is written or the replacement committed. A
 * pipe or a device can't be replaced: the text goes straight to it.
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
      if (temporary !== undefined) await rename(temporary, file)
    },
    async discard() {
      const opened = await opening?.catch(() => undefined)
      if (opened === undefined) return
      await opened.handle.close()
      if (opened.temporary !== undefined) await rm(opened.temporary, { force: true })
    },
  }
}

interface Target {
  readonly handle: FileHandle
  readonly file: string
  /** The file that `handle` writes to; undefined if it is `file` itself. */
  readonly temporary: string | undefined
}

async function openTarget(path: string, options: ReplaceOptions): Promise<Target> {
  const { newMode = 0o666, suffix = `.${crypto.randomUUID()}.tmp` } = options
  const old = await stat(path).catch(() => undefined)
  if (old !== undefined && !old.isFile()) return { handle: await open(path, "w"), file: path, temporary: undefined }
  const file = await realpath(path).catch(() => path)
  const temporary = `${file}${suffix}`
  await rm(temporary, { force: true })
  // With "x", a link that somebody puts there in this moment is not followed.
  const handle = await open(temporary, "wx", old === undefined ? newMode : 0o600)
  if (old !== undefined) {
    await handle.chown(old.uid, old.gid).catch(() => undefined)
    await handle.chmod(old.mode & 0o777)
  }
  return { handle, file, temporary }
}
