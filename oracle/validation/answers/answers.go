// Package answers asks code that validation-gen made about objects.
package answers

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/code-generator/cmd/validation-gen/testscheme"
)

// Answer is a question and what the code says to it. Old is nil or null where an object is created.
type Answer struct {
	Tag          string          `json:"tag"`
	Type         string          `json:"type"`
	New          json.RawMessage `json:"new"`
	Old          json.RawMessage `json:"old"`
	Options      map[string]bool `json:"options,omitempty"`
	Subresources []string        `json:"subresources,omitempty"`
	Errors       []FieldError    `json:"errors"`
	// Whether Go finds the errors in another order each time, as it walks through a map.
	Unordered bool `json:"unordered,omitempty"`
}

// FieldError is one thing that is wrong.
type FieldError struct {
	Type     string `json:"type"`
	Field    string `json:"field"`
	Detail   string `json:"detail"`
	Origin   string `json:"origin"`
	BadValue string `json:"badValue"`
	Level    string `json:"level,omitempty"`
}

func (a *Answer) isUpdate() bool {
	return a.Old != nil && string(a.Old) != "null"
}

// TypesOf finds the types that a scheme validates, in a fixed order.
func TypesOf(scheme *testscheme.Scheme) []reflect.Type {
	functions := reflect.ValueOf(scheme).Elem().FieldByName("validationFuncs")
	type function = func(context.Context, operation.Operation, any, any) field.ErrorList
	known := *(*map[reflect.Type]function)(unsafe.Pointer(functions.UnsafeAddr()))
	types := []reflect.Type{}
	for t := range known {
		types = append(types, t)
	}
	sort.Slice(types, func(i, j int) bool { return types[i].String() < types[j].String() })
	return types
}

// TypeName is the name of a type without its package.
func TypeName(t reflect.Type) string {
	return t.String()[strings.LastIndex(t.String(), ".")+1:]
}

// Decode reads JSON into a value. It panics where it does not fit.
func Decode(text json.RawMessage, into reflect.Value) {
	if err := json.Unmarshal(text, into.Addr().Interface()); err != nil {
		panic(fmt.Sprintf("%s: %s", err, text))
	}
}

// Ask fills in the errors. It is false where the generated code panics.
func Ask(scheme *testscheme.Scheme, t reflect.Type, a *Answer) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	next, old := reflect.New(t).Elem(), reflect.New(t).Elem()
	Decode(a.New, next)
	if a.isUpdate() {
		Decode(a.Old, old)
	}
	validate := func() []FieldError {
		if !a.isUpdate() {
			return describe(scheme.Validate(context.Background(), a.Options, next.Interface(), a.Subresources...))
		}
		return describe(scheme.ValidateUpdate(context.Background(), a.Options, next.Interface(), old.Interface(), a.Subresources...))
	}
	a.Errors = validate()
	for range 8 {
		a.Unordered = a.Unordered || !reflect.DeepEqual(a.Errors, validate())
	}
	return true
}

func describe(list field.ErrorList) []FieldError {
	errors := []FieldError{}
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
		errors = append(errors, FieldError{string(e.Type), place, e.Detail, e.Origin, string(value), level})
	}
	return errors
}
