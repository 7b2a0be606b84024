// The faults of a server: its rules, the log of what they have done, and the address at which clients can change them. The code that injects
// faults is loaded with the first rules.

import { parseYaml } from "../io/yaml.js"
import { methodNotAllowed } from "../kinds/refusal/failure.js"
import type { MapValue } from "../value/value.js"
import type { FaultInjector, FaultyServer, InjectedFault } from "./faults/injector.js"
import { type FaultRule, readFaults } from "./faults/rules.js"
import { readText } from "./request/body.js"
import type { ServerRequest } from "./request/request.js"

/** The address of the rules, if the server was created with the option `faults`. No path of Kubernetes begins like this. */
const faultsPath = "/structured-merge-diff/faults"

/** The rules of one server, and what they have done. */
export class Faults {
  readonly log: InjectedFault[] = []
  private readonly server: FaultyServer
  /** Whether clients may read and change the rules. */
  private readonly isOpen: boolean
  private rules: readonly FaultRule[]
  private before: FaultInjector | undefined
  private injector: FaultInjector | undefined

  /** Throws a StructuredMergeError for rules that are not right. Continues with the rules and counts of `from`, if it is given. */
  constructor(server: FaultyServer, rules: readonly FaultRule[] | undefined, from?: Faults) {
    this.server = server
    this.isOpen = rules !== undefined
    this.rules = from?.rules ?? readFaults({ faults: rules ?? [] })
    this.before = from?.injector ?? from?.before
  }

  /** Replaces all rules. Their counts begin at 0. Throws a StructuredMergeError for rules that are not right. */
  set(rules: readonly FaultRule[]): void {
    this.rules = readFaults({ faults: rules })
    this.close()
    this.before = undefined
    this.injector = undefined
  }

  /** Ends all latencies and restarts now. */
  close(): void {
    this.injector?.close()
  }

  /** Returns the injector; undefined without rules. Once it is loaded, this returns no promise. */
  load(): FaultInjector | undefined | Promise<FaultInjector | undefined> {
    return this.rules.length === 0 || this.injector !== undefined ? this.injector : this.create()
  }

  private async create(): Promise<FaultInjector | undefined> {
    const { FaultInjector } = await import("./faults/injector.js")
    // Another request may have created it, and the rules may have changed.
    if (this.rules.length === 0) return undefined
    return (this.injector ??= new FaultInjector(this.rules, this.server, this.log, this.before))
  }

  /** Whether a request is for the address of the rules. */
  isFor({ path }: ServerRequest): boolean {
    return this.isOpen && path === faultsPath
  }

  /** Answers a request for the rules: GET returns them with the log, PUT replaces them, DELETE removes them. */
  async answer(request: ServerRequest): Promise<MapValue> {
    if (request.method === "DELETE") this.set([])
    else if (request.method === "PUT") this.set(readFaults(parseYaml(await readText(request))))
    else if (request.method !== "GET") throw methodNotAllowed()
    return { faults: this.rules, injected: this.log } as unknown as MapValue
  }
}
