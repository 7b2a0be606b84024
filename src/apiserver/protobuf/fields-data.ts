// Written by oracle/cmd/protobuf-fields: the fields of Kubernetes' built-in types in protobuf and in JSON, taken from k8s.io/api,
// k8s.io/apimachinery, k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator (Apache-2.0).

/** Kinds by version, as src/apiserver/protobuf/message-types.ts reads them. */
export const kindsData = ` DeleteOptions:0
admissionregistration.k8s.io/v1 MutatingAdmissionPolicy:2 MutatingAdmissionPolicyBinding:19 MutatingWebhookConfiguration:22 ValidatingAdmissionPolicy:26 ValidatingAdmissionPolicyBinding:34 ValidatingWebhookConfiguration:36
apiextensions.k8s.io/v1 CustomResourceDefinition:38
apiregistration.k8s.io/v1 APIService:57
apps/v1 ControllerRevision:62 DaemonSet:63 Deployment:178 ReplicaSet:184 StatefulSet:188
authentication.k8s.io/v1 SelfSubjectReview:202 TokenRequest:205 TokenReview:209
authorization.k8s.io/v1 LocalSubjectAccessReview:212 SelfSubjectAccessReview:220 SelfSubjectRulesReview:222 SubjectAccessReview:227
autoscaling/v1 HorizontalPodAutoscaler:228 Scale:232
autoscaling/v2 HorizontalPodAutoscaler:235
batch/v1 CronJob:258 Job:280
certificates.k8s.io/v1 CertificateSigningRequest:284 ClusterTrustBundle:288 PodCertificateRequest:290
coordination.k8s.io/v1 Lease:293
discovery.k8s.io/v1 EndpointSlice:295
events.k8s.io/v1 Event:302
flowcontrol.apiserver.k8s.io/v1 FlowSchema:305 PriorityLevelConfiguration:318
networking.k8s.io/v1 IPAddress:326 Ingress:329 IngressClass:343 NetworkPolicy:346 ServiceCIDR:353
node.k8s.io/v1 RuntimeClass:356
policy/v1 Eviction:359 PodDisruptionBudget:360
rbac.authorization.k8s.io/v1 ClusterRole:363 ClusterRoleBinding:366 Role:369 RoleBinding:370
resource.k8s.io/v1 DeviceClass:371 DeviceTaintRule:378 ResourceClaim:383 ResourceClaimTemplate:402 ResourceSlice:404
scheduling.k8s.io/v1 PriorityClass:418
storage.k8s.io/v1 CSIDriver:419 CSINode:422 CSIStorageCapacity:429 StorageClass:430 VolumeAttachment:433 VolumeAttributesClass:453
storagemigration.k8s.io/v1 StorageVersionMigration:454
v1 Binding:458 ComponentStatus:459 ConfigMap:461 Endpoints:462 Event:466 LimitRange:468 Namespace:471 Node:475 PersistentVolume:494 PersistentVolumeClaim:190 Pod:496 PodTemplate:520 RangeAllocation:521 ReplicationController:522 ResourceQuota:526 Secret:531 Service:532 ServiceAccount:541`

