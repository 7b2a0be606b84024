// Package copier has an operator: each ConfigMap with the label "copy" gets a copy.
package copier

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// Copier applies the copies.
type Copier struct{ client.Client }

// Reconcile applies the copy of one ConfigMap.
func (c *Copier) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var source corev1.ConfigMap
	if err := c.Get(ctx, request.NamespacedName, &source); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	copied := coreac.ConfigMap(source.Name+"-copy", source.Namespace).WithData(source.Data)
	return ctrl.Result{}, c.Apply(ctx, copied, client.FieldOwner("copier"))
}

// SetupWithManager registers the operator.
func (c *Copier) SetupWithManager(manager ctrl.Manager) error {
	hasLabel := predicate.NewPredicateFuncs(func(object client.Object) bool {
		_, found := object.GetLabels()["copy"]
		return found
	})
	return ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}, builder.WithPredicates(hasLabel)).Complete(c)
}
