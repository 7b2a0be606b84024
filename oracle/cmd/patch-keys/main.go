// Command patch-keys writes how strategic merge patches treat the fields of Kubernetes' built-in types, as a TypeScript module.
//
//	go run ./cmd/patch-keys > ../src/apiserver/patch/patch-keys-data.ts
//
// An API server goes by the tags of its Go structs, so they are read here: of every struct that a kind of client-go,
// apiextensions-apiserver or kube-aggregator consists of, at the versions in go.mod. src/apiserver/patch/patch-keys.ts describes the
// spelling and reads it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/scheme"
)

func main() {
	found := structs{}
	for _, known := range []*runtime.Scheme{scheme.Scheme, apiextensions.Scheme, aggregator.Scheme} {
		for kind, goType := range known.AllKnownTypes() {
			if kind.Version != runtime.APIVersionInternal {
				found.add(goType)
			}
		}
	}
	text, err := found.encode()
	if err != nil {
		fmt.Fprintln(os.Stderr, "patch-keys:", err)
		os.Exit(1)
	}
	fmt.Print("// Written by oracle/cmd/patch-keys: the patch strategies and merge keys of Kubernetes' built-in types, taken from k8s.io/api,\n")
	fmt.Print("// k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator (Apache-2.0).\n\n")
	fmt.Print("/** JSON, as src/apiserver/patch/patch-keys.ts reads it. */\n")
	fmt.Print("export const patchKeysData = `" + text + "`\n")
}

// structs has, for each struct, the tags of those fields that have any; an entry without tags is a struct that was seen.
type structs map[reflect.Type]map[string]string

func (s structs) add(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		s.add(t.Elem())
	case reflect.Struct:
		if _, seen := s[t]; !seen {
			s[t] = map[string]string{}
			s.addFields(t, t)
		}
	}
}

// addFields enters the fields of t, and of the structs embedded in it, as fields of owner.
func (s structs) addFields(owner, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if strings.Contains(options, "inline") || (field.Anonymous && name == "") {
			if field.Type.Kind() == reflect.Struct {
				s.addFields(owner, field.Type)
			}
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		strategy, key := field.Tag.Get("patchStrategy"), field.Tag.Get("patchMergeKey")
		if strategy != "" || key != "" {
			s[owner][name] = strings.TrimSuffix(strategy+" "+key, " ")
		}
		s.add(field.Type)
	}
}

// encode writes {group: {type: {field: tags}}}, as src/kubernetes/schema-data.ts names types.
func (s structs) encode() (string, error) {
	groups := map[string]map[string]map[string]string{}
	for t, fields := range s {
		if len(fields) == 0 {
			continue
		}
		group := strings.ReplaceAll("io."+strings.Replace(t.PkgPath(), "k8s.io/", "k8s/", 1), "/", ".") + "."
		if groups[group] == nil {
			groups[group] = map[string]map[string]string{}
		}
		groups[group][t.Name()] = fields
	}
	names := make([]string, 0, len(groups))
	for name := range groups {
		names = append(names, name)
	}
	sort.Strings(names)
	lines := make([]string, len(names))
	for i, name := range names {
		types, err := json.Marshal(groups[name])
		if err != nil {
			return "", err
		}
		lines[i] = fmt.Sprintf("%q:%s", name, types)
	}
	return "{" + strings.Join(lines, ",\n") + "}", nil
}
