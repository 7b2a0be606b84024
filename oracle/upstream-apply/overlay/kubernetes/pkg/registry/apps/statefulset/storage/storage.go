// Package storage stands where upstream's storage is, which needs most of kube-apiserver.
package storage

import "k8s.io/apimachinery/pkg/util/managedfields"

// ReplicasPathMappings returns nothing: the table is part of kube-apiserver, and no server can be asked for it.
func ReplicasPathMappings() managedfields.ResourcePathMappings { return nil }
