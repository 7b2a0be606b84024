// Command go-zeros writes which fields of Kubernetes' built-in types Go leaves out although they are set, as a TypeScript module.
//
//	go run ./cmd/go-zeros > ../src/kinds/shape/go-zeros-data.ts
//
// A field that is a pointer keeps a zero that it was given; one that is not, and is marked omitempty, loses it. A time that is no
// pointer is written as null, and so is a list that is not marked omitempty. No OpenAPI document says which is which, so the Go structs are asked, at the versions in go.mod.
package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"structured-merge-diff-oracle/structs"
)

func main() {
	found := map[reflect.Type]*zeros{}
	structs.Each(func(field structs.Field) {
		if field.Declared.Name() == "TypeMeta" || strings.HasSuffix(field.Owner.Name(), "List") {
			return
		}
		at := found[field.Owner]
		if at == nil {
			at = &zeros{}
			found[field.Owner] = at
		}
		switch {
		case isTime(field.Type):
			if !strings.Contains(field.Options, "omitzero") {
				at.null = append(at.null, field.Name)
			}
		case isList(field.Type) && !strings.Contains(field.Options, "omit"):
			at.null = append(at.null, field.Name)
		case isScalar(field.Type) && strings.Contains(field.Options, "omit"):
			at.dropped = append(at.dropped, field.Name)
		}
	})
	lists := map[reflect.Type]string{}
	for t, fields := range found {
		if list := fields.String(); list != "" {
			lists[t] = list
		}
	}
	err := structs.Print("oracle/cmd/go-zeros", "what Go writes of fields with a zero value",
		`JSON: {group: {type: "fields that are left out if zero|times and lists that are null if absent"}}.`, "goZerosData", lists)
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-zeros:", err)
		os.Exit(1)
	}
}

// zeros has the names of those fields of a struct that a zero changes.
type zeros struct{ dropped, null []string }

// String is the spelling of the data: "dropped ...|null ...".
func (z *zeros) String() string {
	text := strings.Join(z.dropped, " ")
	if len(z.null) > 0 {
		text += "|" + strings.Join(z.null, " ")
	}
	return text
}

func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
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
