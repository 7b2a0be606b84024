package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// encodeTypes writes {"group.": {"Type": atom, …}, …}, a line for each group: type names are long, and most begin alike.
func encodeTypes(types map[string]schema.TypeDef) string {
	groups := map[string]map[string]schema.TypeDef{}
	for name, def := range types {
		group, local := splitName(name)
		if groups[group] == nil {
			groups[group] = map[string]schema.TypeDef{}
		}
		groups[group][local] = def
	}
	lines := []string{}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		entries := []string{}
		for _, local := range slices.Sorted(maps.Keys(groups[group])) {
			entries = append(entries, quote(local)+":"+encoder{group}.atom(groups[group][local].Atom))
		}
		lines = append(lines, quote(group)+":{"+strings.Join(entries, ",")+"}")
	}
	return "{" + strings.Join(lines, ",\n") + "}"
}

func encodeKinds(kinds map[kind]knownKind, numbers map[string]int) string {
	byVersion := map[string]map[string][2]any{}
	for k, found := range kinds {
		if byVersion[k.apiVersion] == nil {
			byVersion[k.apiVersion] = map[string][2]any{}
		}
		byVersion[k.apiVersion][k.name] = [2]any{found.typeName, numbers[found.zero]}
	}
	lines := []string{}
	for _, version := range slices.Sorted(maps.Keys(byVersion)) {
		lines = append(lines, quote(version)+":"+quote(byVersion[version]))
	}
	return "{" + strings.Join(lines, ",\n") + "}"
}

// numberZeros returns the different zero values in the order of their texts, and the place of each.
func numberZeros(kinds map[kind]knownKind) (zeros []string, numbers map[string]int) {
	numbers = map[string]int{}
	for _, found := range kinds {
		numbers[found.zero] = 0
	}
	zeros = slices.Sorted(maps.Keys(numbers))
	for i, zero := range zeros {
		numbers[zero] = i
	}
	return zeros, numbers
}

// splitName splits a type name behind its last dot.
func splitName(name string) (group, local string) {
	i := strings.LastIndex(name, ".") + 1
	return name[:i], name[i:]
}

// An encoder writes the types of one group. Names of the same group lose it.
type encoder struct{ group string }

func (e encoder) reference(ref schema.TypeRef) string {
	if ref.NamedType == nil {
		if ref.ElementRelationship != nil || ref.Nullable {
			panic(fmt.Sprintf("reference without a name has more than a type: %+v", ref))
		}
		return e.atom(ref.Inlined)
	}
	name := e.shorten(*ref.NamedType)
	if ref.ElementRelationship == nil && !ref.Nullable {
		return quote(name)
	}
	members := []string{`"t":` + quote(name)}
	if ref.ElementRelationship != nil {
		members = append(members, `"r":`+quote(letter(string(*ref.ElementRelationship))))
	}
	if ref.Nullable {
		members = append(members, `"n":true`)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// shorten drops the group from names of this group. The other names have a dot or begin with an underscore.
func (e encoder) shorten(name string) string {
	if strings.HasPrefix(name, "_") {
		return name
	}
	group, local := splitName(name)
	if group == "" || len(local) == 1 {
		panic("type name reads as something else: " + name)
	}
	if group == e.group {
		return local
	}
	return name
}

func (e encoder) atom(atom schema.Atom) string {
	if atom.List == nil && atom.Map == nil && atom.Scalar != nil {
		return quote(letter(string(*atom.Scalar)))
	}
	if atom.Scalar == nil && atom.Map == nil && atom.List != nil {
		return e.list(atom.List)
	}
	members := []string{}
	if atom.Scalar != nil {
		members = append(members, `"s":`+quote(letter(string(*atom.Scalar))))
	}
	if atom.List != nil {
		members = append(members, `"l":`+e.list(atom.List))
	}
	if atom.Map != nil {
		members = append(members, e.mapMembers(atom.Map)...)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (e encoder) list(list *schema.List) string {
	parts := []string{quote(letter(string(list.ElementRelationship))), e.reference(list.ElementType)}
	for _, key := range list.Keys {
		parts = append(parts, quote(key))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (e encoder) mapMembers(m *schema.Map) []string {
	fields, defaults := []string{}, []string{}
	for _, field := range m.Fields {
		fields = append(fields, quote(field.Name)+":"+e.reference(field.Type))
		if field.Default != nil {
			defaults = append(defaults, quote(field.Name)+":"+quote(jsonValue(field.Default)))
		}
	}
	members := []string{}
	if !isZero(m.ElementType) {
		members = append(members, `"e":`+e.reference(m.ElementType))
	}
	if len(fields) > 0 || len(members) == 0 {
		members = append(members, `"f":{`+strings.Join(fields, ",")+"}")
	}
	if len(defaults) > 0 {
		members = append(members, `"d":{`+strings.Join(defaults, ",")+"}")
	}
	if m.ElementRelationship != "" {
		members = append(members, `"r":`+quote(letter(string(m.ElementRelationship))))
	}
	return members
}

func isZero(ref schema.TypeRef) bool {
	return ref.NamedType == nil && ref.Inlined == (schema.Atom{})
}

// letter abbreviates scalars and relationships, whose first letters all differ where they stand for the same thing.
func letter(word string) string {
	switch word {
	case "string", "numeric", "boolean", "untyped":
		return word[:1]
	case "atomic", "associative", "separable":
		return map[string]string{"atomic": "a", "associative": "k", "separable": "s"}[word]
	}
	panic("unknown word " + word)
}

// jsonValue gives the maps of a YAML value string keys.
func jsonValue(v any) any {
	switch t := v.(type) {
	case map[any]any:
		out := map[string]any{}
		for key, item := range t {
			out[key.(string)] = jsonValue(item)
		}
		return out
	case []any:
		for i := range t {
			t[i] = jsonValue(t[i])
		}
	}
	return v
}

func quote(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
