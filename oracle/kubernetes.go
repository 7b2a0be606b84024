package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

func init() {
	register(map[string]operation{
		"fieldManager":         manageFields,
		"extract":              extractApplied,
		"upgradeManagedFields": upgradeManagedFields,
		"openapiSchema":        openapiSchema,
	})
}

// object reads a member that is a whole object of the API.
func (r *request) object(name string) (*unstructured.Unstructured, error) {
	v, err := r.untyped(name)
	if err != nil {
		return nil, err
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s must be an object", name)
	}
	return &unstructured.Unstructured{Object: fields}, nil
}

// objectAnswer copies an object for the answer.
func objectAnswer(u *unstructured.Unstructured) map[string]any {
	return runtime.DeepCopyJSON(u.Object)
}

func extractApplied(req *request) (answer, error) {
	types, err := req.typeSource()
	if err != nil {
		return nil, err
	}
	object, err := req.object("object")
	if err != nil {
		return nil, err
	}
	value, err := types.ObjectToTyped(object)
	if err != nil {
		return nil, fmt.Errorf("error converting obj to typed: %w", err)
	}
	manager := req.text("manager")
	applied := &unstructured.Unstructured{}
	objectType := typed.ParseableType{Schema: value.Schema(), TypeRef: value.TypeRef()}
	err = managedfields.ExtractInto(object, objectType, manager, applied, req.text("subresource"))
	if err != nil && strings.HasSuffix(err.Error(), "expected map, got <nil>") {
		// The object has none of the manager's fields any more. The module fails then, which is a known bug. Only the kind is left.
		applied.SetGroupVersionKind(object.GroupVersionKind())
	} else if err != nil {
		return nil, err
	}
	if applied.Object == nil {
		return answer{"object": nil}, nil
	}
	return answer{"object": objectAnswer(applied)}, nil
}

func upgradeManagedFields(req *request) (answer, error) {
	object, err := req.object("object")
	if err != nil {
		return nil, err
	}
	names := []string{}
	if err := req.decode("csaManagers", &names); err != nil {
		return nil, err
	}
	subresource := csaupgrade.Subresource(req.text("subresource"))
	if err := csaupgrade.UpgradeManagedFields(object, sets.New(names...), req.text("ssaManager"), subresource); err != nil {
		return nil, err
	}
	entries, _, err := unstructured.NestedFieldCopy(object.Object, "metadata", "managedFields")
	return answer{"managedFields": entries}, err
}
