package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

func init() {
	register(map[string]operation{"customResource": customResource, "formats": formats, "admitCustomResource": admitCustomResource, "definition": definition})
}

// schemas returns the schema of the request in both forms that upstream's functions need.
func schemas(req *request) (*apiextensions.JSONSchemaProps, *structural.Structural, error) {
	props, err := internalSchema(req)
	if err != nil {
		return nil, nil, err
	}
	shape, err := structural.NewStructural(props)
	if err != nil {
		return nil, nil, fmt.Errorf("not structural: %w", err)
	}
	return props, shape, defaulting.PruneDefaults(shape)
}

// customResource prepares `object` like an API server that stores a custom resource: it prunes by `structural` (openAPIV3Schema of a
// CustomResourceDefinition), removes nulls, fills in defaults, and validates.
func customResource(req *request) (answer, error) {
	object, err := req.object("object")
	if err != nil {
		return nil, err
	}
	props, shape, err := schemas(req)
	if err != nil {
		return nil, err
	}
	options := structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	unknown := pruning.PruneWithOptions(object.Object, shape, true, options)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, shape)
	defaulting.Default(object.Object, shape)
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, err
	}
	errors := validation.ValidateCustomResource(nil, object.Object, validator)
	errors = append(errors, listtype.ValidateListSetsAndMaps(nil, shape, object.Object)...)
	if unknown == nil {
		unknown = []string{}
	}
	return answer{"object": plain(object.Object), "unknown": unknown, "errors": causes(errors)}, nil
}

// admitCustomResource runs the strategy of an API server: it validates `object` as a new custom resource, or as the update of `old`,
// through the subresource status if `status` is set. It reads both objects first, and runs rules.
func admitCustomResource(req *request) (answer, error) {
	props, shape, err := schemas(req)
	if err != nil {
		return nil, err
	}
	object, err := admitted(req, "object", shape)
	if err != nil {
		return nil, err
	}
	var old map[string]any
	if req.fields["old"] != nil {
		if old, err = admitted(req, "old", shape); err != nil {
			return nil, err
		}
	}
	errors, failed, err := strategyErrors(props, shape, object, old, req.flag("status"))
	if err != nil {
		return nil, err
	}
	// Rules of one field fail in their order, but the order of fields is random.
	sort.SliceStable(failed, func(i, j int) bool { return failed[i].Field < failed[j].Field })
	return answer{"errors": append(causes(errors), spelled(failed)...)}, nil
}

func admitted(req *request, member string, shape *structural.Structural) (map[string]any, error) {
	read, err := req.object(member)
	if err != nil {
		return nil, err
	}
	pruning.Prune(read.Object, shape, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(read.Object, shape)
	defaulting.Default(read.Object, shape)
	return read.Object, nil
}

func strategyErrors(props *apiextensions.JSONSchemaProps, shape *structural.Structural, object, old map[string]any, status bool) (errors, failed field.ErrorList, err error) {
	validated := props
	path, part, before := (*field.Path)(nil), any(object), any(old)
	var correlated *common.CorrelatedObject
	var options []validation.ValidationOption
	var celOptions []cel.Option
	if old != nil {
		correlated = common.NewCorrelatedObject(object, old, &model.Structural{Structural: shape})
		celOptions = append(celOptions, cel.WithRatcheting(correlated))
		options = append(options, validation.WithRatcheting(correlated))
	}
	if status {
		statusProps := props.Properties["status"]
		validated, path, part, before = &statusProps, field.NewPath("status"), object["status"], old["status"]
		options = []validation.ValidationOption{validation.WithRatcheting(correlated.Key("status"))}
	}
	validator, _, err := validation.NewSchemaValidator(validated)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case old == nil:
		errors = validation.ValidateCustomResource(path, part, validator)
	case !status || part != nil:
		errors = validation.ValidateCustomResourceUpdate(path, part, before, validator, options...)
	}
	if !status {
		errors = append(errors, objectmeta.Validate(context.TODO(), nil, object, shape, false)...)
	}
	if old == nil || len(listtype.ValidateListSetsAndMaps(nil, shape, old)) == 0 {
		errors = append(errors, listtype.ValidateListSetsAndMaps(nil, shape, object)...)
	}
	rules := cel.NewValidator(shape, true, celconfig.PerCallLimit)
	if rules == nil {
		return errors, nil, nil
	}
	for _, err := range errors {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return errors, field.ErrorList{field.Invalid(nil, nil, unchecked)}, nil
		}
	}
	var oldObject any
	if old != nil {
		oldObject = old
	}
	failed, _ = rules.Validate(context.TODO(), nil, shape, object, oldObject, celconfig.RuntimeCELCostBudget, celOptions...)
	return errors, failed, nil
}

