// Command apply lets Crossplane write composed resources to a test API server.
//
//	crossplane --server URL
//
// Package lines has its protocol. The code is compiled as a package of Crossplane's module, because Crossplane keeps its packages internal.
package main

import (
	"context"
	"encoding/json"

	"github.com/crossplane/crossplane/v2/internal/ssa"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"structured-merge-diff-oracle/lines"
)

// ownerPrefix is the beginning of Crossplane's names for the managers of composed resources.
const ownerPrefix = "apiextensions.crossplane.io/composed"

func main() {
	lines.Answer(lines.Tools{"crossplane": compose})
}

// compose does what the reconciler of composite resources does with a composed resource: it upgrades the owners of the one that it has
// observed, and applies the one that it wants.
func compose(server string, asked lines.Request) error {
	background := context.Background()
	kubeClient, err := client.New(&rest.Config{Host: server, QPS: 1000, Burst: 1000}, client.Options{})
	if err != nil {
		return err
	}
	desired := new(unstructured.Unstructured)
	if err := json.Unmarshal([]byte(asked.Manifest), &desired.Object); err != nil {
		return err
	}
	observed := new(unstructured.Unstructured)
	observed.SetGroupVersionKind(desired.GroupVersionKind())
	err = kubeClient.Get(background, client.ObjectKeyFromObject(desired), observed)
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if err == nil {
		upgrader := ssa.NewPatchingManagedFieldsUpgrader(kubeClient, ssa.PrefixMatch(ownerPrefix))
		if err := upgrader.Upgrade(background, observed); err != nil {
			return err
		}
	}
	return kubeClient.Patch(background, desired, client.Apply, client.ForceOwnership, client.FieldOwner(asked.Manager))
}
