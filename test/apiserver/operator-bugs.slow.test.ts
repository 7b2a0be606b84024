/** Faults find two known bugs of operators again: some seeds make each bug show, and none does so with the fix. */
import { expect, it } from "vitest"
import { type ApiServer, createApiServer, type FaultRule, type ObjectHeader } from "../../src/apiserver/index.js"
import { cassandraOperator, claimOf, definitions, type Operator, zookeeperOperator } from "./operators.js"

/** Anything that may happen to an operator, and nothing that was made for one of the two. */
const faults: readonly FaultRule[] = [
  ...[2, 4, 6, 8].map((staleList): FaultRule => ({ match: { verb: "list", chance: 0.15 }, inject: { staleList } })),
  { match: { verb: "watch", chance: 0.15 }, inject: { expired: 0 } },
  { match: { verb: "watch", chance: 0.3 }, inject: { dropWatch: 1 } },
  { match: { verb: "list", chance: 0.2 }, inject: { status: 429, retryAfter: 1 } },
  { match: { verb: ["create", "update", "delete"], chance: 0.1 }, inject: { status: 500 } },
  { match: { verb: ["create", "update", "delete"], chance: 0.1 }, inject: { truncateBody: 10 } },
  { match: { chance: 0.02 }, inject: { restart: 2000 } },
]

/** Lets the operator work for some rounds, three seconds apart, and the cluster release deleted claims. */
async function work(server: ApiServer, { round }: Operator, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    await round()
    for (const claim of await claimsOf(server)) {
      if (claim.metadata.deletionTimestamp !== undefined) await server.patch(claim, { metadata: { finalizers: null } })
    }
    server.clock.advance(3000)
  }
}

type Claim = ObjectHeader & {
  readonly metadata: { readonly labels?: { readonly uid?: string }; readonly deletionTimestamp?: string }
}
const claimsOf = (server: ApiServer) => {
  return server.list<Claim>({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: {} })
}

/** A cluster is created, deleted, and created again; then the operator restarts. Returns whether a claim of the second cluster was deleted. */
async function losesData(server: ApiServer, isFixed: boolean): Promise<boolean> {
  const cluster = {
    apiVersion: "example.com/v1",
    kind: "ZookeeperCluster",
    metadata: { name: "zk" },
    spec: { replicas: 2 },
  }
  let operator = zookeeperOperator(server, isFixed)
  await server.create(cluster)
  await work(server, operator, 5)
  await server.delete(cluster)
  await work(server, operator, 5)
  if ((await server.list(cluster)).length > 0) return false
  const { metadata } = await server.create(cluster)
  const own = async () => (await claimsOf(server)).filter(({ metadata: { labels } }) => labels?.uid === metadata.uid)
  await work(server, operator, 5)
  const uids = (await own()).map(({ metadata }) => metadata.uid)
  operator = zookeeperOperator(server, isFixed)
  await work(server, operator, 4)
  const left = (await own()).map(({ metadata }) => metadata.uid)
  return !uids.every(uid => left.includes(uid))
}

/** A datacenter shrinks from two nodes to one. Returns whether the claim of the pod that is gone stays, even long after the last fault. */
async function leavesClaim(server: ApiServer, isFixed: boolean): Promise<boolean> {
  const datacenter = {
    apiVersion: "example.com/v1",
    kind: "CassandraDatacenter",
    metadata: { name: "ca" },
    spec: { nodes: 2 },
  }
  const spec = { nodeName: "n1", containers: [{ name: "cassandra", image: "cassandra" }] }
  const podOf = (i: number) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: `ca-${i}` }, spec })
  const operator = cassandraOperator(server, isFixed)
  await server.create(datacenter)
  for (const i of [0, 1]) {
    await server.create(claimOf(`data-ca-${i}`, { app: "ca" }))
    await server.create(podOf(i))
  }
  await work(server, operator, 4)
  await server.patch(datacenter, { spec: { nodes: 1 } })
  await server.delete(podOf(1), { gracePeriodSeconds: 30 })
  await work(server, operator, 1)
  await server.delete(podOf(1), { gracePeriodSeconds: 0 })
  await work(server, operator, 4)
  server.setFaults([])
  await work(server, operator, 4)
  const names = (await claimsOf(server)).map(({ metadata }) => metadata.name)
  expect(names).toContain("data-ca-0")
  return names.includes("data-ca-1")
}

it.each([
  ["pravega/zookeeper-operator#312: stale state deletes the data of a new cluster", losesData, [1, 11]],
  ["instaclustr/cassandra-operator#398: a missed event leaves a volume behind", leavesClaim, [5, 10]],
] as const)("finds %s", async (_, fails, seeds) => {
  const failing = async (isFixed: boolean, options: object, last = 12) => {
    const found: number[] = []
    for (let seed = 1; seed <= last; seed++) {
      if (await fails(createApiServer({ seed, crds: definitions, ...options }), isFixed)) found.push(seed)
    }
    return found
  }
  expect(await failing(false, { faults })).toEqual(seeds)
  expect(await failing(true, { faults })).toEqual([])
  expect(await failing(false, {}, 1)).toEqual([])
})
