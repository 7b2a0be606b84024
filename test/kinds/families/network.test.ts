/** The rules of networking.k8s.io, with the messages of Kubernetes' validation. */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { problemsOf } from "../problems.js"

const notNetwork = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
const subset = "must be a strict subset of `cidr`"

describe("NetworkPolicy", () => {
  const portRange = "must be between 1 and 65535, inclusive"
  const protocols = 'supported values: "TCP", "UDP", "SCTP"'
  it.each<[MapValue, string[]]>([
    [{ port: 80, endPort: 80 }, []],
    [{ port: 80, endPort: 81, protocol: "UDP" }, []],
    [{ port: 80, endPort: 79 }, ["endPort: Invalid value: 79: must be greater than or equal to `port`"]],
    [{ port: 80, endPort: 65536 }, [`endPort: Invalid value: 65536: ${portRange}`]],
    [{ port: 0 }, [`port: Invalid value: 0: ${portRange}`]],
    [{ endPort: 80 }, ["endPort: Invalid value: 80: may not be specified when `port` is not specified"]],
    [{ port: "http" }, []],
    [{ port: "http", endPort: 80 }, ["endPort: Invalid value: 80: may not be specified when `port` is non-numeric"]],
    [{ port: "80" }, ['port: Invalid value: "80": must contain at least one letter (a-z)']],
    [{ port: 80, protocol: "ICMP" }, [`protocol: Unsupported value: "ICMP": ${protocols}`]],
  ])("may have the port %j", (port, problems) => {
    const expected = (rule: string) => problems.map(problem => `spec.${rule}[0].ports[0].${problem}`)
    const rule = { ports: [{ protocol: "TCP", ...port }] }
    expect(problemsOf("networking.k8s.io/NetworkPolicy", { spec: { ingress: [rule] } })).toEqual(expected("ingress"))
    expect(problemsOf("networking.k8s.io/NetworkPolicy", { spec: { egress: [rule] } })).toEqual(expected("egress"))
  })

  it.each<[MapValue, string[]]>([
    [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }, []],
    [
      { ipBlock: { cidr: "10.0.0.0/8", except: ["10.0.0.0/8", "11.0.0.0/16"] } },
      [
        `.ipBlock.except[0]: Invalid value: "10.0.0.0/8": ${subset}`,
        `.ipBlock.except[1]: Invalid value: "11.0.0.0/16": ${subset}`,
      ],
    ],
    [{ ipBlock: { cidr: "10.0.0.0/33" } }, [`.ipBlock.cidr: Invalid value: "10.0.0.0/33": ${notNetwork}`]],
    [{ ipBlock: { cidr: "10.0.0.0/8", except: ["x"] } }, [`.ipBlock.except[0]: Invalid value: "x": ${notNetwork}`]],
    [{ podSelector: {} }, []],
    [{ podSelector: {}, namespaceSelector: {} }, []],
    [
      { podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } },
      [": Forbidden: may not specify both ipBlock and another peer"],
    ],
    [{}, [": Required value: must specify a peer"]],
  ])("may have the peer %j", (peer, problems) => {
    const found = problemsOf("networking.k8s.io/NetworkPolicy", { spec: { ingress: [{ from: [peer] }] } })
    expect(found).toEqual(problems.map(problem => `spec.ingress[0].from[0]${problem}`))
  })

  it("keeps networks that it has, though they are wrong", () => {
    const policy = (cidr: string, except: string) => ({
      spec: { egress: [{ to: [{ ipBlock: { cidr, except: [except] } }] }] },
    })
    const stored = policy("010.0.0.0/8", "010.1.0.0/16")
    expect(problemsOf("networking.k8s.io/NetworkPolicy", stored, stored)).toEqual([])
    expect(problemsOf("networking.k8s.io/NetworkPolicy", policy("011.0.0.0/8", ""), stored)).toEqual([
      `spec.egress[0].to[0].ipBlock.cidr: Invalid value: "011.0.0.0/8": ${notNetwork}`,
    ])
  })

  it.each<[string[], string[]]>([
    [["Ingress", "Egress"], []],
    [["Both"], ['spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"']],
    [
      ["Ingress", "Egress", "Egress"],
      ['spec.policyTypes: Invalid value: ["Ingress","Egress","Egress"]: may not specify more than two policyTypes'],
    ],
  ])("may have the types %j", (policyTypes, problems) => {
    expect(problemsOf("networking.k8s.io/NetworkPolicy", { spec: { policyTypes } })).toEqual(problems)
  })
})

