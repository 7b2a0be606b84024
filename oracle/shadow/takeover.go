//go:build takeover

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

const oldMatching = true

func gatesToTry() []map[string]bool {
	return []map[string]bool{
		{"DeclarativeValidation": true, "DeclarativeValidationTakeover": true},
		{"DeclarativeValidation": true, "DeclarativeValidationTakeover": false},
		{"DeclarativeValidation": false, "DeclarativeValidationTakeover": true},
		{"DeclarativeValidation": false, "DeclarativeValidationTakeover": false},
	}
}

func setGates(gates map[string]bool) {
	for name, value := range gates {
		if err := utilfeature.DefaultMutableFeatureGate.Set(fmt.Sprintf("%s=%t", name, value)); err != nil {
			panic(err)
		}
	}
}

// withLevel does nothing: these releases know no levels.
func withLevel(e *field.Error, _ string) *field.Error {
	return e
}

func validate(ctx context.Context, scheme *runtime.Scheme, obj, old runtime.Object, errs field.ErrorList, op operation.Type, rules []field.NormalizationRule) field.ErrorList {
	return rest.ValidateDeclarativelyWithMigrationChecks(ctx, scheme, obj, old, errs, op, rest.WithNormalizationRules(rules))
}
