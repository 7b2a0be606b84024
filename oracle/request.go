package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	yaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// A request, or one step of a story. It has the text of its members, which operations decode as needed.
type request struct {
	fields map[string]json.RawMessage
}

func parseRequest(raw []byte) (*request, error) {
	r := &request{}
	return r, json.Unmarshal(raw, &r.fields)
}

func (r *request) has(name string) bool {
	_, ok := r.fields[name]
	return ok
}

// text returns a string member, the text of any other JSON, or "" if the member is absent.
func (r *request) text(name string) string {
	return textOf(r.fields[name])
}

func textOf(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	return string(raw)
}

func (r *request) flag(name string) bool {
	return string(r.fields[name]) == "true"
}

func (r *request) list(name string) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if err := r.decode(name, &items); err != nil {
		return nil, err
	}
	return items, nil
}

// decode fills target from a member, and does not change it if the member is absent.
func (r *request) decode(name string, target any) error {
	raw, ok := r.fields[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, target); err != nil {
		return fmt.Errorf("invalid %s: %w", name, err)
	}
	return nil
}

// untyped returns the operand under name (JSON) or nameYAML (YAML text).
func (r *request) untyped(name string) (any, error) {
	if text, ok := r.fields[name+"YAML"]; ok {
		var v any
		return v, yaml.Unmarshal([]byte(textOf(text)), &v)
	}
	return decodeValue(r.fields[name])
}

func (r *request) value(name string) (value.Value, error) {
	v, err := r.untyped(name)
	return value.NewValueInterface(v), err
}

// typed reads the operand under name as a value of the given type.
func (r *request) typed(name string, t documentType) (*typed.TypedValue, error) {
	v, err := r.value(name)
	if err != nil {
		return nil, err
	}
	if r.flag("unvalidated") {
		return typed.AsTypedUnvalidated(v, t.Schema, t.TypeRef), nil
	}
	return typed.AsTyped(v, t.Schema, t.TypeRef, r.duplicates(name)...)
}

// duplicates returns whether the operand may have duplicate items. The request allows it for all operands or for this one.
func (r *request) duplicates(name string) []typed.ValidationOptions {
	if r.flag("allowDuplicates") || r.flag(name+"AllowDuplicates") {
		return []typed.ValidationOptions{typed.AllowDuplicates}
	}
	return nil
}

// set reads a member in FieldsV1, as an object or as text.
func (r *request) set(name string) (*fieldpath.Set, error) {
	return parseSet(r.fields[name])
}

func parseSet(raw json.RawMessage) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if raw == nil {
		return set, nil
	}
	return set, set.FromJSON(bytes.NewReader([]byte(textOf(raw))))
}

func (r *request) path(name string) (fieldpath.Path, error) {
	items, err := r.list(name)
	if err != nil {
		return nil, err
	}
	return parsePath(items)
}

func parsePath(items []json.RawMessage) (fieldpath.Path, error) {
	path := make(fieldpath.Path, 0, len(items))
	for _, item := range items {
		element, err := fieldpath.DeserializePathElement(textOf(item))
		if err != nil {
			return nil, err
		}
		path = append(path, element)
	}
	return path, nil
}

// decodeValue reads JSON as Kubernetes does: a number is an int64 if it is written as an integer that fits, else a float64.
func decodeValue(raw json.RawMessage) (any, error) {
	if raw == nil {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil && err != io.EOF {
		return nil, err
	}
	return withExactNumbers(v)
}

func withExactNumbers(v any) (any, error) {
	var err error
	switch t := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(t.String(), 10, 64); err == nil {
			return i, nil
		}
		return t.Float64()
	case []any:
		for i := range t {
			if t[i], err = withExactNumbers(t[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range t {
			if t[key], err = withExactNumbers(t[key]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
