// The live objects of commands such as `blame`: from files, or from a cluster.
import { type FilesArguments, type ObjectDocument, readFiles, readObjects } from "./application.js"
import { mayNameObjects, namedObjects } from "./cluster-operands.js"
import { type LiveObjectValues, namesCluster } from "./cluster-options.js"
import { InputError } from "./document.js"
import type { Input } from "./input.js"
import { UsageError } from "./options.js"

/** The operands and options of a command that reads live objects. */
export type LiveObjectArguments = Pick<FilesArguments, "operands"> & Partial<FilesArguments> & LiveObjectValues

/** Whether the live objects come from a cluster: an option says so, or the operands are not files. */
export async function readsCluster(args: LiveObjectArguments, input: Input): Promise<boolean> {
  if (namesCluster(args)) return true
  if ((args.filename ?? []).length > 0 || !mayNameObjects(args.operands)) return false
  for (const operand of args.operands) if (await input.isFileOrFolder(operand)) return false
  return true
}

/** Reads the live objects that operands and `--filename` name. `operand` is the word for an operand in messages. */
export async function readLiveObjects(
  args: LiveObjectArguments & FilesArguments,
  input: Input,
  operand: string,
): Promise<readonly ObjectDocument[]> {
  if (!(await readsCluster(args, input))) return await readObjects(args, input, operand)
  const { operands, filename } = args
  if (filename.length > 0 && operands.length > 0) {
    throw new UsageError("give either the names of objects or --filename, not both")
  }
  const configs = await readFiles(filename, args.recursive, input)
  const cluster = await openFor(args, input)
  if (filename.length === 0) {
    const found = await cluster.objects(namedObjects(operands, args), args)
    if (found.length === 0 && !cluster.isIncomplete) input.remark("cluster: no objects found\n")
    return listed(found)
  }
  const found = await cluster.liveOf(configs, args.namespace)
  found.forEach(({ live, isUnknown }, i) => {
    if (live === undefined && !isUnknown) cluster.reportMissing(configs[i]?.at([]) ?? "")
  })
  return listed(found.flatMap(({ live }) => live ?? []))
}

/** Connects to the cluster. If only the operands say that there is one, the InputError says so. */
export async function openFor(args: LiveObjectArguments, input: Input) {
  try {
    return await input.openCluster(args)
  } catch (error) {
    if (!(error instanceof InputError) || namesCluster(args)) throw error
    throw new InputError([`${args.operands[0]}: no such file`, ...error.problems])
  }
}

function listed<T extends object>(documents: readonly T[]): readonly (T & { readonly listed: boolean })[] {
  return documents.map(document => ({ ...document, listed: true }))
}
