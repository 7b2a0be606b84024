package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v2"
	schema4 "sigs.k8s.io/structured-merge-diff/v4/schema"
	typed4 "sigs.k8s.io/structured-merge-diff/v4/typed"
	value4 "sigs.k8s.io/structured-merge-diff/v4/value"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func init() {
	register(map[string]operation{
		"normalizeUnions":      func(req *request) (answer, error) { return normalizeOperands(req, normalizeUpdate) },
		"normalizeUnionsApply": func(req *request) (answer, error) { return normalizeOperands(req, normalizeApply) },
	})
}

// A normalization returns rhs with its unions settled, as in v4. It does not change rhs.
type normalization func(p schemaPair, lhs, rhs *typed.TypedValue) (*typed.TypedValue, error)

func normalizeUpdate(p schemaPair, live, next *typed.TypedValue) (*typed.TypedValue, error) {
	return p.normalize(live, next, (*typed4.TypedValue).NormalizeUnions)
}

func normalizeApply(p schemaPair, applied, target *typed.TypedValue) (*typed.TypedValue, error) {
	return p.normalize(applied, target, (*typed4.TypedValue).NormalizeUnionsApply)
}

func normalizeOperands(req *request, run normalization) (answer, error) {
	if err := checkUnionPolicy(req); err != nil {
		return nil, err
	}
	t, err := req.documentType()
	if err != nil {
		return nil, err
	}
	lhs, err := req.typed("lhs", t)
	if err != nil {
		return nil, err
	}
	next := lhs
	if !req.flag("self") {
		if next, err = req.typed("new", t); err != nil {
			return nil, err
		}
	}
	result, err := run(t.pair, lhs, next)
	if err != nil {
		return nil, err
	}
	out := typedAnswer(result)
	out["lhsAfter"], out["newAfter"] = plainValue(lhs.AsValue()), plainValue(next.AsValue())
	return out, nil
}

// checkUnionPolicy refuses policies that no released module has.
func checkUnionPolicy(req *request) error {
	if policy := req.text("unions"); policy != "" && policy != "off" && policy != "v4" {
		return fmt.Errorf("union policy %q has no reference", policy)
	}
	return nil
}

func unionsEnabled(req *request) bool {
	return req.text("unions") == "v4" || req.flag("enableUnions")
}

func (p schemaPair) normalize(lhs, rhs *typed.TypedValue, run func(*typed4.TypedValue, *typed4.TypedValue) (*typed4.TypedValue, error)) (*typed.TypedValue, error) {
	left, err := p.asV4(lhs)
	if err != nil {
		return nil, err
	}
	right, err := p.asV4(rhs)
	if err != nil {
		return nil, err
	}
	result, err := run(left, right)
	if err != nil {
		return nil, errors.New(p.steadyMessage(err.Error()))
	}
	// Two empty operands leave no value at all, which later steps distinguish from null.
	var v value.Value
	if result.AsValue() != nil {
		v = value.NewValueInterface(result.AsValue().Unstructured())
	}
	return typed.AsTypedUnvalidated(v, p.v6, rhs.TypeRef()), nil
}

// asV4 returns tv in the older module. The value is copied, because that module writes into what it normalizes.
func (p schemaPair) asV4(tv *typed.TypedValue) (*typed4.TypedValue, error) {
	ref := schema4.TypeRef{NamedType: tv.TypeRef().NamedType}
	if ref.NamedType == nil {
		text, err := yaml.Marshal(tv.TypeRef())
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(text, &ref); err != nil {
			return nil, err
		}
	}
	var v value4.Value
	if tv.AsValue() != nil {
		v = value4.NewValueInterface(clone(tv.AsValue().Unstructured()))
	}
	return typed4.AsTypedUnvalidated(v, p.v4, ref), nil
}

func clone(v any) any {
	switch t := v.(type) {
	case map[any]any:
		out := make(map[any]any, len(t))
		for key, item := range t {
			out[key] = clone(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(t))
		for key, item := range t {
			out[key] = clone(item)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, item := range t {
			out[i] = clone(item)
		}
		return out
	}
	return v
}

var (
	pointers    = regexp.MustCompile(`\(0x[0-9a-f]+\) don't match`)
	memberLists = regexp.MustCompile(`(?m)(more than one field of union applied: |multiple new fields added: |multiple fields set without discriminator change: )(.*)$`)
)

// steadyMessage removes random parts from a message of v4, which prints the address of one member's name, and lists of members in the
// order of a Go map. It sorts the lists like the schema.
func (p schemaPair) steadyMessage(text string) string {
	text = pointers.ReplaceAllLiteralString(text, "(0xPTR) don't match")
	return memberLists.ReplaceAllStringFunc(text, func(found string) string {
		parts := memberLists.FindStringSubmatch(found)
		members := strings.Split(parts[2], ", ")
		for _, union := range p.unions() {
			if positions, ok := positionsIn(union, members); ok {
				slices.SortFunc(members, func(a, b string) int { return positions[a] - positions[b] })
				break
			}
		}
		return parts[1] + strings.Join(members, ", ")
	})
}

func positionsIn(union schema4.Union, members []string) (map[string]int, bool) {
	positions := map[string]int{}
	for i, field := range union.Fields {
		positions[field.FieldName] = i
	}
	for _, member := range members {
		if _, ok := positions[member]; !ok {
			return nil, false
		}
	}
	return positions, true
}

// unions returns every union of the schema, including the unions of types written in place.
func (p schemaPair) unions() []schema4.Union {
	var found []schema4.Union
	var visit func(schema4.Atom)
	visit = func(atom schema4.Atom) {
		if atom.List != nil {
			visit(atom.List.ElementType.Inlined)
		}
		if atom.Map != nil {
			found = append(found, atom.Map.Unions...)
			visit(atom.Map.ElementType.Inlined)
			for _, field := range atom.Map.Fields {
				visit(field.Type.Inlined)
			}
		}
	}
	for _, def := range p.v4.Types {
		visit(def.Atom)
	}
	return found
}
