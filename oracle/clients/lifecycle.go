package main

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// finalizers hold an object that is being deleted.
func finalizers(r *run) {
	maps := r.client.CoreV1().ConfigMaps(r.name)
	held := configMap("held", "1")
	held.Finalizers = []string{"example.com/hold"}
	_, err := maps.Create(r, held, metav1.CreateOptions{})
	r.succeeds("an object with a finalizer", err)
	watching, err := maps.Watch(r, metav1.ListOptions{FieldSelector: "metadata.name=held"})
	r.succeeds("a watch of it", err)
	defer watching.Stop()
	r.check("the watch begins with it", (<-watching.ResultChan()).Type == "ADDED")
	r.succeeds("delete", maps.Delete(r, "held", metav1.DeleteOptions{}))
	marked, err := maps.Get(r, "held", metav1.GetOptions{})
	r.check("it is there, and marked", err == nil && marked.DeletionTimestamp != nil, marked, err)
	event := <-watching.ResultChan()
	r.check("the watch tells of the mark", event.Type == "MODIFIED", event)
	marked.Finalizers = nil
	_, err = maps.Update(r, marked, metav1.UpdateOptions{})
	r.succeeds("the finalizer goes", err)
	_, err = maps.Get(r, "held", metav1.GetOptions{})
	r.check("and so does the object", apierrors.IsNotFound(err), err)
	event = <-watching.ResultChan()
	r.check("the watch tells of that", event.Type == "DELETED", event)
}

// garbageCollection deletes owners.
func garbageCollection(r *run) {
	maps := r.client.CoreV1().ConfigMaps(r.name)
	family := func(name string) {
		owner, err := maps.Create(r, configMap(name, "1"), metav1.CreateOptions{})
		r.succeeds("an owner", err)
		for _, dependent := range []string{name + "-a", name + "-b"} {
			owned := configMap(dependent, "1")
			reference := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: owner.UID}
			owned.OwnerReferences = []metav1.OwnerReference{reference}
			_, err = maps.Create(r, owned, metav1.CreateOptions{})
			r.succeeds("a dependent", err)
		}
	}
	isGone := func(name string) bool {
		_, err := maps.Get(r, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
		name := map[metav1.DeletionPropagation]string{"Background": "background", "Foreground": "foreground"}[policy]
		family(name)
		r.succeeds("delete: "+string(policy), maps.Delete(r, name, metav1.DeleteOptions{PropagationPolicy: &policy}))
		r.comes("the owner and its dependents go", func() bool {
			return isGone(name) && isGone(name+"-a") && isGone(name+"-b")
		})
	}
	family("orphans")
	orphan := metav1.DeletePropagationOrphan
	r.succeeds("delete: Orphan", maps.Delete(r, "orphans", metav1.DeleteOptions{PropagationPolicy: &orphan}))
	r.comes("the owner goes", func() bool { return isGone("orphans") })
	r.comes("its dependents are nobody's", func() bool {
		left, err := maps.Get(r, "orphans-a", metav1.GetOptions{})
		return err == nil && len(left.OwnerReferences) == 0
	})

	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.name + "-more"}}
	made, err := r.client.CoreV1().Namespaces().Create(r, namespace, metav1.CreateOptions{})
	r.succeeds("a namespace", err)
	_, err = r.client.CoreV1().ConfigMaps(made.Name).Create(r, configMap("inside", "1"), metav1.CreateOptions{})
	r.succeeds("an object in it", err)
	uid := made.UID
	precondition := &metav1.Preconditions{UID: (*types.UID)(&uid)}
	r.succeeds("the namespace is deleted", r.client.CoreV1().Namespaces().Delete(r, made.Name, metav1.DeleteOptions{Preconditions: precondition}))
	r.comes("it goes with what is in it", func() bool {
		_, err := r.client.CoreV1().Namespaces().Get(r, made.Name, metav1.GetOptions{})
		list, listErr := r.client.CoreV1().ConfigMaps(made.Name).List(r, metav1.ListOptions{})
		return apierrors.IsNotFound(err) && listErr == nil && len(list.Items) == 0
	})
}
