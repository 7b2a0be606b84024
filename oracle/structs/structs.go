// Package structs goes through the Go structs that Kubernetes' built-in kinds consist of.
package structs

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/scheme"
)

// Field is a field of a struct, as JSON has it.
type Field struct {
	// Owner is the struct that has the field in JSON, Declared the one embedded in it that declares it, or the same.
	Owner, Declared reflect.Type
	// Name and Options are what the tag for JSON says.
	Name, Options string
	reflect.StructField
}

// Schemes know the built-in kinds and their Go types.
var Schemes = []*runtime.Scheme{scheme.Scheme, apiextensions.Scheme, aggregator.Scheme}

// Each calls visit with each field of each struct that a kind of client-go, apiextensions-apiserver or kube-aggregator consists of.
func Each(visit func(Field)) {
	seen := walk{visit: visit, types: map[reflect.Type]bool{}}
	for _, known := range Schemes {
		for kind, goType := range known.AllKnownTypes() {
			if kind.Version != runtime.APIVersionInternal {
				seen.add(goType)
			}
		}
	}
}

type walk struct {
	visit func(Field)
	types map[reflect.Type]bool
}

func (w walk) add(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		w.add(t.Elem())
	case reflect.Struct:
		if !w.types[t] {
			w.types[t] = true
			w.addFields(t, t)
		}
	}
}

func (w walk) addFields(owner, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if strings.Contains(options, "inline") || (field.Anonymous && name == "") {
			if field.Type.Kind() == reflect.Struct {
				w.addFields(owner, field.Type)
			}
			continue
		}
		if name != "" && name != "-" {
			w.visit(Field{owner, t, name, options, field})
			w.add(field.Type)
		}
	}
}

// Print writes a TypeScript module with a constant, whose value is {group: {type: value}} as JSON with a line for each group. Types are
// named as in src/kubernetes/schema-data.ts.
func Print[T any](command, contents, comment, constant string, values map[reflect.Type]T) error {
	groups := map[string]map[string]T{}
	for t, value := range values {
		group := strings.ReplaceAll("io."+strings.Replace(t.PkgPath(), "k8s.io/", "k8s/", 1), "/", ".") + "."
		if groups[group] == nil {
			groups[group] = map[string]T{}
		}
		groups[group][t.Name()] = value
	}
	lines := []string{}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		types, err := json.Marshal(groups[name])
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%q:%s", name, types))
	}
	fmt.Printf("// Written by %s: %s, taken from k8s.io/api,\n", command, contents)
	fmt.Print("// k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator (Apache-2.0).\n\n")
	fmt.Printf("/** %s */\n", comment)
	fmt.Printf("export const %s = `{%s}`\n", constant, strings.Join(lines, ",\n"))
	return nil
}