// unchecked is the message of an API server for rules that it does not run.
const unchecked = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

// definition answers with the errors that an API server finds in `crd`, changed by the JSON patch `patch`: as a new definition, or, if
// `update` is set, as the update of `crd` itself, which is established.
func definition(req *request) (answer, error) {
	text := []byte(req.fields["crd"])
	old, err := internalDefinition(text)
	if err != nil {
		return nil, err
	}
	if req.fields["patch"] != nil {
		if text, err = applyJSONPatch(text, req.fields["patch"]); err != nil {
			return nil, err
		}
	}
	crd, err := internalDefinition(text)
	if err != nil {
		return nil, err
	}
	if !req.flag("update") {
		crd.Status = statusOf(crd)
		return answer{"errors": causes(crdvalidation.ValidateCustomResourceDefinition(context.TODO(), crd))}, nil
	}
	old.Status = statusOf(old)
	crd.Status = statusOf(old, crd)
	old.ResourceVersion, crd.ResourceVersion = "1", "1"
	return answer{"errors": causes(crdvalidation.ValidateCustomResourceDefinitionUpdate(context.TODO(), crd, old))}, nil
}

// statusOf is the status of an established definition after these states. A strategy adds their stored versions to it.
func statusOf(states ...*apiextensions.CustomResourceDefinition) apiextensions.CustomResourceDefinitionStatus {
	status := apiextensions.CustomResourceDefinitionStatus{
		Conditions: []apiextensions.CustomResourceDefinitionCondition{
			{Type: apiextensions.Established, Status: apiextensions.ConditionTrue},
		},
	}
	for _, state := range states {
		for _, version := range state.Spec.Versions {
			if !version.Storage {
				continue
			}
			if !slices.Contains(status.StoredVersions, version.Name) {
				status.StoredVersions = append(status.StoredVersions, version.Name)
			}
			break
		}
	}
	return status
}

func internalDefinition(text []byte) (*apiextensions.CustomResourceDefinition, error) {
	read, crd := &apiextensionsv1.CustomResourceDefinition{}, &apiextensions.CustomResourceDefinition{}
	if err := json.Unmarshal(text, read); err != nil {
		return nil, err
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(read)
	return crd, apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(read, crd, nil)
}

func internalSchema(req *request) (*apiextensions.JSONSchemaProps, error) {
	read := &apiextensionsv1.JSONSchemaProps{}
	if err := req.decode("structural", read); err != nil {
		return nil, err
	}
	props := &apiextensions.JSONSchemaProps{}
	return props, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(read, props, nil)
}

// causes writes errors as the causes of a Status. It sorts them, because the validator finds them in a random order.
func causes(errors field.ErrorList) []answer {
	sort.SliceStable(errors, func(i, j int) bool { return errors[i].Error() < errors[j].Error() })
	return spelled(errors)
}

func spelled(errors field.ErrorList) []answer {
	out := make([]answer, len(errors))
	for i, err := range errors {
		out[i] = answer{"reason": string(err.Type), "message": err.ErrorBody(), "field": err.Field}
	}
	return out
}

// formats answers which of `texts` have `format`.
func formats(req *request) (answer, error) {
	var texts []string
	if err := req.decode("texts", &texts); err != nil {
		return nil, err
	}
	has := make([]bool, len(texts))
	for i, text := range texts {
		has[i] = strfmt.Default.Validates(req.text("format"), text)
	}
	return answer{"has": has}, nil
}
