package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"
)

var labels = map[string]string{"app": "web"}

func deployment(name string) *appsv1.Deployment {
	replicas := int32(2)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "nginx:1.25"}}},
			},
		},
	}
}

// typedApply is server-side apply with apply configurations, by two managers.
func typedApply(r *run) {
	deployments := r.client.AppsV1().Deployments(r.name)
	config := func(image string) *appsac.DeploymentApplyConfiguration {
		return appsac.Deployment("web", r.name).WithSpec(appsac.DeploymentSpec().
			WithReplicas(2).
			WithSelector(metaac.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(coreac.PodTemplateSpec().WithLabels(labels).
				WithSpec(coreac.PodSpec().WithContainers(coreac.Container().WithName("app").WithImage(image)))))
	}
	made, err := deployments.Apply(r, config("nginx:1.25"), metav1.ApplyOptions{FieldManager: "gitops"})
	r.succeeds("an apply creates", err)
	r.check("defaults are filled in", made.Spec.Template.Spec.RestartPolicy == corev1.RestartPolicyAlways, made.Spec)

	_, err = deployments.Apply(r, config("nginx:1.27"), metav1.ApplyOptions{FieldManager: "operator"})
	r.check("another manager's value is in conflict", apierrors.IsConflict(err), err)
	causes := err.(apierrors.APIStatus).Status().Details.Causes
	field := `.spec.template.spec.containers[name="app"].image`
	r.check("the conflict says where", len(causes) == 1 && causes[0].Field == field, causes)

	forced, err := deployments.Apply(r, config("nginx:1.27"), metav1.ApplyOptions{FieldManager: "operator", Force: true})
	r.succeeds("force takes the field", err)
	r.check("the value is the new one", forced.Spec.Template.Spec.Containers[0].Image == "nginx:1.27", forced.Spec)

	extracted, err := appsac.ExtractDeployment(forced, "gitops")
	r.succeeds("a configuration is extracted", err)
	image := extracted.Spec.Template.Spec.Containers[0].Image
	r.check("the loser does not own the image any more", image == nil, image)

	extracted.Spec.Replicas = nil
	left, err := deployments.Apply(r, extracted, metav1.ApplyOptions{FieldManager: "gitops"})
	r.succeeds("an extracted configuration is applied", err)
	r.check("a field with another owner stays", *left.Spec.Replicas == 2, *left.Spec.Replicas)

	status := appsac.Deployment("web", r.name).WithStatus(appsac.DeploymentStatus().WithReplicas(1).WithReadyReplicas(1))
	reported, err := deployments.ApplyStatus(r, status, metav1.ApplyOptions{FieldManager: "controller"})
	r.succeeds("a status is applied", err)
	r.check("the status is written", reported.Status.ReadyReplicas == 1, reported.Status)

	dry := metav1.ApplyOptions{FieldManager: "gitops", DryRun: []string{metav1.DryRunAll}}
	_, err = r.client.CoreV1().ConfigMaps(r.name).Apply(r, coreac.ConfigMap("dry", r.name), dry)
	r.succeeds("a dry run answers", err)
	_, err = r.client.CoreV1().ConfigMaps(r.name).Get(r, "dry", metav1.GetOptions{})
	r.check("a dry run stores nothing", apierrors.IsNotFound(err), err)
}

// typedDefault sends protobuf, which client-go sends by default.
func typedDefault(r *run) { typed(r, kubernetes.NewForConfigOrDie(r.config)) }

func typedJSON(r *run) { typed(r, kubernetes.NewForConfigOrDie(r.json())) }

// typed is what a program does with typed objects.
func typed(r *run, client kubernetes.Interface) {
	deployments := client.AppsV1().Deployments(r.name)
	made, err := deployments.Create(r, deployment("web"), metav1.CreateOptions{FieldManager: "cli"})
	r.succeeds("create", err)
	r.check("a new object has a uid and a generation", made.UID != "" && made.Generation == 1, made.ObjectMeta)
	_, err = deployments.Create(r, deployment("web"), metav1.CreateOptions{})
	r.check("a second one is refused", apierrors.IsAlreadyExists(err), err)

	made.Spec.Template.Spec.Containers[0].Image = "nginx:1.26"
	updated, err := deployments.Update(r, made, metav1.UpdateOptions{})
	r.succeeds("update", err)
	r.check("the generation grows", updated.Generation == 2, updated.Generation)
	_, err = deployments.Update(r, made, metav1.UpdateOptions{})
	r.check("an update of what has changed is refused", apierrors.IsConflict(err), err)

	strategic := `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox"}]}}}}`
	patched, err := deployments.Patch(r, "web", types.StrategicMergePatchType, []byte(strategic), metav1.PatchOptions{})
	r.succeeds("a strategic merge patch", err)
	r.check("it adds a container", len(patched.Spec.Template.Spec.Containers) == 2, patched.Spec.Template.Spec.Containers)
	patched, err = deployments.Patch(r, "web", types.MergePatchType, []byte(`{"spec":{"replicas":4}}`), metav1.PatchOptions{})
	r.succeeds("a merge patch", err)
	r.check("it sets replicas", *patched.Spec.Replicas == 4, *patched.Spec.Replicas)
	operations := `[{"op":"test","path":"/spec/replicas","value":4},{"op":"replace","path":"/spec/replicas","value":5}]`
	patched, err = deployments.Patch(r, "web", types.JSONPatchType, []byte(operations), metav1.PatchOptions{})
	r.succeeds("a JSON patch", err)
	r.check("it replaces replicas", *patched.Spec.Replicas == 5, *patched.Spec.Replicas)

	patched.Status.Replicas = 5
	patched.Spec.Paused = true
	reported, err := deployments.UpdateStatus(r, patched, metav1.UpdateOptions{})
	r.succeeds("an update of the status", err)
	r.check("it writes the status alone", reported.Status.Replicas == 5 && !reported.Spec.Paused, reported.Spec, reported.Status)
	scale, err := deployments.GetScale(r, "web", metav1.GetOptions{})
	r.succeeds("the scale", err)
	r.check("it has both numbers", scale.Spec.Replicas == 5 && scale.Status.Replicas == 5, scale)
	scaled, err := deployments.UpdateScale(r, "web", &autoscalingv1.Scale{ObjectMeta: scale.ObjectMeta, Spec: autoscalingv1.ScaleSpec{Replicas: 1}}, metav1.UpdateOptions{})
	r.succeeds("an update of the scale", err)
	r.check("it has the new number", scaled.Spec.Replicas == 1, scaled)

	maps := client.CoreV1().ConfigMaps(r.name)
	for i := range 7 {
		each := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "part-", Labels: map[string]string{"odd": fmt.Sprint(i%2 == 1)}},
			BinaryData: map[string][]byte{"bytes": {0, 1, byte(i)}},
		}
		created, err := maps.Create(r, each, metav1.CreateOptions{})
		if err != nil || len(created.Name) != len("part-")+5 || created.BinaryData["bytes"][2] != byte(i) {
			r.check("names are generated", false, created, err)
		}
	}
	odd, err := maps.List(r, metav1.ListOptions{LabelSelector: "odd=true"})
	r.succeeds("a list by label", err)
	r.check("it has what the label says", len(odd.Items) == 3, len(odd.Items))
	pages := 0
	paged := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		pages++
		return maps.List(ctx, options)
	})
	paged.PageSize = 3
	count := 0
	err = paged.EachListItem(r, metav1.ListOptions{LabelSelector: "odd"}, func(runtime.Object) error { count++; return nil })
	r.succeeds("a list in pages", err)
	r.check("the pages have everything", count == 7 && pages == 3, count, pages)
	err = maps.DeleteCollection(r, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "odd"})
	r.succeeds("a collection is deleted", err)
	rest, err := maps.List(r, metav1.ListOptions{})
	r.check("nothing of it is left", err == nil && len(rest.Items) == 0, rest, err)

	wrong := types.UID("00000000-0000-0000-0000-000000000000")
	err = deployments.Delete(r, "web", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	r.check("another uid is not deleted", apierrors.IsConflict(err), err)
	r.succeeds("delete", deployments.Delete(r, "web", metav1.DeleteOptions{}))
	_, err = deployments.Get(r, "web", metav1.GetOptions{})
	r.check("it is gone", apierrors.IsNotFound(err), err)
}

