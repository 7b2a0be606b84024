package main

import (
	"fmt"
	"reflect"
	"time"

	apiextensionsinternal "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration"
	aggregator "k8s.io/kube-aggregator/pkg/registry/apiservice/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/kubelet/client"
	namespaces "k8s.io/kubernetes/pkg/registry/core/namespace/storage"
	nodes "k8s.io/kubernetes/pkg/registry/core/node/storage"
	volumes "k8s.io/kubernetes/pkg/registry/core/persistentvolume/storage"
	claims "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/storage"
	pods "k8s.io/kubernetes/pkg/registry/core/pod/storage"
	controllers "k8s.io/kubernetes/pkg/registry/core/replicationcontroller/storage"
	quotas "k8s.io/kubernetes/pkg/registry/core/resourcequota/storage"
	services "k8s.io/kubernetes/pkg/registry/core/service/storage"
)

// A provider makes the storage of one group's resources.
type provider interface {
	GroupName() string
	NewRESTStorage(serverstorage.APIResourceConfigSource, generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error)
}

type group struct {
	name string
	genericapiserver.APIGroupInfo
}

// groupsOfServer is what a server installs with all features, versions and groups turned on.
func groupsOfServer() ([]group, error) {
	if err := utilfeature.DefaultMutableFeatureGate.Set("AllAlpha=true,AllBeta=true"); err != nil {
		return nil, err
	}
	groups := []group{{apiregistration.GroupName, aggregator.NewRESTStorage(everything{}, unstored{}, true)}}
	for _, goType := range providers {
		p := filled(goType).(provider)
		info, err := p.NewRESTStorage(everything{}, unstored{})
		if err != nil {
			return nil, fmt.Errorf("%v: %w", goType, err)
		}
		groups = append(groups, group{p.GroupName(), info})
	}
	core, err := coreGroup()
	if err != nil {
		return nil, err
	}
	definitions, err := definitionsGroup()
	return append(groups, group{"", core}, group{apiextensionsinternal.GroupName, definitions}), err
}

// filled makes a provider, with something in each field whose type is known here.
func filled(goType reflect.Type) any {
	clients := fake.NewSimpleClientset()
	known := []any{authorizerfactory.NewAlwaysAllowAuthorizer(), clients.Discovery(), clients.CoreV1().Namespaces(), time.Hour}
	value := reflect.New(goType).Elem()
	for i := range value.NumField() {
		for _, candidate := range known {
			if reflect.TypeOf(candidate).AssignableTo(value.Field(i).Type()) {
				value.Field(i).Set(reflect.ValueOf(candidate))
			}
		}
	}
	return value.Interface()
}

// coreGroup has the kinds of v1 that have subresources; the others reset nothing.
func coreGroup() (genericapiserver.APIGroupInfo, error) {
	group := genericapiserver.NewDefaultAPIGroupInfo("", legacyscheme.Scheme, legacyscheme.ParameterCodec, legacyscheme.Codecs)
	stored := map[string]rest.Storage{}
	group.VersionedResourcesStorageMap["v1"] = stored
	var err error
	if stored["namespaces"], stored["namespaces/status"], stored["namespaces/finalize"], err = namespaces.NewREST(unstored{}); err != nil {
		return group, err
	}
	if stored["persistentvolumes"], stored["persistentvolumes/status"], err = volumes.NewREST(unstored{}); err != nil {
		return group, err
	}
	if stored["persistentvolumeclaims"], stored["persistentvolumeclaims/status"], err = claims.NewREST(unstored{}); err != nil {
		return group, err
	}
	if stored["resourcequotas"], stored["resourcequotas/status"], err = quotas.NewREST(unstored{}); err != nil {
		return group, err
	}
	if stored["replicationcontrollers"], stored["replicationcontrollers/status"], err = controllers.NewREST(unstored{}); err != nil {
		return group, err
	}
	node, err := nodes.NewStorage(unstored{}, client.KubeletClientConfig{}, nil)
	if err != nil {
		return group, err
	}
	stored["nodes"], stored["nodes/status"] = node.Node, node.Status
	pod, err := pods.NewStorage(unstored{}, node.KubeletConnectionInfo, nil, nil, authorizerfactory.NewAlwaysAllowAuthorizer())
	if err != nil {
		return group, err
	}
	stored["pods"], stored["pods/status"] = pod.Pod, pod.Status
	stored["pods/ephemeralcontainers"], stored["pods/resize"] = pod.EphemeralContainers, pod.Resize
	stored["services"], stored["services/status"], _, err = services.NewREST(unstored{}, api.IPv4Protocol, nil, nil, nil, pod.Pod, nil)
	return group, err
}

func definitionsGroup() (genericapiserver.APIGroupInfo, error) {
	scheme := apiextensions.Scheme
	group := genericapiserver.NewDefaultAPIGroupInfo(apiextensionsinternal.GroupName, scheme, metav1.ParameterCodec, apiextensions.Codecs)
	main, err := customresourcedefinition.NewREST(scheme, unstored{})
	if err != nil {
		return group, err
	}
	status := customresourcedefinition.NewStatusREST(scheme, main)
	group.VersionedResourcesStorageMap["v1"] = map[string]rest.Storage{
		"customresourcedefinitions":        main,
		"customresourcedefinitions/status": status,
	}
	return group, nil
}

// everything turns all versions and resources on.
type everything struct{}

func (everything) ResourceEnabled(schema.GroupVersionResource) bool           { return true }
func (everything) AnyResourceForGroupEnabled(string) bool                     { return true }
func (everything) ResourceExplicitlyEnabled(schema.GroupVersionResource) bool { return true }
func (everything) VersionExplicitlyEnabled(schema.GroupVersion) bool          { return true }

// unstored gives every resource a storage that there is nothing behind.
type unstored struct{}

func (unstored) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	return generic.RESTOptions{
		StorageConfig:  &storagebackend.ConfigForResource{GroupResource: resource},
		ResourcePrefix: resource.String(),
		Decorator:      nothing,
	}, nil
}

func nothing(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object, func() runtime.Object,
	storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
	return nil, func() {}, nil
}
