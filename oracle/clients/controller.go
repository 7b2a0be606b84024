package main

import (
	"context"
	"errors"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var widgetVersion = schema.GroupVersion{Group: "clients.example.com", Version: "v1"}

const widgetFinalizer = "clients.example.com/widget"

// Widget is a custom resource: a config map is made of it.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec"`
	Status            WidgetStatus `json:"status,omitempty"`
}

// WidgetSpec is what a user wants.
type WidgetSpec struct {
	Color string `json:"color,omitempty"`
	Size  int64  `json:"size"`
}

// WidgetStatus is what there is.
type WidgetStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// WidgetList is a list of widgets.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func (w *Widget) DeepCopyObject() runtime.Object {
	out := &Widget{TypeMeta: w.TypeMeta, Spec: w.Spec, Status: w.Status}
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = append([]metav1.Condition(nil), w.Status.Conditions...)
	return out
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := &WidgetList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Widget))
	}
	return out
}

func widgetDefinition() *apiextensionsv1.CustomResourceDefinition {
	type props = map[string]apiextensionsv1.JSONSchemaProps
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	number := apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int64"}
	color := apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"blue"`)}}
	least := 1.0
	size := apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int64", Minimum: &least}
	condition := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: props{
		"type": text, "status": text, "reason": text, "message": text, "lastTransitionTime": text, "observedGeneration": number,
	}, Required: []string{"type"}}
	listType := "map"
	conditions := apiextensionsv1.JSONSchemaProps{
		Type: "array", XListType: &listType, XListMapKeys: []string{"type"},
		Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &condition},
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets." + widgetVersion.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: widgetVersion.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget", Singular: "widget", ListKind: "WidgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: widgetVersion.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: props{
						"spec":   {Type: "object", Properties: props{"color": color, "size": size}, Required: []string{"size"}},
						"status": {Type: "object", Properties: props{"observedGeneration": number, "conditions": conditions}},
					},
				}},
			}},
		},
	}
}

// reconciler makes a config map of each widget by server-side apply, and says so in the status of the widget.
type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if widget.DeletionTimestamp != nil {
		if controllerutil.RemoveFinalizer(widget, widgetFinalizer) {
			return ctrl.Result{}, r.Update(ctx, widget)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(widget, widgetFinalizer) {
		return ctrl.Result{}, r.Update(ctx, widget)
	}
	owner := metaac.OwnerReference().WithAPIVersion(widgetVersion.String()).WithKind("Widget").
		WithName(widget.Name).WithUID(widget.UID).WithController(true)
	config := coreac.ConfigMap(widget.Name, widget.Namespace).WithOwnerReferences(owner).
		WithData(map[string]string{"color": widget.Spec.Color})
	if err := r.Apply(ctx, config, client.FieldOwner("widgets"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	if widget.Status.ObservedGeneration == widget.Generation {
		return ctrl.Result{}, nil
	}
	widget.Status.ObservedGeneration = widget.Generation
	widget.Status.Conditions = []metav1.Condition{{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Applied", LastTransitionTime: metav1.Now(),
	}}
	return ctrl.Result{}, r.Status().Update(ctx, widget)
}

// controller runs a manager with a reconciler that owns what it makes.
func controller(r *run) {
	log.SetLogger(zap.New())
	definitions := []*apiextensionsv1.CustomResourceDefinition{widgetDefinition()}
	_, err := envtest.InstallCRDs(r.config, envtest.CRDInstallOptions{CRDs: definitions})
	r.succeeds("envtest installs a definition, and sees its resource", err)

	scheme := runtime.NewScheme()
	_ = clientscheme.AddToScheme(scheme)
	scheme.AddKnownTypes(widgetVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, widgetVersion)
	manager, err := ctrl.NewManager(r.config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{r.name: {}}},
	})
	r.succeeds("a manager", err)
	err = ctrl.NewControllerManagedBy(manager).For(&Widget{}).Owns(&corev1.ConfigMap{}).Complete(&reconciler{manager.GetClient()})
	r.succeeds("a controller", err)
	ctx, stop := context.WithCancel(r)
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	r.check("the caches are in sync", manager.GetCache().WaitForCacheSync(r))
	widgets(r, manager.GetClient(), scheme)
	stop()
	r.succeeds("the manager ends", <-ended)
}

// widgets is what happens while the manager runs.
func widgets(r *run, cached client.Client, scheme *runtime.Scheme) {
	direct, err := client.New(r.config, client.Options{Scheme: scheme, HTTPClient: http.DefaultClient})
	r.succeeds("a client without a cache", err)
	small := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "small", Namespace: r.name}}
	err = direct.Create(r, small)
	var invalid apierrors.APIStatus
	r.check("the schema refuses a widget of size 0", apierrors.IsInvalid(err) && errors.As(err, &invalid), err)

	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: r.name}, Spec: WidgetSpec{Size: 3}}
	r.succeeds("a widget", direct.Create(r, widget))
	r.check("its color is the default", widget.Spec.Color == "blue", widget.Spec)
	key := client.ObjectKeyFromObject(widget)
	made := &corev1.ConfigMap{}
	colorIs := func(color string) func() bool {
		return func() bool {
			*made = corev1.ConfigMap{}
			return direct.Get(r, key, made) == nil && made.Data["color"] == color
		}
	}
	r.comes("the reconciler applies a config map", colorIs("blue"))
	owner := metav1.GetControllerOf(made)
	r.check("which the widget owns", owner != nil && owner.UID == widget.UID, made.OwnerReferences)
	isManaged := len(made.ManagedFields) == 1 && made.ManagedFields[0].Operation == metav1.ManagedFieldsOperationApply
	r.check("and the reconciler manages", isManaged, made.ManagedFields)
	observed := func() bool {
		found := &Widget{}
		return cached.Get(r, key, found) == nil && found.Status.ObservedGeneration == found.Generation && len(found.Status.Conditions) == 1
	}
	r.comes("the cache has the status", observed)

	patched := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: r.name}}
	r.succeeds("a patch of the color", direct.Patch(r, patched, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"color":"red"}}`))))
	r.check("the generation grows, and not for the status", patched.Generation == 2, patched.Generation)
	r.comes("the config map follows", colorIs("red"))
	r.comes("the status follows", observed)
	r.succeeds("somebody deletes the config map", direct.Delete(r, made))
	r.comes("it is made again", colorIs("red"))

	r.succeeds("the widget is deleted", direct.Delete(r, patched))
	r.comes("it goes when the reconciler has taken its finalizer out", func() bool {
		return apierrors.IsNotFound(direct.Get(r, key, &Widget{}))
	})
	r.comes("the config map goes too", func() bool { return apierrors.IsNotFound(direct.Get(r, key, &corev1.ConfigMap{})) })
	r.comes("the cache has no widget", func() bool {
		list := &WidgetList{}
		return cached.List(r, list) == nil && len(list.Items) == 0
	})
}