describe("Ingress", () => {
  it("has rules or a default backend", () => {
    expect(problemsOf("networking.k8s.io/Ingress", { spec: { tls: [] } })).toEqual([
      "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified",
    ])
    expect(problemsOf("networking.k8s.io/Ingress", { spec: { rules: [] } })).toEqual([
      "spec: Invalid value: []: either `defaultBackend` or `rules` must be specified",
    ])
  })
})

describe("IngressClass", () => {
  const scopes = 'supported values: "Cluster", "Namespace"'
  it.each<[MapValue, string[]]>([
    [{ kind: "A", name: "a", scope: "Cluster" }, []],
    [{ kind: "A", name: "a", scope: "Namespace", namespace: "b" }, []],
    [
      { kind: "A", name: "a", scope: "Cluster", namespace: "b" },
      ["namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
    ],
    [
      { kind: "A", name: "a", scope: "Namespace" },
      ["namespace: Required value: `parameters.scope` is set to 'Namespace'"],
    ],
    [{ kind: "A", name: "a", scope: "All" }, [`scope: Unsupported value: "All": ${scopes}`]],
    [{ kind: "A/B", name: "a", scope: "Cluster" }, ["kind: Invalid value: \"A/B\": may not contain '/'"]],
  ])("may have the parameters %j", (parameters, problems) => {
    const spec = { controller: "example.com/c", parameters }
    expect(problemsOf("networking.k8s.io/IngressClass", { spec })).toEqual(
      problems.map(problem => `spec.parameters.${problem}`),
    )
  })

  it("keeps its controller, which has at most 250 bytes", () => {
    const of = (length: number) => ({ spec: { controller: `example.com/${"c".repeat(length - 12)}` } })
    expect(problemsOf("networking.k8s.io/IngressClass", of(250))).toEqual([])
    expect(problemsOf("networking.k8s.io/IngressClass", of(251))).toEqual([
      "spec.controller: Too long: may not be more than 250 bytes",
    ])
    expect(problemsOf("networking.k8s.io/IngressClass", of(20), of(20))).toEqual([])
    expect(problemsOf("networking.k8s.io/IngressClass", of(20), of(21))).toEqual([
      'spec.controller: Invalid value: "example.com/cccccccc": field is immutable',
    ])
  })
})

describe("ServiceCIDR", () => {
  const oneOfEach = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
  const [four, other, six] = ["10.0.0.0/8", "10.1.0.0/16", "fd00::/64"]
  const mixed = `${JSON.stringify([four, other])}: ${oneOfEach}`
  it.each<[string[] | undefined, string[], string[]]>([
    [undefined, [four], []],
    [undefined, [four, six], []],
    [undefined, [], ["spec.cidrs: Required value: at least one CIDR required"]],
    [undefined, [four, other], [`spec.cidrs: Invalid value: ${mixed}`]],
    [undefined, ["10"], [`spec.cidrs[0]: Invalid value: "10": ${notNetwork}`]],
    [
      undefined,
      [four, six, other],
      [`spec.cidrs: Invalid value: {"CIDRs":${JSON.stringify([four, six, other])}}: may only hold up to 2 values`],
    ],
    [[four], [four], []],
    [[four], [four, six], []],
    [[four], [four, other], [`spec.cidrs: Invalid value: ${mixed}`]],
    [[four], [other], [`spec.cidrs[0]: Invalid value: ${JSON.stringify(other)}: field is immutable`]],
    [[four, six], [four], [`spec.cidrs: Invalid value: ${JSON.stringify([four])}: field is immutable`]],
    // What is stored is not checked again.
    [["10"], ["10"], []],
  ])("with %j may have %j", (before, cidrs, problems) => {
    const old = before && { spec: { cidrs: before } }
    expect(problemsOf("networking.k8s.io/ServiceCIDR", { spec: { cidrs } }, old)).toEqual(problems)
  })
})
