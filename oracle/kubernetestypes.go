package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	yaml "go.yaml.in/yaml/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/applyconfiguration"
	apiextensionsscheme "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	applyconfigurations "k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// typeSource returns the finder for the types of a request's objects.
func (r *request) typeSource() (managedfields.TypeConverter, error) {
	switch {
	case r.flag("kubernetes"):
		return builtinTypes, nil
	case r.flag("deduced"):
		return managedfields.NewDeducedTypeConverter(), nil
	case r.has("crd"), r.has("openapi"):
		document, err := r.document()
		if err != nil {
			return nil, err
		}
		return document.types()
	}
	return nil, errors.New("the request does not say where types come from")
}

// openapiSchema answers with the types of a document. For a custom resource, these are the types that its kind refers to: the other
// types that an API server generates from a definition are for lists and the answers of requests.
func openapiSchema(req *request) (answer, error) {
	document, err := req.document()
	if err != nil {
		return nil, err
	}
	found, err := document.schema()
	if err != nil {
		return nil, err
	}
	types := answer{}
	for _, def := range found.Types {
		types[def.Name], err = atomAnswer(def.Atom)
		if err != nil {
			return nil, err
		}
	}
	if document.roots != nil {
		types = reachable(types, append(document.roots, "__untyped_atomic_", "__untyped_deduced_"))
	}
	return answer{"types": types}, nil
}

// atomAnswer writes an atom as schema documents do.
func atomAnswer(atom schema.Atom) (any, error) {
	text, err := yaml.Marshal(withSortedFields(atom))
	if err != nil {
		return nil, err
	}
	var spelled any
	if err := yaml.Unmarshal(text, &spelled); err != nil {
		return nil, err
	}
	return plain(spelled), nil
}

// withSortedFields returns the atom with the fields of its structs sorted by name; OpenAPI v3 has no order.
func withSortedFields(atom schema.Atom) schema.Atom {
	if atom.List != nil {
		list := *atom.List
		list.ElementType.Inlined = withSortedFields(list.ElementType.Inlined)
		atom.List = &list
	}
	if atom.Map == nil {
		return atom
	}
	sorted := schema.Map{
		Fields:              make([]schema.StructField, len(atom.Map.Fields)),
		Unions:              atom.Map.Unions,
		ElementType:         atom.Map.ElementType,
		ElementRelationship: atom.Map.ElementRelationship,
	}
	sorted.ElementType.Inlined = withSortedFields(sorted.ElementType.Inlined)
	for i, field := range atom.Map.Fields {
		field.Type.Inlined = withSortedFields(field.Type.Inlined)
		sorted.Fields[i] = field
	}
	sort.SliceStable(sorted.Fields, func(i, j int) bool { return sorted.Fields[i].Name < sorted.Fields[j].Name })
	atom.Map = &sorted
	return atom
}

// reachable returns the roots and the types that they refer to.
func reachable(types answer, roots []string) answer {
	found := answer{}
	var visit func(node any)
	enter := func(name string) {
		if _, known := found[name]; known || types[name] == nil {
			return
		}
		found[name] = types[name]
		visit(types[name])
	}
	visit = func(node any) {
		switch t := node.(type) {
		case map[string]any:
			for key, item := range t {
				if name, ok := item.(string); ok && key == "namedType" {
					enter(name)
				} else if key != "default" {
					visit(item)
				}
			}
		case []any:
			for _, item := range t {
				visit(item)
			}
		}
	}
	for _, name := range roots {
		enter(name)
	}
	return found
}

// A typeDocument is a published document, as the module for its kind reads it. It has one of the two kinds of models.
type typeDocument struct {
	v2       proto.Models
	v3       map[string]*spec.Schema
	preserve bool
	roots    []string // the types of a custom resource's versions; nil if every type counts
}

// Shrinking and recording send the same document many times.
var cachedDocuments = map[string]*typeDocument{}

func (r *request) document() (*typeDocument, error) {
	raw, custom := r.fields["crd"]
	if !custom {
		raw = r.fields["openapi"]
	}
	if len(raw) == 0 {
		return nil, errors.New("the request has no document")
	}
	key := fmt.Sprint(custom, r.flag("preserveUnknownFields"), string(raw))
	if known, ok := cachedDocuments[key]; ok {
		return known, nil
	}
	document, err := readDocument(raw, custom)
	if err != nil {
		return nil, err
	}
	document.preserve = document.preserve || r.flag("preserveUnknownFields")
	if len(cachedDocuments) >= 64 {
		clear(cachedDocuments)
	}
	cachedDocuments[key] = document
	return document, nil
}

