package main

import (
	"fmt"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

func init() {
	register(map[string]operation{"customResource": customResource, "formats": formats})
}

// customResource does to `object` what an API server does to a custom resource on its way into the store: prunes it by `structural`
// (openAPIV3Schema of a CustomResourceDefinition), takes out nulls, fills in defaults, and validates.
func customResource(req *request) (answer, error) {
	object, err := req.object("object")
	if err != nil {
		return nil, err
	}
	props, err := internalSchema(req)
	if err != nil {
		return nil, err
	}
	shape, err := structural.NewStructural(props)
	if err != nil {
		return nil, fmt.Errorf("not structural: %w", err)
	}
	if err := defaulting.PruneDefaults(shape); err != nil {
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

func internalSchema(req *request) (*apiextensions.JSONSchemaProps, error) {
	read := &apiextensionsv1.JSONSchemaProps{}
	if err := req.decode("structural", read); err != nil {
		return nil, err
	}
	props := &apiextensions.JSONSchemaProps{}
	return props, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(read, props, nil)
}

// causes spells errors as the causes of a Status, sorted, because the validator finds them in a random order.
func causes(errors field.ErrorList) []answer {
	sort.SliceStable(errors, func(i, j int) bool { return errors[i].Error() < errors[j].Error() })
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
