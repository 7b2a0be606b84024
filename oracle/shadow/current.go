//go:build !takeover

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

const oldMatching = false

// gatesToTry has the possible combinations of a server. A server that emulates an earlier release has the last one.
func gatesToTry() []map[string]bool {
	return []map[string]bool{
		{"DeclarativeValidation": true, "DeclarativeValidationBeta": true},
		{"DeclarativeValidation": true, "DeclarativeValidationBeta": false},
		{"DeclarativeValidation": false, "DeclarativeValidationBeta": false},
	}
}

func setGates(gates map[string]bool) {
	gate := utilfeature.DefaultMutableFeatureGate
	var err error
	if gates["DeclarativeValidation"] {
		err = gate.Set(fmt.Sprintf("DeclarativeValidationBeta=%t", gates["DeclarativeValidationBeta"]))
	} else {
		versioned := gate.(featuregate.MutableVersionedFeatureGate)
		if versioned.EmulationVersion().Minor() != 35 {
			if err = versioned.ResetFeatureValueToDefault("DeclarativeValidationBeta"); err == nil {
				err = versioned.SetEmulationVersion(version.MustParse("1.35"))
			}
		}
		if err == nil {
			err = gate.Set("DeclarativeValidation=false")
		}
	}
	if err != nil {
		panic(err)
	}
	for name, value := range gates {
		if gate.Enabled(featuregate.Feature(name)) != value {
			panic(name)
		}
	}
}

func withLevel(e *field.Error, level string) *field.Error {
	switch level {
	case "alpha":
		return e.MarkAlpha()
	case "beta":
		return e.MarkBeta()
	}
	return e
}

func validate(ctx context.Context, scheme *runtime.Scheme, obj, old runtime.Object, errs field.ErrorList, op operation.Type, rules []field.NormalizationRule) field.ErrorList {
	config := rest.DeclarativeValidationConfig{NormalizationRules: rules}
	return rest.ValidateDeclarativelyWithMigrationChecks(ctx, scheme, obj, old, errs, op, config)
}
