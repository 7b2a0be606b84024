// Command appliers lets released tools write to a test API server: Helm 3 and 4, kubectl, the ssa package of Flux, and controller-runtime.
//
//	appliers --server URL
//
// Package lines has its protocol.
package main

import (
	"k8s.io/client-go/rest"
	"structured-merge-diff-oracle/lines"
)

type request = lines.Request

func main() {
	lines.Answer(lines.Tools{
		"helm3":              withConfig(helm3),
		"helm":               withConfig(helm4),
		"kubectl":            withConfig(kubectl),
		"kubectl-client":     withConfig(kubectl),
		"flux":               withConfig(flux),
		"flux-helm":          withConfig(helm4),
		"flux-helm3":         withConfig(helm3),
		"controller-runtime": withConfig(controllerRuntime),
	})
}

func withConfig(tool func(*rest.Config, request) error) func(string, request) error {
	return func(server string, asked request) error {
		return tool(&rest.Config{Host: server, QPS: 1000, Burst: 1000}, asked)
	}
}
