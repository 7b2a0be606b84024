/** Where the unions that Kubernetes' Go types declare differ from those of the bundled table, and why. Each pattern has to match some. */
export const expectedUnions: readonly { readonly reason: string; readonly types: readonly RegExp[] }[] = [
  {
    reason: "no union markers in Go: the table has what validation does, written by hand",
    types: [
      /admissionregistration\.\w+\.(ParamRef|WebhookClientConfig)$/,
      /apiextensions\.\w+\.(CustomResourceConversion|WebhookClientConfig)$/,
      /(apps|extensions)\.\w+\.(DaemonSetUpdate|Deployment|StatefulSetUpdate)Strategy$/,
      /autoscaling\.v2\.Metric(Spec|Status)$/,
      /batch\.v1\.PodFailurePolicyRule$/,
      /core\.v1\.(ClusterTrustBundleProjection|ContainerState|DownwardAPIVolumeFile|EnvFromSource|EnvVar|EnvVarSource)$/,
      /core\.v1\.(FCVolumeSource|FlockerVolumeSource|LifecycleHandler|PersistentVolumeSpec|PodResourceClaim|Probe)$/,
      /core\.v1\.(ServiceSpec|Volume|VolumeMount|VolumeProjection)$/,
      /networking\.\w+\.(IngressBackend|IngressClassParametersReference|ServiceBackendPort)$/,
      /policy\.\w+\.PodDisruptionBudgetSpec$/,
      /storage\.\w+\.VolumeAttachmentSource$/,
    ],
  },
  {
    reason: "+oneOf=... is a remark that no generator reads, and does not say whether one is required",
    types: [
      /resource\.\w+\.(BasicDevice|CapacityRequestPolicy|Device|DeviceConstraint|DeviceRequest|DeviceSubRequest)$/,
      /resource\.\w+\.(ExactDeviceRequest|ResourceSliceSpec)$/,
    ],
  },
  {
    reason:
      "the +union of 2019 takes Go names for values, which these discriminators can't have; it is left out with a warning",
    types: [/core\.v1\.(AppArmorProfile|SeccompProfile)$/, /flowcontrol\.\w+\.LimitResponse$/],
  },
  {
    reason: "+unionDiscriminator alone declares no union",
    types: [/admissionregistration\.\w+\.Mutation$/],
  },
  {
    reason: "2019 has no optional members: `exempt` may be absent while it is selected",
    types: [/flowcontrol\.\w+\.PriorityLevelConfigurationSpec$/],
  },
  {
    reason: "2019 says that at most one is set where there is no discriminator; validation requires one",
    types: [/core\.v1\.PodSchedulingGroup$/],
  },
]
