// Command removed-versions writes which versions of built-in kinds API servers do not have any more, as a TypeScript module.
//
//	go run ./cmd/removed-versions > ../src/kubernetes/removed-versions-data.ts
//
// Go types stay for years after their version was removed, and have a method that says in which release that was.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"structured-merge-diff-oracle/structs"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "removed-versions:", err)
		os.Exit(1)
	}
}

func run() error {
	current, err := minorRelease()
	if err != nil {
		return err
	}
	removed := map[string]map[string]int{}
	for _, scheme := range structs.Schemes {
		for gvk, goType := range scheme.AllKnownTypes() {
			kind, ok := reflect.New(goType).Interface().(interface{ APILifecycleRemoved() (major, minor int) })
			if _, isObject := goType.FieldByName("ObjectMeta"); !ok || !isObject {
				continue
			}
			version := gvk.GroupVersion().String()
			if _, minor := kind.APILifecycleRemoved(); minor <= current {
				if removed[version] == nil {
					removed[version] = map[string]int{}
				}
				removed[version][gvk.Kind] = minor
			}
		}
	}
	lines := []string{}
	for _, version := range slices.Sorted(maps.Keys(removed)) {
		kinds, err := json.Marshal(removed[version])
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%q:%s", version, kinds))
	}
	fmt.Print("// Written by oracle/cmd/removed-versions from the Go types of k8s.io/api, k8s.io/apiextensions-apiserver and\n")
	fmt.Print("// k8s.io/kube-aggregator (Apache-2.0).\n\n")
	fmt.Print("/** JSON: {version: {kind: the minor release that does not have it any more}}. */\n")
	fmt.Print("export const removedVersionsData = `{" + strings.Join(lines, ",\n") + "}`\n")
	return nil
}

// minorRelease is 37 for the modules of Kubernetes 1.37.
func minorRelease() (minor int, err error) {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/api" {
			_, err = fmt.Sscanf(module.Version, "v0.%d.", &minor)
			return minor, err
		}
	}
	return 0, fmt.Errorf("compiled without k8s.io/api")
}
