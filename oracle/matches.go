package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

func init() {
	register(map[string]operation{"wouldChange": wouldChange})
}

// A surrounding is what an API server puts around the FieldManager of a kind: Go types for built-in kinds, and the versions and defaults
// of the definition for custom resources. The defaults and validation of built-in kinds are code of k8s.io/kubernetes, which is not linked.
type surrounding struct {
	convert  runtime.ObjectConvertor
	defaults runtime.ObjectDefaulter
	create   runtime.ObjectCreater
	validate func(runtime.Object) error
}

// wouldChange answers what an apply of `object` to `live` would change: "object", only the "owners", "nothing"; or "conflict", or "refused" for another
// reason.
func wouldChange(req *request) (answer, error) {
	live, err := req.object("live")
	if err != nil {
		return nil, err
	}
	config, err := req.object("object")
	if err != nil {
		return nil, err
	}
	kind := config.GroupVersionKind()
	around, err := surroundingOf(req, kind)
	if err != nil {
		return nil, err
	}
	types, err := req.typeSource()
	if err != nil {
		return nil, err
	}
	manager, err := managedfields.NewDefaultFieldManager(
		types, around.convert, around.defaults, around.create, kind, kind.GroupVersion(), "", nil)
	if err != nil {
		return nil, err
	}
	before, err := around.convert.ConvertToVersion(live, kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	after, err := manager.Apply(before.DeepCopyObject(), config, req.text("manager"), req.flag("force"))
	if apierrors.IsConflict(err) {
		return answer{"changes": "conflict"}, nil
	}
	if err != nil || around.validate(after) != nil {
		return answer{"changes": "refused"}, nil
	}
	return changesBetween(before, after)
}

func surroundingOf(req *request, kind schema.GroupVersionKind) (surrounding, error) {
	if raw, custom := req.fields["crd"]; custom {
		return surroundingOfCustom(raw)
	}
	for _, module := range builtinTypes {
		if req.flag("kubernetes") && module.scheme.Recognizes(kind) {
			return surrounding{module.scheme, module.scheme, module.scheme, func(runtime.Object) error { return nil }}, nil
		}
	}
	return surrounding{}, fmt.Errorf("no such kind: %s", kind)
}

func surroundingOfCustom(raw json.RawMessage) (surrounding, error) {
	crd, err := internalDefinition(raw)
	if err != nil {
		return surrounding{}, err
	}
	convert, defaults := definedVersions{&versionChanger{known: []string{}}}, schemaDefaults{}
	validators := map[string]validation.SchemaValidator{}
	for _, version := range crd.Spec.Versions {
		convert.known = append(convert.known, crd.Spec.Group+"/"+version.Name)
		schema, err := apiextensions.GetSchemaForVersion(crd, version.Name)
		if err != nil {
			return surrounding{}, err
		}
		if defaults[version.Name], err = structural.NewStructural(schema.OpenAPIV3Schema); err != nil {
			return surrounding{}, err
		}
		if validators[version.Name], _, err = validation.NewSchemaValidator(schema.OpenAPIV3Schema); err != nil {
			return surrounding{}, err
		}
	}
	validate := func(object runtime.Object) error {
		custom := object.(*unstructured.Unstructured)
		validator := validators[custom.GroupVersionKind().Version]
		return validation.ValidateCustomResource(nil, custom.Object, validator).ToAggregate()
	}
	return surrounding{convert, defaults, objectCreater{}, validate}, nil
}

// definedVersions converts between the versions of a definition. A manager at any other version makes a request fail.
type definedVersions struct{ *versionChanger }

func (v definedVersions) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	out, err := v.versionChanger.ConvertToVersion(in, target)
	if runtime.IsNotRegisteredError(err) {
		return nil, fmt.Errorf("not a version of the definition: %s", target)
	}
	return out, err
}

// schemaDefaults fills in defaults by the schemas of a definition's versions.
type schemaDefaults map[string]*structural.Structural

func (d schemaDefaults) Default(in runtime.Object) {
	object := in.(*unstructured.Unstructured)
	defaulting.Default(object.Object, d[object.GroupVersionKind().Version])
}

func changesBetween(before, after runtime.Object) (answer, error) {
	old, oldOwners, err := apart(before)
	if err != nil {
		return nil, err
	}
	new, newOwners, err := apart(after)
	if err != nil {
		return nil, err
	}
	switch {
	case !reflect.DeepEqual(old, new):
		return answer{"changes": "object"}, nil
	case !reflect.DeepEqual(oldOwners, newOwners):
		return answer{"changes": "owners"}, nil
	}
	return answer{"changes": "nothing"}, nil
}

// apart returns an object without managedFields, and its entries as texts without times.
func apart(object runtime.Object) (map[string]any, []string, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, nil, err
	}
	read := map[string]any{}
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, nil, err
	}
	list, _, err := unstructured.NestedSlice(read, "metadata", "managedFields")
	if err != nil {
		return nil, nil, err
	}
	entries := []string{}
	for _, item := range list {
		if entry, ok := item.(map[string]any); ok {
			delete(entry, "time")
		}
		line, err := json.Marshal(item)
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, string(line))
	}
	sort.Strings(entries)
	unstructured.RemoveNestedField(read, "metadata", "managedFields")
	return read, entries, nil
}
