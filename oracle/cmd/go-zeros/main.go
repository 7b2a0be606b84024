// Command go-zeros writes which fields of Kubernetes' built-in types Go leaves out although they are set, as a TypeScript module.
//
//	go run ./cmd/go-zeros > ../src/apiserver/shape/go-zeros-data.ts
//
// A field that is a pointer keeps a zero that it was given; one that is not, and is marked omitempty, loses it. A time that is no
// pointer is written as null. No OpenAPI document says which is which, so the Go structs are asked, at the versions in go.mod.
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
		fmt.Fprintln(os.Stderr, "go-zeros:", err)
		os.Exit(1)
	}
	fmt.Print("// Written by oracle/cmd/go-zeros: what Go writes of fields with a zero value, taken from the structs of k8s.io/api,\n")
	fmt.Print("// k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator (Apache-2.0).\n\n")
	fmt.Print("/** JSON: {group: {type: \"fields that are left out if zero|times that are null if absent\"}}. */\n")
	fmt.Print("export const goZerosData = `" + text + "`\n")
}

// zeros has the names of those fields of a struct that a zero changes.
type zeros struct{ dropped, null []string }

type structs map[reflect.Type]*zeros

func (s structs) add(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		s.add(t.Elem())
	case reflect.Struct:
		if _, seen := s[t]; !seen {
			s[t] = &zeros{}
			s.addFields(s[t], t)
		}
	}
}

// addFields enters the fields of t, and of the structs embedded in it.
func (s structs) addFields(into *zeros, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if strings.Contains(options, "inline") || (field.Anonymous && name == "") {
			if field.Type.Kind() == reflect.Struct && field.Type.Name() != "TypeMeta" {
				s.addFields(into, field.Type)
			}
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		switch {
		case isTime(field.Type):
			if !strings.Contains(options, "omitzero") {
				into.null = append(into.null, name)
			}
		case isScalar(field.Type) && strings.Contains(options, "omit"):
			into.dropped = append(into.dropped, name)
		}
		s.add(field.Type)
	}
}

func isTime(t reflect.Type) bool { return t.Name() == "Time" || t.Name() == "MicroTime" }

// isScalar tells whether values of the type are texts, numbers or booleans in JSON, and no pointers.
func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Float64:
		return true
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8
	}
	return false
}

// encode names types as src/kubernetes/schema-data.ts does.
func (s structs) encode() (string, error) {
	groups := map[string]map[string]string{}
	for t, fields := range s {
		if len(fields.dropped)+len(fields.null) == 0 {
			continue
		}
		group := strings.ReplaceAll("io."+strings.Replace(t.PkgPath(), "k8s.io/", "k8s/", 1), "/", ".") + "."
		if groups[group] == nil {
			groups[group] = map[string]string{}
		}
		text := strings.Join(fields.dropped, " ")
		if len(fields.null) > 0 {
			text += "|" + strings.Join(fields.null, " ")
		}
		groups[group][t.Name()] = text
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
