// Command go-types writes a TypeScript module with the Go types of fields that do not follow from the schema of Kubernetes' built-in types.
//
//	go run ./cmd/go-types > ../src/kinds/shape/go-types-data.ts
//
// An API server names Go types in its messages about malformed bodies. The schema has the names of structs, so the table has only numbers
// other than int32, named scalars, maps and lists, and bytes, at the versions in go.mod. It also has the embedded structs that declare fields,
// since the messages name these, too.
package main

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"

	"structured-merge-diff-oracle/structs"
)

func main() {
	found := map[reflect.Type][]string{}
	structs.Each(func(field structs.Field) {
		if unstable.MatchString(field.Owner.PkgPath()) {
			return
		}
		t := field.Type
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		known := ""
		if field.Declared != field.Owner && field.Declared.Name() != "TypeMeta" {
			known = field.Declared.Name() + "."
		}
		if !follows(t) {
			known += "=" + t.String()
		}
		if known != "" {
			found[field.Owner] = append(found[field.Owner], field.Name+":"+known)
		}
	})
	lines := map[reflect.Type]string{}
	for t, fields := range found {
		lines[t] = strings.Join(fields, " ")
	}
	err := structs.Print("oracle/cmd/go-types", "the Go types of fields that no schema tells",
		`JSON: {group: {type: "field:embedded struct.=Go type ..."}}.`, "goTypesData", lines)
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-types:", err)
		os.Exit(1)
	}
}

// unstable matches the packages of versions that no server of the release serves by default.
var unstable = regexp.MustCompile(`/v\d+(alpha|beta)\d+$`)

// follows tells whether the Go type follows from the schema: a struct, an unnamed scalar that is no int64, or a list or map of these.
func follows(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Interface:
		return true
	case reflect.Slice, reflect.Map:
		return t.Name() == "" && follows(t.Elem())
	case reflect.String, reflect.Bool, reflect.Int32:
		return t.PkgPath() == ""
	}
	return false
}
