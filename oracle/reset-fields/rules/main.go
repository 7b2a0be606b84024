// Command rules answers with the errors that the generated validation of Kubernetes' kinds finds in objects.
//
//	go run ./rules
//	go run ./rules list    prints the import paths of the types instead
//
// It reads questions from standard input, a line of JSON each: {"tag": the import path of the types, "type", "new", "old", "options",
// "subresources"}. It answers with {"errors": [...]}, or with {"panics": true}. test/validation/fuzz/kinds.ts asks it. packages.go lists
// the packages with generated validation.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
)

type question struct {
	Tag          string          `json:"tag"`
	Type         string          `json:"type"`
	New          json.RawMessage `json:"new"`
	Old          json.RawMessage `json:"old"`
	Options      map[string]bool `json:"options"`
	Subresources []string        `json:"subresources"`
}

type fieldError struct {
	Type     string `json:"type"`
	Field    string `json:"field"`
	Detail   string `json:"detail"`
	Origin   string `json:"origin"`
	BadValue string `json:"badValue"`
	Level    string `json:"level,omitempty"`
}

func main() {
	schemes := map[string]*runtime.Scheme{}
	for path, register := range registered {
		schemes[path] = runtime.NewScheme()
		if err := scheme.AddToScheme(schemes[path]); err != nil {
			panic(err)
		}
		if err := register(schemes[path]); err != nil {
			panic(err)
		}
	}
	if len(os.Args) > 1 {
		text, _ := json.Marshal(slices.Sorted(maps.Keys(registered)))
		fmt.Println(string(text))
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		text, err := json.Marshal(answer(schemes[q.Tag], q))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", text)
	}
}

func answer(s *runtime.Scheme, q question) (reply any) {
	defer func() {
		if r := recover(); r != nil {
			reply = map[string]any{"panics": true, "reason": fmt.Sprint(r)}
		}
	}()
	next, old := read(s, q, q.New), read(s, q, q.Old)
	validate := func() []fieldError {
		if old == nil {
			return describe(s.Validate(context.Background(), q.Options, next, q.Subresources...))
		}
		return describe(s.ValidateUpdate(context.Background(), q.Options, next, old, q.Subresources...))
	}
	// Validation that walks a map finds errors in a random order. Enough attempts show it, and then the order is made the same each time.
	errors, unordered := validate(), false
	for i := 0; i < 24 && !unordered && len(errors) > 1; i++ {
		unordered = !reflect.DeepEqual(errors, validate())
	}
	if unordered {
		slices.SortFunc(errors, func(a, b fieldError) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return map[string]any{"errors": errors, "unordered": unordered}
}

func read(s *runtime.Scheme, q question, text json.RawMessage) runtime.Object {
	if text == nil || string(text) == "null" {
		return nil
	}
	object := objectOf(s, q)
	if err := json.Unmarshal(text, object); err != nil {
		panic(err)
	}
	return object
}

// objectOf makes an object of the Go type that the question names.
func objectOf(s *runtime.Scheme, q question) runtime.Object {
	for kind, t := range s.AllKnownTypes() {
		if t.PkgPath() == q.Tag && t.Name() == q.Type {
			object, err := s.New(schema.GroupVersionKind(kind))
			if err != nil {
				panic(err)
			}
			return object
		}
	}
	panic("no type " + q.Tag + "." + q.Type)
}

func describe(list field.ErrorList) []fieldError {
	errors := []fieldError{}
	for _, e := range list {
		place := e.Field
		if place == "<nil>" {
			place = ""
		}
		level := ""
		if e.IsAlpha() {
			level = "alpha"
		} else if e.IsBeta() {
			level = "beta"
		}
		value, _ := json.Marshal(e.BadValue)
		errors = append(errors, fieldError{string(e.Type), place, e.Detail, e.Origin, string(value), level})
	}
	return errors
}
