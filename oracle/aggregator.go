//go:build !v7

package main

import (
	aggregator "k8s.io/kube-aggregator/pkg/client/applyconfiguration"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/scheme"
)

// The modules of the next reference have no kube-aggregator yet.
func init() {
	builtinTypes = append(builtinTypes, builtinModule{
		aggregatorscheme.Scheme,
		aggregator.NewTypeConverter(aggregatorscheme.Scheme),
	})
}
