package main

import (
	"strings"

	"github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clientAndObjects returns a client of the server, and the objects of the manifest.
func clientAndObjects(config *rest.Config, asked request) (client.Client, []*unstructured.Unstructured, error) {
	kubeClient, err := client.New(config, client.Options{})
	if err != nil {
		return nil, nil, err
	}
	objects, err := utils.ReadObjects(strings.NewReader(asked.Manifest))
	return kubeClient, objects, err
}
