package main

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// controllerRuntime applies the manifest with the client of controller-runtime.
func controllerRuntime(config *rest.Config, asked request) error {
	kubeClient, objects, err := clientAndObjects(config, asked)
	if err != nil {
		return err
	}
	options := []client.ApplyOption{client.FieldOwner(asked.Manager)}
	if asked.Force {
		options = append(options, client.ForceOwnership)
	}
	for _, object := range objects {
		if err := kubeClient.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(object), options...); err != nil {
			return err
		}
	}
	return nil
}
