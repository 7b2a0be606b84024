package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	yaml "go.yaml.in/yaml/v2"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/util/proto"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// openAPI returns a case that converts a parsed document to a schema.
func (p *plan) openAPI(c caseSpec) (*runnable, error) {
	text := []byte(p.Documents[c.Version])
	switch c.Version {
	case "v2":
		document, err := openapi_v2.ParseDocument(text)
		if err != nil {
			return nil, err
		}
		return conversion(func() (*schema.Schema, error) {
			models, err := proto.NewOpenAPIData(document)
			if err != nil {
				return nil, err
			}
			return schemaconv.ToSchemaWithPreserveUnknownFields(models, false)
		}), nil
	case "v3":
		var document spec3.OpenAPI
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, err
		}
		if document.Components == nil {
			return nil, errors.New("the document has no components")
		}
		return conversion(func() (*schema.Schema, error) {
			return schemaconv.ToSchemaFromOpenAPI(document.Components.Schemas, false)
		}), nil
	}
	return nil, fmt.Errorf("unknown version %q", c.Version)
}

func conversion(convert func() (*schema.Schema, error)) *runnable {
	return operation(convert, func(found *schema.Schema) (string, error) {
		text, err := yaml.Marshal(found.Types)
		if err != nil {
			return "", err
		}
		var types []any
		if err := yaml.Unmarshal(text, &types); err != nil {
			return "", err
		}
		named := withStringKeys(types).([]any)
		sortFields(named)
		sortByName(named)
		return sortedJSON(named)
	})
}

// sortFields puts all lists of fields below the value in the order of their names.
func sortFields(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			sortFields(item)
			if fields, ok := item.([]any); ok && key == "fields" {
				sortByName(fields)
			}
		}
	case []any:
		for _, item := range v {
			sortFields(item)
		}
	}
}

func sortByName(items []any) {
	name := func(item any) string {
		fields, _ := item.(map[string]any)
		text, _ := fields["name"].(string)
		return text
	}
	slices.SortStableFunc(items, func(a, b any) int { return cmp.Compare(name(a), name(b)) })
}
