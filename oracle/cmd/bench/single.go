package main

import (
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// single returns a case of one operation on an object; where it needs a second one, that is a copy that shares nothing with
// the first.
func (p *plan) single(c caseSpec) (*runnable, error) {
	parseable, err := p.typeOf(c.Object)
	if err != nil {
		return nil, err
	}
	object, err := p.fresh(c.Object)
	if err != nil {
		return nil, err
	}
	same, err := p.fresh(c.Object)
	if err != nil {
		return nil, err
	}
	empty, err := parseable.FromUnstructured(nil)
	if err != nil {
		return nil, err
	}
	set, err := object.ToFieldSet()
	if err != nil {
		return nil, err
	}
	switch c.Operation {
	case "validate":
		raw := object.AsValue().Unstructured()
		return operation(func() (*typed.TypedValue, error) { return parseable.FromUnstructured(raw) }, describeObject), nil
	case "toFieldSet":
		return operation(object.ToFieldSet, describeSet), nil
	case "compareSame":
		return operation(func() (*typed.Comparison, error) { return object.Compare(same) }, describeComparison), nil
	case "compareFromEmpty":
		return operation(func() (*typed.Comparison, error) { return empty.Compare(object) }, describeComparison), nil
	case "mergeSame":
		return operation(func() (*typed.TypedValue, error) { return object.Merge(same) }, describeObject), nil
	case "mergeFromEmpty":
		return operation(func() (*typed.TypedValue, error) { return empty.Merge(object) }, describeObject), nil
	case "removeAll":
		return operation(func() (*typed.TypedValue, error) { return object.RemoveItems(set), nil }, describeObject), nil
	case "extractLeaves":
		leaves := set.Leaves()
		return operation(func() (*typed.TypedValue, error) { return object.ExtractItems(leaves), nil }, describeObject), nil
	case "reconcileNoop":
		return operation(func() (*fieldpath.Set, error) { return typed.ReconcileFieldSetWithSchema(set, object) }, describeReconciled), nil
	case "equals":
		a, b := object.AsValue(), same.AsValue()
		return operation(func() (bool, error) { return value.Equals(a, b), nil }, describeBool), nil
	}
	return nil, fmt.Errorf("unknown operation %q", c.Operation)
}

func operation[T any](run func() (T, error), describe func(T) (string, error)) *runnable {
	return &runnable{
		run: func(int) error {
			_, err := run()
			return err
		},
		answer: func() (string, error) {
			result, err := run()
			if err != nil {
				return "", err
			}
			return describe(result)
		},
	}
}
