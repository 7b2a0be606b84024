// Package framework has what the tests of apply need of upstream's package, without etcd.
package framework

import "os"

// EtcdMain runs the tests.
func EtcdMain(tests func() int) { os.Exit(tests()) }

// StorageConfig says where in etcd objects would be.
type StorageConfig struct{ Prefix string }

// SharedEtcd returns a configuration that nothing reads.
func SharedEtcd() *StorageConfig { return &StorageConfig{} }

// DefaultTestServerFlags returns no flags.
func DefaultTestServerFlags() []string { return nil }
