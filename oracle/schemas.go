package main

import (
	"fmt"

	yaml "go.yaml.in/yaml/v2"
	schema4 "sigs.k8s.io/structured-merge-diff/v4/schema"
	typed4 "sigs.k8s.io/structured-merge-diff/v4/typed"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A schemaPair is one schema document as both modules read it.
type schemaPair struct {
	v6 *schema.Schema
	v4 *schema4.Schema
}

// A documentType is a type of one schema document.
type documentType struct {
	typed.ParseableType
	pair schemaPair
}

// A typeLookup finds the type of each version in a story.
type typeLookup func(fieldpath.APIVersion) documentType

// Stories and fuzz runs send the same document many times. A reused document has already resolved its names and overrides.
var (
	cachedSchemas    = map[string]schemaPair{}
	maxCachedSchemas = 512
)

// schemaOf reads a schema document, which v6 validates.
func schemaOf(text string) (schemaPair, error) {
	if pair, ok := cachedSchemas[text]; ok {
		return pair, nil
	}
	parser, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		return schemaPair{}, err
	}
	pair := schemaPair{&parser.Schema, &schema4.Schema{}}
	if err := yaml.Unmarshal([]byte(text), pair.v4); err != nil {
		return schemaPair{}, err
	}
	if len(cachedSchemas) >= maxCachedSchemas {
		clear(cachedSchemas)
	}
	cachedSchemas[text] = pair
	return pair, nil
}

func (p schemaPair) named(name string) documentType {
	return documentType{typed.ParseableType{Schema: p.v6, TypeRef: schema.TypeRef{NamedType: &name}}, p}
}

// inline returns the type that a reference, written as YAML or JSON, stands for.
func (p schemaPair) inline(text string) (documentType, error) {
	t := documentType{typed.ParseableType{Schema: p.v6}, p}
	if err := yaml.Unmarshal([]byte(text), &t.TypeRef); err != nil {
		return t, fmt.Errorf("invalid typeRef: %w", err)
	}
	return t, nil
}

func deducedType() documentType {
	t := typed.DeducedParseableType
	return documentType{t, schemaPair{t.Schema, typed4.DeducedParseableType.Schema}}
}

// documentType returns the type of a request.
func (r *request) documentType() (documentType, error) {
	if r.flag("deduced") {
		return deducedType(), nil
	}
	pair, err := schemaOf(r.text("schema"))
	if err != nil {
		return documentType{}, err
	}
	if r.has("typeRef") {
		return pair.inline(r.text("typeRef"))
	}
	return pair.named(r.text("type")), nil
}

// typeLookup returns the types of a story by version: one type for all versions, one for each, or the type with the version's name.
func (r *request) typeLookup() (typeLookup, error) {
	if r.flag("deduced") || r.has("type") || r.has("typeRef") {
		t, err := r.documentType()
		return func(fieldpath.APIVersion) documentType { return t }, err
	}
	pair, err := schemaOf(r.text("schema"))
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	if err := r.decode("typesByVersion", &names); err != nil {
		return nil, err
	}
	return func(version fieldpath.APIVersion) documentType {
		if name, ok := names[string(version)]; ok {
			return pair.named(name)
		}
		return pair.named(string(version))
	}, nil
}
