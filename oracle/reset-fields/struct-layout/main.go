// Command struct-layout writes how an API server spells the template of a Pod and some other structs in its messages, as a TypeScript module.
//
//	go run ./struct-layout > ../../src/kinds/validation/struct-layout-data.ts
//
// Messages show Go's own structs rather than JSON of the API: all fields in the order of the struct, under their Go names. Each
// field is [name in messages, path in the API, zero, type of what it holds], where zero is what an absent one shows: "~" null,
// "{" a struct of zeros, "-" nothing at all, else itself.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/policy"
	"k8s.io/kubernetes/pkg/apis/resource"
	"k8s.io/kubernetes/pkg/apis/storage"
)

func main() {
	found := layout{}
	found.add(reflect.TypeFor[core.PodTemplateSpec](), reflect.TypeFor[v1.PodTemplateSpec]())
	found.add(reflect.TypeFor[core.ObjectReference](), reflect.TypeFor[v1.ObjectReference]())
	found.add(reflect.TypeFor[core.Taint](), reflect.TypeFor[v1.Taint]())
	found.add(reflect.TypeFor[policy.PodDisruptionBudgetSpec](), reflect.TypeFor[policyv1.PodDisruptionBudgetSpec]())
	found.add(reflect.TypeFor[resource.ResourceClaimTemplateSpec](), reflect.TypeFor[resourcev1.ResourceClaimTemplateSpec]())
	found.add(reflect.TypeFor[storage.CSINodeDriver](), reflect.TypeFor[storagev1.CSINodeDriver]())
	lines := []string{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		fields, err := json.Marshal(found[name])
		if err != nil {
			fmt.Fprintln(os.Stderr, "struct-layout:", err)
			os.Exit(1)
		}
		lines = append(lines, fmt.Sprintf("%q:%s", name, fields))
	}
	fmt.Print("// Written by oracle/reset-fields/struct-layout from the structs of k8s.io/kubernetes (Apache-2.0).\n\n")
	fmt.Print("/** JSON: {type: fields}, as src/kinds/validation/struct-layout.ts reads it. */\n")
	fmt.Print("export const structLayoutData = String.raw`{" + strings.Join(lines, ",\n") + "}`\n")
}

type layout map[string][][]string

// add enters the internal type, whose counterpart in the API has the names.
func (l layout) add(internal, api reflect.Type) string {
	for internal.Kind() == reflect.Pointer || internal.Kind() == reflect.Slice || internal.Kind() == reflect.Map {
		internal, api = internal.Elem(), api.Elem()
	}
	name := internal.Name()
	if internal.Kind() != reflect.Struct || reflect.PointerTo(internal).Implements(reflect.TypeFor[json.Marshaler]()) {
		return ""
	}
	if _, seen := l[name]; !seen {
		l[name] = [][]string{}
		l[name] = l.fields(internal, api, "")
	}
	return name
}

// fields has the fields of a struct and of those embedded in it, which are at prefix in the API.
func (l layout) fields(internal, api reflect.Type, prefix string) [][]string {
	fields := [][]string{}
	for i := range internal.NumField() {
		field := internal.Field(i)
		inAPI, ok := api.FieldByName(field.Name)
		if !ok {
			continue
		}
		shown, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		name, _, _ := strings.Cut(inAPI.Tag.Get("json"), ",")
		if field.Anonymous && shown == "" {
			below := prefix
			if name != "" {
				below += name + "."
			}
			fields = append(fields, l.fields(field.Type, inAPI.Type, below)...)
			continue
		}
		if shown == "" {
			shown = field.Name
		}
		zero := zeroOf(field.Type)
		if strings.Contains(options, "omit") {
			zero = "-"
		}
		fields = append(fields, []string{shown, prefix + name, zero, l.add(field.Type, inAPI.Type)})
	}
	return fields
}

func zeroOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return `""`
	case reflect.Bool:
		return "false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "0"
	case reflect.Struct:
		if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
			text, _ := json.Marshal(reflect.New(t).Interface())
			return string(text)
		}
		return "{"
	}
	return "~"
}
