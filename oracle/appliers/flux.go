package main

import (
	"context"

	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/jsondiff"
	"github.com/fluxcd/pkg/ssa/normalize"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

const (
	fluxManager = "kustomize-controller"
	fluxGroup   = "kustomize.toolkit.fluxcd.io"
)

// flux applies the manifest with the options that kustomize-controller gives to the ssa package.
func flux(config *rest.Config, asked request) error {
	kubeClient, objects, err := clientAndObjects(config, asked)
	if err != nil {
		return err
	}
	manager := ssa.NewResourceManager(kubeClient, nil, ssa.Owner{Field: fluxManager, Group: fluxGroup})
	manager.SetOwnerLabels(objects, asked.Release, asked.Namespace)
	if err := normalize.UnstructuredList(objects); err != nil {
		return err
	}
	_, err = manager.ApplyAll(context.Background(), objects, fluxOptions(asked))
	return err
}

func fluxOptions(asked request) ssa.ApplyOptions {
	options := ssa.DefaultApplyOptions()
	if len(asked.Ignore) > 0 {
		options.DriftIgnoreRules = []jsondiff.IgnoreRule{{Paths: asked.Ignore}}
	}
	options.ExclusionSelector = map[string]string{fluxGroup + "/reconcile": "disabled", fluxGroup + "/ssa": "Ignore"}
	options.IfNotPresentSelector = map[string]string{fluxGroup + "/ssa": "IfNotPresent"}
	options.ForceSelector = map[string]string{fluxGroup + "/force": "enabled"}
	options.Cleanup = ssa.ApplyCleanupOptions{
		Annotations: []string{corev1.LastAppliedConfigAnnotation, fluxGroup + "/checksum", "fluxcd.io/sync-checksum"},
		Labels:      []string{"fluxcd.io/sync-gc-mark"},
		FieldManagers: []ssa.FieldManager{
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: fluxManager, OperationType: metav1.ManagedFieldsOperationUpdate},
		},
		Exclusions: map[string]string{fluxGroup + "/ssa": "Merge"},
	}
	return options
}
