// Command reset-fields writes what an API server resets, kind by kind, as a TypeScript module.
//
//	go run . > ../../src/kubernetes/reset-fields-data.ts
//
// It makes the storage of every resource as a server does, only without a database behind it, and asks each what its strategy
// resets: the server's FieldManagers are made from the same answers. The spelling is described in src/kubernetes/reset-fields.ts,
// which reads it. A module of its own, since it needs a whole Kubernetes.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapi "k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	_ "structured-merge-diff-reset-fields/install"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "reset-fields:", err)
		os.Exit(1)
	}
}

func run() error {
	groups, err := groupsOfServer()
	if err != nil {
		return err
	}
	found := resets{}
	for _, group := range groups {
		if err := found.add(group); err != nil {
			return err
		}
	}
	text, err := found.encode()
	if err != nil {
		return err
	}
	fmt.Print("// Written by oracle/reset-fields. What the strategies of k8s.io/kubernetes (Apache-2.0) reset.\n\n")
	fmt.Print("/** JSON, as src/kubernetes/reset-fields.ts reads it. */\n")
	fmt.Print("export const resetFieldsData = `" + text + "`\n")
	return nil
}

// resets has, by kind, then by versions, the set of each subresource, as FieldsV1. Versions are separated by commas.
type resets map[string]map[string]map[string]string

// created has the kinds that reset their status, but not of a new object.
var created = map[string]bool{}

func (r resets) add(group group) error {
	for version, resources := range group.VersionedResourcesStorageMap {
		groupVersion := schema.GroupVersion{Group: group.name, Version: version}
		for resource, storage := range resources {
			kind, err := genericapi.GetResourceKind(groupVersion, storage, group.Scheme)
			if err != nil {
				return err
			}
			if _, ok := storage.(rest.ResetFieldsFilterStrategy); ok {
				return fmt.Errorf("%s: has a filter, which there is no spelling for", resource)
			}
			strategy, ok := storage.(rest.ResetFieldsStrategy)
			if !ok {
				continue
			}
			_, subresource, _ := strings.Cut(resource, "/")
			fields := strategy.GetResetFields()
			if err := r.addStorage(kind.Kind, subresource, fields); err != nil {
				return fmt.Errorf("%s %s: %w", kind, subresource, err)
			}
			if subresource != "" || len(fields) == 0 {
				continue
			}
			if keeps, err := keepsStatus(storage); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			} else if keeps {
				created[kind.Kind] = true
			}
		}
	}
	return nil
}

func (r resets) addStorage(kind, subresource string, byVersion map[fieldpath.APIVersion]*fieldpath.Set) error {
	versions, text := []string{}, ""
	for version, set := range byVersion {
		fields, err := set.ToJSON()
		if err != nil {
			return err
		}
		if text != "" && text != string(fields) {
			return fmt.Errorf("resets %s in one version, and %s in another", text, fields)
		}
		versions, text = append(versions, string(version)), string(fields)
	}
	if len(versions) == 0 {
		return nil
	}
	slices.Sort(versions)
	list := strings.Join(versions, ",")
	if r[kind] == nil {
		r[kind] = map[string]map[string]string{}
	}
	if r[kind][list] == nil {
		r[kind][list] = map[string]string{}
	}
	r[kind][list][subresource] = text
	return nil
}

// encode writes {"sets": [set, …], "created": [kind, …], "kinds": {kind: [[versions, {subresource: number of the set}], …]}}, a line
// for each kind.
func (r resets) encode() (string, error) {
	sets, numbers := []string{}, map[string]int{}
	lines := []string{}
	for _, kind := range slices.Sorted(maps.Keys(r)) {
		rows := []any{}
		for _, versions := range slices.Sorted(maps.Keys(r[kind])) {
			subresources := map[string]int{}
			for _, name := range slices.Sorted(maps.Keys(r[kind][versions])) {
				set := r[kind][versions][name]
				if _, ok := numbers[set]; !ok {
					numbers[set] = len(sets)
					sets = append(sets, set)
				}
				subresources[name] = numbers[set]
			}
			rows = append(rows, []any{strings.Split(versions, ","), subresources})
		}
		text, err := json.Marshal(rows)
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("%q:%s", kind, text))
	}
	kept, err := json.Marshal(slices.Sorted(maps.Keys(created)))
	if err != nil {
		return "", err
	}
	return `{"sets":[` + strings.Join(sets, ",") + "],\n\"created\":" + string(kept) + ",\n\"kinds\":{\n" + strings.Join(lines, ",\n") + "}}", nil
}