func readDocument(raw json.RawMessage, custom bool) (*typeDocument, error) {
	if custom {
		return readCustomResource(raw)
	}
	var head struct {
		OpenAPI string `json:"openapi"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	if head.OpenAPI != "" {
		return readOpenAPIv3(raw)
	}
	document, err := openapi_v2.ParseDocument(raw)
	if err != nil {
		return nil, err
	}
	models, err := proto.NewOpenAPIData(document)
	return &typeDocument{v2: models}, err
}

func readOpenAPIv3(raw json.RawMessage) (*typeDocument, error) {
	var document spec3.OpenAPI
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	if document.Components == nil {
		return &typeDocument{v3: map[string]*spec.Schema{}}, nil
	}
	return &typeDocument{v3: document.Components.Schemas}, nil
}

// readCustomResource converts a definition as an API server does, before it can apply objects of its kind.
func readCustomResource(raw json.RawMessage) (*typeDocument, error) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(raw, &crd); err != nil {
		return nil, err
	}
	if version := apiextensionsv1.SchemeGroupVersion.String(); crd.APIVersion != version {
		return nil, fmt.Errorf("apiVersion must be %s, found %s", version, crd.APIVersion)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	roots := []string{}
	specs := []*spec3.OpenAPI{}
	for _, version := range crd.Spec.Versions {
		built, err := builder.BuildOpenAPIV3(&crd, version.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		specs = append(specs, built)
	}
	merged, err := builder.MergeSpecsV3(specs...)
	if err != nil {
		return nil, err
	}
	for name, model := range merged.Components.Schemas {
		for _, kind := range kindsOf(model) {
			if kind["group"] == crd.Spec.Group && kind["kind"] == crd.Spec.Names.Kind {
				roots = append(roots, name)
			}
		}
	}
	return &typeDocument{v3: merged.Components.Schemas, preserve: crd.Spec.PreserveUnknownFields, roots: roots}, nil
}

func kindsOf(model *spec.Schema) []map[string]any {
	found := []map[string]any{}
	list, _ := model.Extensions["x-kubernetes-group-version-kind"].([]any)
	for _, item := range list {
		if kind, ok := item.(map[string]any); ok {
			found = append(found, kind)
		}
	}
	return found
}

func (d *typeDocument) schema() (*schema.Schema, error) {
	if d.v2 != nil {
		return schemaconv.ToSchemaWithPreserveUnknownFields(d.v2, d.preserve)
	}
	found, err := schemaconv.ToSchemaFromOpenAPI(d.v3, d.preserve)
	return found, sortedLines(err)
}

// sortedLines sorts the lines of an error: the module goes through the types of an OpenAPI v3 document in a random order.
func sortedLines(err error) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(err.Error(), "\n")
	sort.Strings(lines)
	return errors.New(strings.Join(lines, "\n"))
}

func (d *typeDocument) types() (managedfields.TypeConverter, error) {
	if _, err := d.schema(); err != nil {
		return nil, err
	}
	if d.v2 == nil {
		return managedfields.NewTypeConverter(d.v3, d.preserve)
	}
	parser, err := managedfields.NewGVKParser(d.v2, d.preserve)
	return kindParser{noTypes, parser}, err
}

// noTypes has no types. It returns the module's error for that, which the module reads as a missing version.
var noTypes = func() managedfields.TypeConverter {
	none, err := managedfields.NewTypeConverter(nil, false)
	if err != nil {
		panic(err)
	}
	return none
}()

// A kindParser finds types in an OpenAPI v2 document.
type kindParser struct {
	managedfields.TypeConverter
	parser *managedfields.GvkParser
}

func (p kindParser) ObjectToTyped(object runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	kind := object.GetObjectKind().GroupVersionKind()
	found := p.parser.Type(kind)
	if found == nil {
		return p.TypeConverter.ObjectToTyped(object)
	}
	return found.FromUnstructured(object.(*unstructured.Unstructured).Object, options...)
}

// builtins finds the types of Kubernetes, in the schemas of the modules that define them.
type builtins []builtinModule

type builtinModule struct {
	scheme *runtime.Scheme
	managedfields.TypeConverter
}

var builtinTypes = builtins{
	{scheme.Scheme, applyconfigurations.NewTypeConverter(scheme.Scheme)},
	{apiextensionsscheme.Scheme, apiextensions.NewTypeConverter(apiextensionsscheme.Scheme)},
}

func (b builtins) ObjectToTyped(object runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	kind := object.GetObjectKind().GroupVersionKind()
	for _, module := range b {
		if module.scheme.Recognizes(kind) {
			return module.ObjectToTyped(object, options...)
		}
	}
	return noTypes.ObjectToTyped(object)
}

func (b builtins) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	return b[0].TypedToObject(value)
}
