// Written by test/controller/list-keys.test.ts from the bundled schema: the lists of Kubernetes 1.37.2.

/** By the name of a list: a field by which its items are known, and the keys without default that tell them apart. */
export interface ListKeys {
  addresses: { type: "type" }
  allocatedResourcesStatus: { name: "name" }
  claims: { name: "name" }
  compositePodGroupTemplates: { name: "name" }
  conditions: { type: "type" }
  containers: { name: "name" }
  devices: { driver: "driver" | "device" | "pool" | "shareID" }
  drivers: { name: "name" }
  env: { name: "name" }
  ephemeralContainers: { name: "name" }
  evictionResponders: { name: "name" }
  healthConditions: { status: "status" | "reason" }
  hostAliases: { ip: "ip" }
  imagePullSecrets: { name: "name" }
  initContainers: { name: "name" }
  mapping: { name: "name" }
  matchConditions: { name: "name" }
  nodeAllocatableResourceClaimStatuses: { resourceClaimName: "resourceClaimName" }
  overhead: { name: "name" }
  ownerReferences: { uid: "uid" }
  podGroupTemplates: { name: "name" }
  podIPs: { ip: "ip" }
  ports: { containerPort: "containerPort"; nodePort: "port" }
  requesters: { name: "name" }
  reservedFor: { uid: "uid" }
  resourceClaimStatuses: { name: "name" }
  resourceClaims: { name: "name" }
  resources: { resourceID: "resourceID" }
  responders: { name: "name" }
  schedulingGates: { name: "name" }
  secrets: { name: "name" }
  storageHealth: { name: "name" }
  storageVersions: { apiServerID: "apiServerID" }
  targetResponders: { name: "name" }
  topologySpreadConstraints: { topologyKey: "topologyKey" | "whenUnsatisfiable" }
  variables: { name: "name" }
  volumeDevices: { devicePath: "devicePath" }
  volumeHealth: { name: "name" }
  volumeMounts: { mountPath: "mountPath" }
  volumes: { name: "name" }
  webhooks: { name: "name" }
}
