package main

import (
	"sort"
	"strings"

	autoscaling "k8s.io/api/autoscaling/v1"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// scaleSchema has the types of autoscaling/v1 Scale. Only subresources have this kind, so apply configurations and their
// schemas lack it. Every server publishes it in OpenAPI.
func scaleSchema() (*schema.Schema, error) {
	names := []string{
		autoscaling.Scale{}.OpenAPIModelName(),
		autoscaling.ScaleSpec{}.OpenAPIModelName(),
		autoscaling.ScaleStatus{}.OpenAPIModelName(),
	}
	definitions := openapi.GetOpenAPIDefinitions(func(name string) spec.Ref {
		return spec.MustCreateRef("#/components/schemas/" + name)
	})
	models := map[string]*spec.Schema{}
	for _, name := range names {
		definition := definitions[name].Schema
		models[name] = &definition
	}
	found, err := schemaconv.ToSchemaFromOpenAPI(models, false)
	if err != nil {
		return nil, err
	}
	types := []schema.TypeDef{}
	for _, def := range found.Types {
		if strings.HasPrefix(def.Name, "__untyped") {
			continue
		}
		fields := def.Map.Fields // in random order
		sort.Slice(fields, func(i, j int) bool { return fields[i].Name < fields[j].Name })
		types = append(types, def)
	}
	return &schema.Schema{Types: types}, nil
}