// dynamicClient is what a program does with objects of kinds that it does not know.
func dynamicClient(r *run) {
	client := dynamic.NewForConfigOrDie(r.config)
	maps := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(r.name)
	object := func(color string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "settings", "namespace": r.name},
			"data":     map[string]any{"color": color},
		}}
	}
	_, err := maps.Apply(r, "settings", object("blue"), metav1.ApplyOptions{FieldManager: "a"})
	r.succeeds("apply", err)
	_, err = maps.Apply(r, "settings", object("red"), metav1.ApplyOptions{FieldManager: "b"})
	r.check("a conflict", apierrors.IsConflict(err), err)
	got, err := maps.Get(r, "settings", metav1.GetOptions{})
	r.succeeds("get", err)
	r.check("the object has its kind and its owner", got.GetKind() == "ConfigMap" && len(got.GetManagedFields()) == 1, got)
	got.SetLabels(map[string]string{"a": "b"})
	got, err = maps.Update(r, got, metav1.UpdateOptions{FieldManager: "c"})
	r.succeeds("update", err)
	r.check("the owner of the label is there too", len(got.GetManagedFields()) == 2, got.GetManagedFields())
	watching, err := maps.Watch(r, metav1.ListOptions{ResourceVersion: got.GetResourceVersion()})
	r.succeeds("watch", err)
	r.succeeds("delete", maps.Delete(r, "settings", metav1.DeleteOptions{}))
	event := <-watching.ResultChan()
	r.check("the watch tells of the deletion", event.Type == "DELETED", event)
	watching.Stop()
	list, err := maps.List(r, metav1.ListOptions{})
	r.check("the list is empty", err == nil && len(list.Items) == 0 && list.GetKind() == "ConfigMapList", list, err)
}

