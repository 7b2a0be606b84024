package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// The named test converters. Each returns errMissingVersion, or its own error if the reference's tests have one.
var errMissingVersion = errors.New("cannot convert to invalid version")

// converterNamed returns the converter for a story. It uses the current types and accepted versions of the story.
func converterNamed(name string, s *story) (merge.Converter, error) {
	switch name {
	case "":
		return converter{convertSame}, nil
	case "specificVersions":
		return specificVersions{s}, nil
	case "renaming":
		return converter{s.convertRenaming}, nil
	case "repeating":
		return converter{s.convertRepeating}, nil
	case "reliantFields":
		return converter{s.convertReliant}, nil
	case "trading":
		return newTrading(s)
	}
	return nil, fmt.Errorf("unknown converter %q", name)
}

type converter struct {
	convert func(*typed.TypedValue, fieldpath.APIVersion) (*typed.TypedValue, error)
}

func (c converter) Convert(tv *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	return c.convert(tv, version)
}

func (converter) IsMissingVersionError(err error) bool {
	return err == errMissingVersion
}

func convertSame(tv *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if version == "" {
		return nil, fmt.Errorf("cannot convert to invalid version: %q", version)
	}
	return tv, nil
}

// specificVersions treats every failure as a missing version.
type specificVersions struct{ story *story }

func (c specificVersions) Convert(tv *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if slices.Contains(c.story.acceptedVersions, string(version)) {
		return tv, nil
	}
	return nil, fmt.Errorf("Unknown version: %v", version)
}

func (specificVersions) IsMissingVersionError(err error) bool {
	return err != nil
}

// versionOf returns the version of tv: the version whose type tv has, or else the name of its type.
func (s *story) versionOf(tv *typed.TypedValue) fieldpath.APIVersion {
	name := tv.TypeRef().NamedType
	if name == nil {
		return ""
	}
	for version, typeName := range s.typesByVersion {
		if typeName == *name {
			return fieldpath.APIVersion(version)
		}
	}
	return fieldpath.APIVersion(*name)
}

func (s *story) convertRenaming(tv *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	var v any
	if tv.AsValue() != nil {
		v = renameKeys(tv.AsValue().Unstructured(), string(s.versionOf(tv)), string(version))
	}
	return s.typeOf(version).FromUnstructured(v)
}

// renameKeys replaces the ending from by to, in every key that has it.
func renameKeys(v any, from, to string) any {
	renamed := func(key string) string {
		if stem, ok := strings.CutSuffix(key, from); ok {
			return stem + to
		}
		return key
	}
	switch t := v.(type) {
	case map[any]any:
		out := map[string]any{}
		for key, item := range t {
			if text, ok := key.(string); ok {
				out[renamed(text)] = renameKeys(item, from, to)
			}
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, item := range t {
			out[renamed(key)] = renameKeys(item, from, to)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, item := range t {
			out[i] = renameKeys(item, from, to)
		}
		return out
	}
	return v
}

// convertRepeating works on the YAML text of the object: below its first line, each indented line is a key. It repeats the first
// character of the key as often as the version's number says. It drops the text after the key, and further keys of the root.
func (s *story) convertRepeating(tv *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	digits, ok := strings.CutPrefix(string(version), "v")
	times, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return nil, errMissingVersion
	}
	text, err := yamlText(tv)
	if err != nil {
		return nil, err
	}
	first, rest, _ := strings.Cut(text, "\n")
	out := first
	for _, line := range strings.Split(rest, "\n") {
		key := strings.TrimLeft(line, " ")
		if len(key) == len(line) {
			break
		}
		indent := line[:len(line)-len(key)]
		out += "\n" + indent + strings.Repeat(key[:1], times) + ":"
	}
	return s.typeOf(version).FromYAML(typed.YAMLObject(out))
}

// convertReliant fails from v2 to v1 if required_field_bar is missing.
func (s *story) convertReliant(tv *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	const inV1, inV2 = "field_foo_rely_on_bar", "required_field_bar"
	if s.versionOf(tv) == version {
		return tv, nil
	}
	text, err := yamlText(tv)
	if err != nil {
		return nil, err
	}
	switch version {
	case "v1":
		if !strings.Contains(text, inV2) {
			return nil, errors.New("missing requried field bar")
		}
		text = strings.ReplaceAll(text, inV2, inV1)
	case "v2":
		text = strings.ReplaceAll(text, inV1, inV2)
	default:
		return nil, errMissingVersion
	}
	return s.typeOf(version).FromYAML(typed.YAMLObject(text))
}

// trading has the fields that each version names differently, at any depth: a map from the name in that version to the common
// name. A field that a version lacks is kept, lost or refused. If a version is not accepted, either the version is missing or the
// conversion fails.
type trading struct {
	story           *story
	names           map[fieldpath.APIVersion]map[string]string
	unknownFields   string
	refusesVersions bool
}

func newTrading(s *story) (merge.Converter, error) {
	t := trading{story: s, unknownFields: s.request.text("unknownFields"), refusesVersions: s.request.flag("refusesVersions")}
	return t, s.request.decode("fieldNames", &t.names)
}

func (t trading) IsMissingVersionError(err error) bool {
	return err == errMissingVersion
}

func (t trading) Convert(tv *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	from := t.story.versionOf(tv)
	if from == version {
		return tv, nil
	}
	if !slices.Contains(t.story.acceptedVersions, string(version)) {
		if t.refusesVersions {
			return nil, fmt.Errorf("no version %q", version)
		}
		return nil, errMissingVersion
	}
	var v any
	if tv.AsValue() != nil {
		var err error
		if v, err = t.renamed(tv.AsValue().Unstructured(), from, version); err != nil {
			return nil, err
		}
	}
	return t.story.typeOf(version).FromUnstructured(v, typed.AllowDuplicates)
}

func (t trading) renamed(v any, from, to fieldpath.APIVersion) (any, error) {
	switch v := v.(type) {
	case map[any]any:
		fields := map[string]any{}
		for key, item := range v {
			if text, ok := key.(string); ok {
				fields[text] = item
			}
		}
		return t.renamedFields(fields, from, to)
	case map[string]any:
		return t.renamedFields(v, from, to)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			var err error
			if out[i], err = t.renamed(item, from, to); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

// renamedFields goes through the names in their order, so if two fields become one, the later field stays.
func (t trading) renamedFields(fields map[string]any, from, to fieldpath.APIVersion) (any, error) {
	out := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		name, ok := t.nameAt(key, from, to)
		if !ok && t.unknownFields == "lose" {
			continue
		}
		if !ok && t.unknownFields == "refuse" {
			return nil, fmt.Errorf("no field %q in version %q", key, to)
		}
		item, err := t.renamed(fields[key], from, to)
		if err != nil {
			return nil, err
		}
		out[name] = item
	}
	return out, nil
}

// nameAt returns the name itself, and false, if the other version has no such field.
func (t trading) nameAt(name string, from, to fieldpath.APIVersion) (string, bool) {
	common, ok := t.names[from][name]
	if !ok {
		return name, true
	}
	for other, candidate := range t.names[to] {
		if candidate == common {
			return other, true
		}
	}
	return name, false
}

func yamlText(tv *typed.TypedValue) (string, error) {
	var v any
	if tv.AsValue() != nil {
		v = tv.AsValue().Unstructured()
	}
	text, err := yaml.Marshal(v)
	return string(text), err
}
