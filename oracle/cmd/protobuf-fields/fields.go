package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// writeFields writes the module. Types are numbered in the order in which they are met.
func writeFields(kinds []kind) error {
	table := &table{numbers: map[reflect.Type]int{}}
	var names strings.Builder
	last := "-"
	for _, k := range kinds {
		if k.apiVersion != last {
			last = k.apiVersion
			fmt.Fprintf(&names, "\n%s", last)
		}
		number, err := table.number(k.goType)
		if err != nil {
			return fmt.Errorf("%s %s: %w", k.apiVersion, k.name, err)
		}
		fmt.Fprintf(&names, " %s:%d", k.name, number)
	}
	fmt.Print("// Written by oracle/cmd/protobuf-fields: the fields of Kubernetes' built-in types in protobuf and in JSON, taken from k8s.io/api,\n")
	fmt.Print("// k8s.io/apimachinery, k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator (Apache-2.0).\n\n")
	fmt.Print("/** Kinds by version, as src/apiserver/protobuf/message-types.ts reads them. */\n")
	fmt.Print("export const kindsData = `" + strings.TrimPrefix(names.String(), "\n") + "`\n\n")
	fmt.Print("/** Types, a line each, as src/apiserver/protobuf/message-types.ts reads them. */\n")
	fmt.Print("export const typesData = `" + strings.Join(table.lines, "\n") + "`\n")
	return nil
}

// table has the fields of structs, a line each.
type table struct {
	numbers map[reflect.Type]int
	lines   []string
}

func (t *table) number(goType reflect.Type) (int, error) {
	if number, seen := t.numbers[goType]; seen {
		return number, nil
	}
	number := len(t.lines)
	t.numbers[goType] = number
	t.lines = append(t.lines, "")
	fields := []string{}
	for i := range goType.NumField() {
		field, err := t.field(goType.Field(i))
		if err != nil {
			return 0, fmt.Errorf("%s.%s: %w", goType.Name(), goType.Field(i).Name, err)
		}
		if field != "" {
			fields = append(fields, field)
		}
	}
	t.lines[number] = strings.Join(fields, " ")
	return number, nil
}

// field writes a field: its number, its name in JSON, whether JSON omits it, and its type; "" for a field that the message does not have.
func (t *table) field(field reflect.StructField) (string, error) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	tag := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(tag) < 2 {
		if field.Name == "TypeMeta" {
			return "", nil // The envelope has the kind and the version.
		}
		return "", fmt.Errorf("has no number")
	}
	goType, err := t.typeOf(field.Type)
	if err != nil {
		return "", err
	}
	inline := strings.Contains(options, "inline") || (field.Anonymous && name == "")
	if inline != (name == "") || (inline && field.Type.Kind() != reflect.Struct) {
		return "", fmt.Errorf("is embedded in a way that is not known here")
	}
	omits := "="
	switch {
	case strings.Contains(options, "omitzero"):
		if goType != "T" && goType != "M" {
			return "", fmt.Errorf("omitzero is supported only for times")
		}
		omits = "?"
	case strings.Contains(options, "omitempty") && field.Type.Kind() != reflect.Struct:
		omits = "?"
	}
	return tag[1] + name + omits + goType, nil
}

// special are the types that write their own JSON. A, B and P hold a schema, whose type follows.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   "Q",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": "I",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":       "T",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":  "M",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":   "J",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":    "J",
	extensions + "JSON":                               "J",
	extensions + "JSONSchemaPropsOrArray":             "A",
	extensions + "JSONSchemaPropsOrBool":              "B",
	extensions + "JSONSchemaPropsOrStringArray":       "P",
}

const extensions = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1."

var jsonMarshaler = reflect.TypeFor[json.Marshaler]()

func (t *table) typeOf(goType reflect.Type) (string, error) {
	name := goType.PkgPath() + "." + goType.Name()
	switch letter := special[name]; letter {
	case "":
	case "A", "B", "P":
		return t.withPrefix(letter, reflect.TypeFor[apiextensionsv1.JSONSchemaProps]())
	default:
		return letter, nil
	}
	if goType.Implements(jsonMarshaler) && goType.Kind() != reflect.Pointer {
		return "", fmt.Errorf("%s writes its own JSON", name)
	}
	switch goType.Kind() {
	case reflect.String:
		return "s", nil
	case reflect.Bool:
		return "b", nil
	case reflect.Int32:
		return "i", nil
	case reflect.Int64, reflect.Int:
		return "l", nil
	case reflect.Float64:
		return "d", nil
	case reflect.Struct:
		number, err := t.number(goType)
		return fmt.Sprint(number), err
	case reflect.Pointer:
		return t.withPrefix("*", goType.Elem())
	case reflect.Map:
		if goType.Key().Kind() != reflect.String {
			return "", fmt.Errorf("a map with keys of %s", goType.Key())
		}
		return t.withPrefix("{", goType.Elem())
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return "y", nil
		}
		// A named list can be a message of its own, whose one field is the list.
		if reflect.PointerTo(goType).Implements(messageType) {
			return t.withPrefix("(", goType.Elem())
		}
		return t.withPrefix("[", goType.Elem())
	}
	return "", fmt.Errorf("%s is not known here", goType)
}

func (t *table) withPrefix(prefix string, goType reflect.Type) (string, error) {
	text, err := t.typeOf(goType)
	return prefix + text, err
}