// discoveryClient is what RESTMappers ask.
func discoveryClient(r *run) {
	groups, resources, err := r.client.Discovery().ServerGroupsAndResources()
	r.succeeds("groups and resources", err)
	r.check("there are those of a cluster", len(groups) > 15 && len(resources) > 20, len(groups), len(resources))
	paths, err := r.client.Discovery().OpenAPIV3().Paths()
	r.succeeds("the paths of OpenAPI v3", err)
	text, err := paths["apis/apps/v1"].Schema("application/json")
	r.succeeds("a document of OpenAPI v3", err)
	r.check("it is JSON", json.Valid(text), string(text[:80]))
	version, err := r.client.Discovery().ServerVersion()
	r.check("a version", err == nil && version.Major == "1", version, err)
}

// retryOnConflict has eight writers add to one number.
func retryOnConflict(r *run) {
	maps := r.client.CoreV1().ConfigMaps(r.name)
	_, err := maps.Create(r, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "counter"}}, metav1.CreateOptions{})
	r.succeeds("a counter", err)
	var all sync.WaitGroup
	errors := make([]error, 8)
	for writer := range errors {
		all.Go(func() {
			for range 5 {
				backoff := retry.DefaultBackoff
				backoff.Steps = 100
				backoff.Factor = 1
				err := retry.RetryOnConflict(backoff, func() error {
					counter, err := maps.Get(r, "counter", metav1.GetOptions{})
					if err != nil {
						return err
					}
					var number int
					fmt.Sscan(counter.Data["number"], &number)
					counter.Data = map[string]string{"number": fmt.Sprint(number + 1)}
					_, err = maps.Update(r, counter, metav1.UpdateOptions{})
					return err
				})
				if err != nil {
					errors[writer] = err
				}
			}
		})
	}
	all.Wait()
	for _, err := range errors {
		if err != nil {
			r.succeeds("every writer gets through", err)
		}
	}
	counter, err := maps.Get(r, "counter", metav1.GetOptions{})
	r.check("no addition is lost", err == nil && counter.Data["number"] == "40", counter.Data, err)
}