/** Types, a line each, as src/apiserver/protobuf/message-types.ts reads them. */
export const typesData = `1gracePeriodSeconds?*l 2preconditions?*1 3orphanDependents?*b 4propagationPolicy?*s 5dryRun?[s 6ignoreStoreReadErrorWithClusterBreakingPotential?*b
1uid?*s 2resourceVersion?*s
1metadata=3 2spec=6
1name?s 2generateName?s 3namespace?s 4selfLink?s 5uid?s 6resourceVersion?s 7generation?l 8creationTimestamp?T 9deletionTimestamp?*T 10deletionGracePeriodSeconds?*l 11labels?{s 12annotations?{s 13ownerReferences?[4 14finalizers?[s 17managedFields?[5
5apiVersion=s 1kind=s 3name=s 4uid=s 6controller?*b 7blockOwnerDeletion?*b
1manager?s 2operation?s 3apiVersion?s 4time?*T 6fieldsType?s 7fieldsV1?*J 8subresource?s
1paramKind?*7 2matchConstraints?*8 3variables?[14 4mutations?[15 5failurePolicy?*s 6matchConditions?[18 7reinvocationPolicy?s
1apiVersion?s 2kind?s
1namespaceSelector?*9 2objectSelector?*9 3resourceRules?[11 4excludeResourceRules?[11 7matchPolicy?*s
1matchLabels?{s 2matchExpressions?[10
1key=s 2operator=s 3values?[s
1resourceNames?[s 2=12
1operations?[s 2=13
1apiGroups?[s 2apiVersions?[s 3resources?[s 4scope?*s
1name=s 2expression=s
2patchType=s 3applyConfiguration?*16 4jsonPatch?*17
1expression?s
1expression?s
1name=s 2expression=s
1metadata=3 2spec=20
1policyName?s 2paramRef?*21 3matchResources?*8
1name?s 2namespace?s 3selector?*9 4parameterNotFoundAction?*s
1metadata=3 2webhooks?[23
1name=s 2clientConfig=24 3rules?[12 4failurePolicy?*s 9matchPolicy?*s 5namespaceSelector?*9 11objectSelector?*9 6sideEffects=*s 7timeoutSeconds?*i 8admissionReviewVersions=[s 10reinvocationPolicy?*s 12matchConditions?[18
3url?*s 1service?*25 2caBundle?y
1namespace=s 2name=s 3path?*s 4port?*i
1metadata=3 2spec=27 3status=30
1paramKind?*7 2matchConstraints?*8 3validations?[28 4failurePolicy?*s 5auditAnnotations?[29 6matchConditions?[18 7variables?[14
1expression=s 2message?s 3reason?*s 4messageExpression?s
1key=s 2valueExpression=s
1observedGeneration?l 2typeChecking?*31 3conditions?[33
1expressionWarnings?[32
2fieldRef=s 3warning=s
1type=s 2status=s 3observedGeneration?l 4lastTransitionTime=T 5reason=s 6message=s
1metadata=3 2spec=35
1policyName?s 2paramRef?*21 3matchResources?*8 4validationActions?[s
1metadata=3 2webhooks?[37
1name=s 2clientConfig=24 3rules?[12 4failurePolicy?*s 9matchPolicy?*s 5namespaceSelector?*9 10objectSelector?*9 6sideEffects=*s 7timeoutSeconds?*i 8admissionReviewVersions=[s 11matchConditions?[18
1metadata=3 2spec=39 3status=55
1group=s 3names=40 4scope=s 7versions=[41 9conversion?*51 10preserveUnknownFields?b
1plural=s 2singular?s 3shortNames?[s 4kind=s 5listKind?s 6categories?[s
1name=s 2served=b 3storage=b 7deprecated?b 8deprecationWarning?*s 4schema?*42 5subresources?*46 6additionalPrinterColumns?[49 9selectableFields?[50
1openAPIV3Schema?*43
1id?s 2$schema?s 3$ref?*s 4description?s 5type?s 6format?s 7title?s 8default?*J 9maximum?*d 10exclusiveMaximum?b 11minimum?*d 12exclusiveMinimum?b 13maxLength?*l 14minLength?*l 15pattern?s 16maxItems?*l 17minItems?*l 18uniqueItems?b 19multipleOf?*d 20enum?[J 21maxProperties?*l 22minProperties?*l 23required?[s 24items?*A43 25allOf?[43 26oneOf?[43 27anyOf?[43 28not?*43 29properties?{43 30additionalProperties?*B43 31patternProperties?{43 32dependencies?{P43 33additionalItems?*B43 34definitions?{43 35externalDocs?*44 36example?*J 37nullable?b 38x-kubernetes-preserve-unknown-fields?*b 39x-kubernetes-embedded-resource?b 40x-kubernetes-int-or-string?b 41x-kubernetes-list-map-keys?[s 42x-kubernetes-list-type?*s 43x-kubernetes-map-type?*s 44x-kubernetes-validations?[45
1description?s 2url?s
1rule=s 2message?s 3messageExpression?s 4reason?*s 5fieldPath?s 6optionalOldSelf?*b
1status?*47 2scale?*48

1specReplicasPath=s 2statusReplicasPath=s 3labelSelectorPath?*s
1name=s 2type=s 3format?s 4description?s 5priority?i 6jsonPath=s
1jsonPath=s
1strategy=s 2webhook?*52
2clientConfig?*53 3conversionReviewVersions=[s
3url?*s 1service?*54 2caBundle?y
1namespace=s 2name=s 3path?*s 4port?*i
1conditions=[56 2acceptedNames=40 3storedVersions=[s 4observedGeneration?l
1type=s 2status=s 3lastTransitionTime=T 4reason?s 5message?s 6observedGeneration?l
1metadata=3 2spec=58 3status=60
1service?*59 2group?s 3version?s 4insecureSkipTLSVerify?b 5caBundle?y 7groupPriorityMinimum=i 8versionPriority=i
1namespace?s 2name?s 3port?*i
1conditions?[61
1type=s 2status=s 3lastTransitionTime=T 4reason?s 5message?s
1metadata=3 2data=J 3revision=l
1metadata=3 2spec=64 3status=176
1selector=*9 2template=65 3updateStrategy=174 4minReadySeconds?i 6revisionHistoryLimit?*i
1metadata=3 2spec=66
1volumes?[67 20initContainers?[116 2containers=[116 34ephemeralContainers?[149 3restartPolicy?s 4terminationGracePeriodSeconds?*l 5activeDeadlineSeconds?*l 6dnsPolicy?s 7nodeSelector?{s 8serviceAccountName?s 9serviceAccount?s 21automountServiceAccountToken?*b 10nodeName?s 11hostNetwork?b 12hostPID?b 13hostIPC?b 27shareProcessNamespace?*b 14securityContext?*151 15imagePullSecrets?[78 16hostname?s 17subdomain?s 18affinity?*153 19schedulerName?s 22tolerations?[163 23hostAliases?[164 24priorityClassName?s 25priority?*i 26dnsConfig?*165 28readinessGates?[167 29runtimeClassName?*s 30enableServiceLinks?*b 31preemptionPolicy?*s 32overhead?{Q 33topologySpreadConstraints?[168 35setHostnameAsFQDN?*b 36os?*169 37hostUsers?*b 38schedulingGates?[170 39resourceClaims?[171 40resources?*126 41hostnameOverride?*s 43schedulingGroup?*172 44evictionResponders?[173
1name=s 2=68
1hostPath?*69 2emptyDir?*70 3gcePersistentDisk?*71 4awsElasticBlockStore?*72 5gitRepo?*73 6secret?*74 7nfs?*76 8iscsi?*77 9glusterfs?*79 10persistentVolumeClaim?*80 11rbd?*81 12flexVolume?*82 13cinder?*83 14cephfs?*84 15flocker?*85 16downwardAPI?*86 17fc?*90 18azureFile?*91 19configMap?*92 20vsphereVolume?*93 21quobyte?*94 22azureDisk?*95 23photonPersistentDisk?*96 26projected?*97 24portworxVolume?*105 25scaleIO?*106 27storageos?*107 28csi?*108 29ephemeral?*109 30image?*115
1path=s 2type?*s
1medium?s 2sizeLimit?*Q 3mode?*i
1pdName=s 2fsType?s 3partition?i 4readOnly?b
1volumeID=s 2fsType?s 3partition?i 4readOnly?b
1repository=s 2revision?s 3directory?s
1secretName?s 2items?[75 3defaultMode?*i 4optional?*b 5defaultUser?*l
1key=s 2path=s 3mode?*i 4user?*l
1server=s 2path=s 3readOnly?b
1targetPortal=s 2iqn=s 3lun=i 4iscsiInterface?s 5fsType?s 6readOnly?b 7portals?[s 8chapAuthDiscovery?b 11chapAuthSession?b 10secretRef?*78 12initiatorName?*s
1name?s
1endpoints=s 2path=s 3readOnly?b
1claimName=s 2readOnly?b
1monitors=[s 2image=s 3fsType?s 4pool?s 5user?s 6keyring?s 7secretRef?*78 8readOnly?b
1driver=s 2fsType?s 3secretRef?*78 4readOnly?b 5options?{s
1volumeID=s 2fsType?s 3readOnly?b 4secretRef?*78
1monitors=[s 2path?s 3user?s 4secretFile?s 5secretRef?*78 6readOnly?b
1datasetName?s 2datasetUUID?s
1items?[87 2defaultMode?*i 3defaultUser?*l
1path=s 2fieldRef?*88 3resourceFieldRef?*89 4mode?*i 5user?*l
1apiVersion?s 2fieldPath=s
1containerName?s 2resource=s 3divisor=Q
1targetWWNs?[s 2lun?*i 3fsType?s 4readOnly?b 5wwids?[s
1secretName=s 2shareName=s 3readOnly?b
1=78 2items?[75 3defaultMode?*i 4optional?*b 5defaultUser?*l
1volumePath=s 2fsType?s 3storagePolicyName?s 4storagePolicyID?s
1registry=s 2volume=s 3readOnly?b 4user?s 5group?s 6tenant?s
1diskName=s 2diskURI=s 3cachingMode?*s 4fsType?*s 5readOnly?*b 6kind?*s
1pdID=s 2fsType?s
1sources=[98 2defaultMode?*i 3defaultUser?*l
1secret?*99 2downwardAPI?*100 3configMap?*101 4serviceAccountToken?*102 5clusterTrustBundle?*103 6podCertificate?*104
1=78 2items?[75 4optional?*b
1items?[87
1=78 2items?[75 4optional?*b
1audience?s 2expirationSeconds?*l 3path=s 4user?*l
1name?*s 2signerName?*s 3labelSelector?*9 5optional?*b 4path=s 6user?*l
1signerName?s 2keyType?s 3maxExpirationSeconds?*i 4credentialBundlePath?s 5keyPath?s 6certificateChainPath?s 7userAnnotations?{s 8user?*l
1volumeID=s 2fsType?s 3readOnly?b
1gateway=s 2system=s 3secretRef=*78 4sslEnabled?b 5protectionDomain?s 6storagePool?s 7storageMode?s 8volumeName?s 9fsType?s 10readOnly?b
1volumeName?s 2volumeNamespace?s 3fsType?s 4readOnly?b 5secretRef?*78
1driver=s 2readOnly?*b 3fsType?*s 4volumeAttributes?{s 5nodePublishSecretRef?*78
1volumeClaimTemplate?*110
1metadata=3 2spec=111
1accessModes?[s 4selector?*9 2resources=112 3volumeName?s 5storageClassName?*s 6volumeMode?*s 7dataSource?*113 8dataSourceRef?*114 9volumeAttributesClassName?*s
1limits?{Q 2requests?{Q
1apiGroup=*s 2kind=s 3name=s
1apiGroup=*s 2kind=s 3name=s 4namespace?*s
1reference?s 2pullPolicy?s
1name=s 2image?s 3command?[s 4args?[s 5workingDir?s 6ports?[117 19envFrom?[118 7env?[121 8resources=126 23resizePolicy?[128 24restartPolicy?*s 25restartPolicyRules?[129 9volumeMounts?[131 21volumeDevices?[132 10livenessProbe?*133 11readinessProbe?*133 22startupProbe?*133 12lifecycle?*140 13terminationMessagePath?s 20terminationMessagePolicy?s 14imagePullPolicy?s 15securityContext?*143 16stdin?b 17stdinOnce?b 18tty?b
1name?s 2hostPort?i 3containerPort=i 4protocol?s 5hostIP?s
1prefix?s 2configMapRef?*119 3secretRef?*120
1=78 2optional?*b
1=78 2optional?*b
1name=s 2value?s 3valueFrom?*122
1fieldRef?*88 2resourceFieldRef?*89 3configMapKeyRef?*123 4secretKeyRef?*124 5fileKeyRef?*125
1=78 2key=s 3optional?*b
1=78 2key=s 3optional?*b
1volumeName=s 2path=s 3key=s 4optional?*b
1limits?{Q 2requests?{Q 3claims?[127
1name=s 2request?s
1resourceName=s 2restartPolicy=s
1action?s 2exitCodes?*130
1operator?s 2values?[i
1name=s 2readOnly?b 7recursiveReadOnly?*s 3mountPath=s 4subPath?s 5mountPropagation?*s 6subPathExpr?s 8bindMountOptions?[s
1name=s 2devicePath=s
1=134 2initialDelaySeconds?i 3timeoutSeconds?i 4periodSeconds?i 5successThreshold?i 6failureThreshold?i 7terminationGracePeriodSeconds?*l
1exec?*135 2httpGet?*136 3tcpSocket?*138 4grpc?*139
1command?[s
1path?s 2port=I 3host?s 4scheme?s 5httpHeaders?[137 6protocol?*s
1name=s 2value=s
1port=I 2host?s
1port=i 2service=*s 3mode?*s
1postStart?*141 2preStop?*141 3stopSignal?*s
1exec?*135 2httpGet?*136 3tcpSocket?*138 4sleep?*142
1seconds=l
1capabilities?*144 2privileged?*b 3seLinuxOptions?*145 10windowsOptions?*146 4runAsUser?*l 8runAsGroup?*l 5runAsNonRoot?*b 6readOnlyRootFilesystem?*b 7allowPrivilegeEscalation?*b 9procMount?*s 11seccompProfile?*147 12appArmorProfile?*148
1add?[s 2drop?[s
1user?s 2role?s 3type?s 4level?s
1gmsaCredentialSpecName?*s 2gmsaCredentialSpec?*s 3runAsUserName?*s 4hostProcess?*b
1type=s 2localhostProfile?*s
1type=s 2localhostProfile?*s
1=150 2targetContainerName?s
1name=s 2image?s 3command?[s 4args?[s 5workingDir?s 6ports?[117 19envFrom?[118 7env?[121 8resources=126 23resizePolicy?[128 24restartPolicy?*s 25restartPolicyRules?[129 9volumeMounts?[131 21volumeDevices?[132 10livenessProbe?*133 11readinessProbe?*133 22startupProbe?*133 12lifecycle?*140 13terminationMessagePath?s 20terminationMessagePolicy?s 14imagePullPolicy?s 15securityContext?*143 16stdin?b 17stdinOnce?b 18tty?b
1seLinuxOptions?*145 8windowsOptions?*146 2runAsUser?*l 6runAsGroup?*l 3runAsNonRoot?*b 4supplementalGroups?[l 12supplementalGroupsPolicy?*s 5fsGroup?*l 7sysctls?[152 9fsGroupChangePolicy?*s 10seccompProfile?*147 11appArmorProfile?*148 13seLinuxChangePolicy?*s
1name=s 2value=s
1nodeAffinity?*154 2podAffinity?*159 3podAntiAffinity?*162
1requiredDuringSchedulingIgnoredDuringExecution?*155 2preferredDuringSchedulingIgnoredDuringExecution?[158
1nodeSelectorTerms=[156
1matchExpressions?[157 2matchFields?[157
1key=s 2operator=s 3values?[s
1weight=i 2preference=156
1requiredDuringSchedulingIgnoredDuringExecution?[160 2preferredDuringSchedulingIgnoredDuringExecution?[161
1labelSelector?*9 2namespaces?[s 3topologyKey=s 4namespaceSelector?*9 5matchLabelKeys?[s 6mismatchLabelKeys?[s
1weight=i 2podAffinityTerm=160
1requiredDuringSchedulingIgnoredDuringExecution?[160 2preferredDuringSchedulingIgnoredDuringExecution?[161
1key?s 2operator?s 3value?s 4effect?s 5tolerationSeconds?*l
1ip=s 2hostnames?[s
1nameservers?[s 2searches?[s 3options?[166
1name?s 2value?*s
1conditionType=s
1maxSkew=i 2topologyKey=s 3whenUnsatisfiable=s 4labelSelector?*9 5minDomains?*i 6nodeAffinityPolicy?*s 7nodeTaintsPolicy?*s 8matchLabelKeys?[s
1name=s
1name=s
1name=s 3resourceClaimName?*s 4resourceClaimTemplateName?*s
1podGroupName?*s
1name=s 2priority=*i
1type?s 2rollingUpdate?*175
1maxUnavailable?*I 2maxSurge?*I
1currentNumberScheduled=i 2numberMisscheduled=i 3desiredNumberScheduled=i 4numberReady=i 5observedGeneration?l 6updatedNumberScheduled?i 7numberAvailable?i 8numberUnavailable?i 9collisionCount?*i 10conditions?[177
1type=s 2status=s 3lastTransitionTime=T 4reason?s 5message?s
1metadata=3 2spec=179 3status=182
1replicas?*i 2selector=*9 3template=65 4strategy=180 5minReadySeconds?i 6revisionHistoryLimit?*i 7paused?b 9progressDeadlineSeconds?*i
1type?s 2rollingUpdate?*181
1maxUnavailable?*I 2maxSurge?*I
1observedGeneration?l 2replicas?i 3updatedReplicas?i 7readyReplicas?i 4availableReplicas?i 5unavailableReplicas?i 9terminatingReplicas?*i 6conditions?[183 8collisionCount?*i
1type=s 2status=s 6lastUpdateTime=T 7lastTransitionTime=T 4reason?s 5message?s
1metadata=3 2spec=185 3status=186
1replicas?*i 4minReadySeconds?i 2selector=*9 3template=65
1replicas=i 2fullyLabeledReplicas?i 4readyReplicas?i 5availableReplicas?i 7terminatingReplicas?*i 3observedGeneration?l 6conditions?[187
1type=s 2status=s 3lastTransitionTime=T 4reason?s 5message?s
1metadata=3 2spec=189 3status=200
1replicas?*i 2selector=*9 3template=65 4volumeClaimTemplates?[190 5serviceName=s 6podManagementPolicy?s 7updateStrategy=196 8revisionHistoryLimit?*i 9minReadySeconds?i 10persistentVolumeClaimRetentionPolicy?*198 11ordinals?*199
1metadata=3 2spec=111 3status=191
1phase?s 2accessModes?[s 3capacity?{Q 4conditions?[192 5allocatedResources?{Q 7allocatedResourceStatuses?{s 8currentVolumeAttributesClassName?*s 9modifyVolumeStatus?*193 10healthStatus?*194
1type=s 2status=s 3lastProbeTime=T 4lastTransitionTime=T 5reason?s 6message?s
1targetVolumeAttributesClassName?s 2status=s
1healthConditions?[195 2lastTransitionTime=T
1status=s 2reason=s 3message?s
1type?s 2rollingUpdate?*197
1partition?*i 2maxUnavailable?*I
1whenDeleted?s 2whenScaled?s
1start=i
1observedGeneration?l 2replicas=i 3readyReplicas?i 4currentReplicas?i 5updatedReplicas?i 6currentRevision?s 7updateRevision?s 9collisionCount?*i 10conditions?[201 11availableReplicas=i
1type=s 2status=s 3lastTransitionTime=T 4reason?s 5message?s
1metadata=3 2status=203
1userInfo=204
1username?s 2uid?s 3groups?[s 4extra?{(s
1metadata=3 2spec=206 3status=208
1audiences=[s 4expirationSeconds=*l 3boundObjectRef=*207 5attestations?{(s
1kind?s 2apiVersion?s 3name?s 4uid?s
1token=s 2expirationTimestamp=T
1metadata=3 2spec=210 3status=211
1token?s 2audiences?[s
1authenticated?b 2user=204 4audiences?[s 3error?s
1metadata=3 2spec=213 3status=219
1resourceAttributes?*214 2nonResourceAttributes?*218 3user?s 4groups?[s 5extra?{(s 6uid?s
1namespace?s 2verb?s 3group?s 4version?s 5resource?s 6subresource?s 7name?s 8fieldSelector?*215 9labelSelector?*217
1rawSelector?s 2requirements?[216
1key=s 2operator=s 3values?[s
1rawSelector?s 2requirements?[10
1path?s 2verb?s
1allowed=b 4denied?b 2reason?s 3evaluationError?s
1metadata=3 2spec=221 3status=219
1resourceAttributes?*214 2nonResourceAttributes?*218
1metadata=3 2spec=223 3status=224
1namespace?s
1resourceRules=[225 2nonResourceRules=[226 3incomplete=b 4evaluationError?s
1verbs=[s 2apiGroups?[s 3resources?[s 4resourceNames?[s
1verbs=[s 2nonResourceURLs?[s
1metadata=3 2spec=213 3status=219
1metadata=3 2spec=229 3status=231
1scaleTargetRef=230 2minReplicas?*i 3maxReplicas=i 4targetCPUUtilizationPercentage?*i
1kind=s 2name=s 3apiVersion?s
1observedGeneration?*l 2lastScaleTime?*T 3currentReplicas=i 4desiredReplicas=i 5currentCPUUtilizationPercentage?*i
1metadata=3 2spec=233 3status=234
1replicas?i
1replicas=i 2selector?s
1metadata=3 2spec=236 3status=249
1scaleTargetRef=237 2minReplicas?*i 3maxReplicas=i 4metrics?[238 5behavior?*246
1kind=s 2name=s 3apiVersion?s
1type=s 2object?*239 3pods?*242 4resource?*243 7containerResource?*244 5external?*245
1describedObject=237 2target=240 3metric=241
1type=s 2value?*Q 3averageValue?*Q 4averageUtilization?*i
1name=s 2selector?*9
1metric=241 2target=240
1name=s 2target=240
1name=s 2target=240 3container=s
1metric=241 2target=240
1scaleUp?*247 2scaleDown?*247
3stabilizationWindowSeconds?*i 1selectPolicy?*s 2policies?[248 4tolerance?*Q
1type=s 2value=i 3periodSeconds=i
1observedGeneration?*l 2lastScaleTime?*T 3currentReplicas?i 4desiredReplicas=i 5currentMetrics=[250 6conditions?[257
1type=s 2object?*251 3pods?*253 4resource?*254 7containerResource?*255 5external?*256
1metric=241 2current=252 3describedObject=237
1value?*Q 2averageValue?*Q 3averageUtilization?*i
1metric=241 2current=252
1name=s 2current=252
1name=s 2current=252 3container=s
1metric=241 2current=252
1type=s 2status=s 3lastTransitionTime=T 4reason?s 5message?s 6observedGeneration?*l
1metadata=3 2spec=259 3status=278
1schedule=s 8timeZone?*s 2startingDeadlineSeconds?*l 3concurrencyPolicy?s 4suspend?*b 5jobTemplate=260 6successfulJobsHistoryLimit?*i 7failedJobsHistoryLimit?*i
1metadata=3 2spec=261
1parallelism?*i 2completions?*i 3activeDeadlineSeconds?*l 11podFailurePolicy?*262 16successPolicy?*266 7backoffLimit?*i 12backoffLimitPerIndex?*i 13maxFailedIndexes?*i 4selector?*9 5manualSelector?*b 6template=65 8ttlSecondsAfterFinished?*i 9completionMode?*s 10suspend?*b 14podReplacementPolicy?*s 15managedBy?*s 17scheduling?*268
1rules=[263
1action=s 2onExitCodes?*264 3onPodConditions?[265
1containerName?*s 2operator=s 3values=[i
1type=s 2status=s
1rules=[267
1succeededIndexes?*s 2succeededCount?*i
1schedulingPolicy?*269 2schedulingConstraints?*272 3disruptionMode?*274 4resourceClaims?[277
1basic?*270 2gang?*271

1minCount?*i
1topology?[273
1key=s
1single?*275 2all?*276


1name=s 2resourceClaimName?*s 3resourceClaimTemplateName?*s
1active?[279 4lastScheduleTime?*T 5lastSuccessfulTime?*T
1kind?s 2namespace?s 3name?s 4uid?s 5apiVersion?s 6resourceVersion?s 7fieldPath?s
1metadata=3 2spec=261 3status=281
1conditions?[282 2startTime?*T 3completionTime?*T 4active?i 5succeeded?i 6failed?i 11terminating?*i 7completedIndexes?s 10failedIndexes?*s 8uncountedTerminatedPods?*283 9ready?*i
1type=s 2status=s 3lastProbeTime=T 4lastTransitionTime=T 5reason?s 6message?s
1succeeded?[s 2failed?[s
1metadata=3 2spec=285 3status=286
1request=y 7signerName=s 8expirationSeconds?*i 5usages?[s 2username?s 3uid?s 4groups?[s 6extra?{(s
1conditions?[287 2certificate?y
1type=s 6status=s 2reason?s 3message?s 4lastUpdateTime=T 5lastTransitionTime=T
1metadata=3 2spec=289
1signerName?s 2trustBundle=s
1metadata=3 2spec=291 3status=292
1signerName=s 2podName=s 3podUID=s 4serviceAccountName=s 5serviceAccountUID=s 6nodeName=s 7nodeUID=s 8maxExpirationSeconds?*i 12stubPKCS10Request=y 11unverifiedUserAnnotations?{s
1conditions?[33 2certificateChain?s 4notBefore?*T 5beginRefreshAt?*T 6notAfter?*T
1metadata=3 2spec=294
1holderIdentity?*s 2leaseDurationSeconds?*i 3acquireTime?*M 4renewTime?*M 5leaseTransitions?*i 6strategy?*s 7preferredHolder?*s
1metadata=3 4addressType=s 2endpoints=[296 3ports=[301
1addresses=[s 2conditions=297 3hostname?*s 4targetRef?*279 5deprecatedTopology?{s 6nodeName?*s 7zone?*s 8hints?*298
1ready?*b 2serving?*b 3terminating?*b
1forZones?[299 2forNodes?[300
1name=s
1name=s
1name?*s 2protocol?*s 3port?*i 4appProtocol?*s
1metadata=3 2eventTime=M 3series?*303 4reportingController?s 5reportingInstance?s 6action?s 7reason?s 8regarding=279 9related?*279 10note?s 11type?s 12deprecatedSource=304 13deprecatedFirstTimestamp=T 14deprecatedLastTimestamp=T 15deprecatedCount?i
1count=i 2lastObservedTime=M
1component?s 2host?s
1metadata=3 2spec=306 3status=316
1priorityLevelConfiguration=307 2matchingPrecedence=i 3distinguisherMethod?*308 4rules?[309
1name=s
1type=s
1subjects=[310 2resourceRules?[314 3nonResourceRules?[315
1kind=s 2user?*311 3group?*312 4serviceAccount?*313
1name=s
1name=s
1namespace=s 2name=s
1verbs=[s 2apiGroups=[s 3resources=[s 4clusterScope?b 5namespaces=[s
1verbs=[s 6nonResourceURLs=[s
1conditions?[317
1type?s 2status?s 3lastTransitionTime=T 4reason?s 5message?s
1metadata=3 2spec=319 3status=324
1type=s 2limited?*320 3exempt?*323
1nominalConcurrencyShares=*i 2limitResponse=321 3lendablePercent?*i 4borrowingLimitPercent?*i
1type=s 2queuing?*322
1queues=i 2handSize=i 3queueLengthLimit=i
1nominalConcurrencyShares?*i 2lendablePercent?*i
1conditions?[325
1type?s 2status?s 3lastTransitionTime=T 4reason?s 5message?s
1metadata=3 2spec=327
1parentRef?*328
1group?s 2resource?s 3namespace?s 4name?s
1metadata=3 2spec=330 3status=339
4ingressClassName?*s 1defaultBackend?*331 2tls?[334 3rules?[335
4service?*332 3resource?*113
1name=s 2port=333
1name?s 2number?i
1hosts?[s 2secretName?s
1host?s 2=336
1http?*337
1paths=[338
1path?s 3pathType=*s 2backend=331
1loadBalancer=340
1ingress?[341
1ip?s 2hostname?s 4ports?[342
1port=i 2protocol=s 3error?*s
1metadata=3 2spec=344
1controller?s 2parameters?*345
1apiGroup?*s 2kind=s 3name=s 4scope=*s 5namespace?*s
1metadata=3 2spec=347
1podSelector=9 2ingress?[348 3egress?[352 4policyTypes?[s
1ports?[349 2from?[350
1protocol?*s 2port?*I 3endPort?*i
1podSelector?*9 2namespaceSelector?*9 3ipBlock?*351
1cidr=s 2except?[s
1ports?[349 2to?[350
1metadata=3 2spec=354 3status=355
1cidrs?[s
1conditions?[33
1metadata=3 2handler=s 3overhead?*357 4scheduling?*358
1podFixed?{Q
1nodeSelector?{s 2tolerations?[163
1metadata=3 2deleteOptions?*0
1metadata=3 2spec=361 3status=362
1minAvailable?*I 2selector?*9 3maxUnavailable?*I 4unhealthyPodEvictionPolicy?*s
1observedGeneration?l 2disruptedPods?{T 3disruptionsAllowed=i 4currentHealthy=i 5desiredHealthy=i 6expectedPods=i 7conditions?[33
1metadata=3 2rules=[364 3aggregationRule?*365
1verbs=[s 2apiGroups?[s 3resources?[s 4resourceNames?[s 5nonResourceURLs?[s
1clusterRoleSelectors?[9
1metadata=3 2subjects?[367 3roleRef=368
1kind=s 2apiGroup?s 3name=s 4namespace?s
1apiGroup=s 2kind=s 3name=s
1metadata=3 2rules=[364
1metadata=3 2subjects?[367 3roleRef=368
1metadata=3 2spec=372
1selectors?[373 2config?[375 4extendedResourceName?*s
1cel?*374
1expression=s
1=376
1opaque?*377
1driver=s 2parameters=J
1metadata=3 2spec=379 3status=382
1deviceSelector?*380 2taint=381
2driver?*s 3pool?*s 4device?*s
1key=s 2value?s 3effect=s 4timeAdded?*T
1conditions?[33
1metadata=3 2spec=384 3status=394
1devices=385
1requests=[386 2constraints?[392 3config?[393
1name=s 2exactly?*387 3firstAvailable?[391
1deviceClassName=s 2selectors?[373 3allocationMode?s 4count?l 5adminAccess?*b 6tolerations?[388 7capacity?*389 8derivedAttributes?[390
1key?s 2operator?s 3value?s 4effect?s 5tolerationSeconds?*l
1requests?{Q
1name=s 2expression=s
1name=s 2deviceClassName=s 3selectors?[373 4allocationMode?s 5count?l 6tolerations?[388 7capacity?*389 8derivedAttributes?[390
1requests?[s 2matchAttribute?*s 3distinctAttribute?*s
1requests?[s 2=376
1allocation?*395 2reservedFor?[399 4devices?[400
1devices=396 3nodeSelector?*155 5allocationTimestamp?*T
1results?[397 2config?[398
1request=s 2driver=s 3pool=s 4device=s 5adminAccess?*b 6tolerations?[388 7bindingConditions?[s 8bindingFailureConditions?[s 9shareID?*s 10consumedCapacity?{Q 11skipNodeOperations?[s
1source=s 2requests?[s 3=376
1apiGroup?s 3resource=s 4name=s 5uid=s
1driver=s 2pool=s 3device=s 7shareID?*s 4conditions=[33 5data?*J 6networkData?*401
1interfaceName?s 2ips?[s 3hardwareAddress?s
1metadata=3 2spec=403
1metadata=3 2spec=384
1metadata=3 2spec=405
1driver=s 2pool=406 3nodeName?*s 4nodeSelector?*155 5allNodes?*b 6devices?[407 7perDeviceNodeSelection?*b 8sharedCounters?[417 9partitionTypeAttribute?*s 10skipNodeOperations?[s
1name=s 2generation=l 3resourceSliceCount=l
1name=s 2attributes?{408 3capacity?{409 4consumesCounters?[412 5nodeName?*s 6nodeSelector?*155 7allNodes?*b 8taints?[381 9bindsToNode?*b 10bindingConditions?[s 11bindingFailureConditions?[s 12allowMultipleAllocations?*b 14nodeAllocatableResources?{414
2int?*l 3bool?*b 4string?*s 5version?*s 6ints?[l 7bools?[b 8strings?[s 9versions?[s
1value=Q 2requestPolicy?*410
1default=*Q 3validValues?[Q 4validRange?*411
1min?*Q 2max?*Q 3step?*Q
1counterSet=s 2counters?{413 3compatibilityGroups?[s
1value=Q
3mapping?*415 4overhead?*416
1capacityKey?*s 2capacityMultiplier?*Q 3deviceMultiplier?*Q
1perPod?*Q 2perContainer?*Q
1name=s 2counters?{413
1metadata=3 2value=i 3globalDefault?b 4description?s 5preemptionPolicy?*s
1metadata=3 2spec=420
1attachRequired?*b 2podInfoOnMount?*b 3volumeLifecycleModes?[s 4storageCapacity?*b 5fsGroupPolicy?*s 6tokenRequests?[421 7requiresRepublish?*b 8seLinuxMount?*b 9nodeAllocatableUpdatePeriodSeconds?*l 10serviceAccountTokenInSecrets?*b 11preventPodSchedulingIfMissing?*b
1audience=s 2expirationSeconds?*l
1metadata=3 2spec=423 3status=426
1drivers=[424
1name=s 2nodeID=s 3topologyKeys=[s 4allocatable?*425
1count?*i
1storageHealth?[427
1name=s 2healthConditions?[428
1status=s 2reason=s 3message?s 4accessMode?*s 5volumeMode?*s 6lastTransitionTime=T
1metadata=3 2nodeTopology?*9 3storageClassName=s 4capacity?*Q 5maximumVolumeSize?*Q
1metadata=3 2provisioner=s 3parameters?{s 4reclaimPolicy?*s 5mountOptions?[s 6allowVolumeExpansion?*b 7volumeBindingMode?*s 8allowedTopologies?[431
1matchLabelExpressions?[432
1key=s 2values=[s
1metadata=3 2spec=434 3status=451
1attacher=s 2source=435 3nodeName=s
1persistentVolumeName?*s 2inlineVolumeSpec?*436
1capacity?{Q 2=437 3accessModes?[s 4claimRef?*279 5persistentVolumeReclaimPolicy?s 6storageClassName?s 7mountOptions?[s 8volumeMode?*s 9nodeAffinity?*450 10volumeAttributesClassName?*s
1gcePersistentDisk?*71 2awsElasticBlockStore?*72 3hostPath?*69 4glusterfs?*438 5nfs?*76 6rbd?*439 7iscsi?*441 8cinder?*442 9cephfs?*443 10fc?*90 11flocker?*85 12flexVolume?*444 13azureFile?*445 14vsphereVolume?*93 15quobyte?*94 16azureDisk?*95 17photonPersistentDisk?*96 18portworxVolume?*105 19scaleIO?*446 20local?*447 21storageos?*448 22csi?*449
1endpoints=s 2path=s 3readOnly?b 4endpointsNamespace?*s
1monitors=[s 2image=s 3fsType?s 4pool?s 5user?s 6keyring?s 7secretRef?*440 8readOnly?b
1name?s 2namespace?s
1targetPortal=s 2iqn=s 3lun=i 4iscsiInterface?s 5fsType?s 6readOnly?b 7portals?[s 8chapAuthDiscovery?b 11chapAuthSession?b 10secretRef?*440 12initiatorName?*s
1volumeID=s 2fsType?s 3readOnly?b 4secretRef?*440
1monitors=[s 2path?s 3user?s 4secretFile?s 5secretRef?*440 6readOnly?b
1driver=s 2fsType?s 3secretRef?*440 4readOnly?b 5options?{s
1secretName=s 2shareName=s 3readOnly?b 4secretNamespace=*s
1gateway=s 2system=s 3secretRef=*440 4sslEnabled?b 5protectionDomain?s 6storagePool?s 7storageMode?s 8volumeName?s 9fsType?s 10readOnly?b
1path=s 2fsType?*s
1volumeName?s 2volumeNamespace?s 3fsType?s 4readOnly?b 5secretRef?*279
1driver=s 2volumeHandle=s 3readOnly?b 4fsType?s 5volumeAttributes?{s 6controllerPublishSecretRef?*440 7nodeStageSecretRef?*440 8nodePublishSecretRef?*440 9controllerExpandSecretRef?*440 10nodeExpandSecretRef?*440
1required?*155
1attached=b 2attachmentMetadata?{s 3attachError?*452 4detachError?*452
1time=T 2message?s 3errorCode?*i
1metadata=3 2driverName=s 3parameters?{s
1metadata=3 2spec=455 3status=457
1resource=456
1group=s 2resource=s
1conditions?[33 2resourceVersion?s
1metadata=3 2target=279
1metadata=3 2conditions?[460
1type=s 2status=s 3message?s 4error?s
1metadata=3 4immutable?*b 2data?{s 3binaryData?{y
1metadata=3 2subsets?[463
1addresses?[464 2notReadyAddresses?[464 3ports?[465
1ip=s 3hostname?s 4nodeName?*s 2targetRef?*279
1name?s 2port=i 3protocol?s 4appProtocol?*s
1metadata=3 2involvedObject=279 3reason?s 4message?s 5source=304 6firstTimestamp=T 7lastTimestamp=T 8count?i 9type?s 10eventTime=M 11series?*467 12action?s 13related?*279 14reportingComponent=s 15reportingInstance=s
1count?i 2lastObservedTime=M
1metadata=3 2spec=469
1limits=[470
1type=s 2max?{Q 3min?{Q 4default?{Q 5defaultRequest?{Q 6maxLimitRequestRatio?{Q
1metadata=3 2spec=472 3status=473
1finalizers?[s
1phase?s 2conditions?[474
1type=s 2status=s 4lastTransitionTime=T 5reason?s 6message?s
1metadata=3 2spec=476 3status=481
1podCIDR?s 7podCIDRs?[s 3providerID?s 4unschedulable?b 5taints?[477 6configSource?*478 2externalID?s 8podPreemptionPolicy?*480
1key=s 2value?s 3effect=s 4timeAdded?*T
2configMap?*479
1namespace=s 2name=s 3uid?s 4resourceVersion?s 5kubeletConfigKey=s
1disableResizePreemption?[s
1capacity?{Q 2allocatable?{Q 3phase?s 4conditions?[482 5addresses?[483 6daemonEndpoints=484 7nodeInfo=486 8images?[488 9volumesInUse?[s 10volumesAttached?[489 11config?*490 12runtimeHandlers?[491 13features?*493 14declaredFeatures?[s
1type=s 2status=s 3lastHeartbeatTime=T 4lastTransitionTime=T 5reason?s 6message?s
1type=s 2address=s
1kubeletEndpoint=485
1Port=i
1machineID=s 2systemUUID=s 3bootID=s 4kernelVersion=s 5osImage=s 6containerRuntimeVersion=s 7kubeletVersion=s 8kubeProxyVersion=s 9operatingSystem=s 10architecture=s 11swap?*487 12runningInUserNamespace?*b
1capacity?*l
1names=[s 2sizeBytes?l
1name=s 2devicePath=s
1assigned?*478 2active?*478 3lastKnownGood?*478 4error?s
1name=s 2features?*492
1recursiveReadOnlyMounts?*b 2userNamespaces?*b
1supplementalGroupsPolicy?*b
1metadata=3 2spec=436 3status=495
1phase?s 2message?s 3reason?s 4lastPhaseTransitionTime?*T
1metadata=3 2spec=66 3status=497
17observedGeneration?l 1phase?s 2conditions?[498 3message?s 4reason?s 11nominatedNodeName?s 5hostIP?s 16hostIPs?[499 6podIP?s 12podIPs?[500 7startTime?*T 10initContainerStatuses?[501 8containerStatuses?[501 9qosClass?s 13ephemeralContainerStatuses?[501 14resize?s 15resourceClaimStatuses?[513 18extendedResourceClaimStatus?*514 19allocatedResources?{Q 20resources?*126 21nodeAllocatableResourceClaimStatuses?[516 22volumeHealth?[519
1type=s 7observedGeneration?l 2status=s 3lastProbeTime=T 4lastTransitionTime=T 5reason?s 6message?s
1ip=s
1ip=s
1name=s 2state=502 3lastState=502 4ready=b 5restartCount=i 6image=s 7imageID=s 8containerID?s 9started?*b 10allocatedResources?{Q 11resources?*126 12volumeMounts?[506 13user?*509 14allocatedResourcesStatus?[511 15stopSignal?*s
1waiting?*503 2running?*504 3terminated?*505
1reason?s 2message?s
1startedAt=T
1exitCode=i 2signal?i 3reason?s 4message?s 5startedAt=T 6finishedAt=T 7containerID?s
1name=s 2mountPath=s 3readOnly?b 4recursiveReadOnly?*s 5volumeStatus?*507
1image?*508
1imageRef?s
1linux?*510
1uid=l 2gid=l 3supplementalGroups?[l
1name=s 2resources?[512
1resourceID=s 2health?s 6message?*s
1name=s 2resourceClaimName?*s
1requestMappings=[515 2resourceClaimName=s
1containerName=s 2resourceName=s 3requestName=s
1resourceClaimName=s 2containers?[s 4mapping?[517 5overhead?[518
1name=s 2quantity=*Q
1name=s 2perPod?*Q 3perContainer?*Q
1name=s 2healthConditions?[195 3lastTransitionTime=T
1metadata=3 2template=65
1metadata=3 2range=s 3data=y
1metadata=3 2spec=523 3status=524
1replicas?*i 4minReadySeconds?i 2selector?{s 3template?*65
1replicas=i 2fullyLabeledReplicas?i 4readyReplicas?i 5availableReplicas?i 3observedGeneration?l 6conditions?[525
1type=s 2status=s 3lastTransitionTime=T 4reason?s 5message?s
1metadata=3 2spec=527 3status=530
1hard?{Q 2scopes?[s 3scopeSelector?*528
1matchExpressions?[529
1scopeName=s 2operator=s 3values?[s
1hard?{Q 2used?{Q
1metadata=3 5immutable?*b 2data?{y 4stringData?{s 3type?s
1metadata=3 2spec=533 3status=537
1ports?[534 2selector?{s 3clusterIP?s 18clusterIPs?[s 4type?s 5externalIPs?[s 7sessionAffinity?s 8loadBalancerIP?s 9loadBalancerSourceRanges?[s 10externalName?s 11externalTrafficPolicy?s 12healthCheckNodePort?i 13publishNotReadyAddresses?b 14sessionAffinityConfig?*535 19ipFamilies?[s 17ipFamilyPolicy?*s 20allocateLoadBalancerNodePorts?*b 21loadBalancerClass?*s 22internalTrafficPolicy?*s 23trafficDistribution?*s
1name?s 2protocol?s 6appProtocol?*s 3port=i 4targetPort=I 5nodePort?i
1clientIP?*536
1timeoutSeconds?*i
1loadBalancer=538 2conditions?[33
1ingress?[539
1ip?s 2hostname?s 3ipMode?*s 4ports?[540
1port=i 2protocol=s 3error?*s
1metadata=3 2secrets?[279 3imagePullSecrets?[78 4automountServiceAccountToken?*b`
