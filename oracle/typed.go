package main

import (
	"sort"

	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

func init() {
	register(map[string]operation{
		"parseSchema":                 parseSchema,
		"validate":                    validateValue,
		"parse":                       onValue(func(tv *typed.TypedValue) (answer, error) { return typedAnswer(tv), nil }),
		"toFieldSet":                  onValue(toFieldSet),
		"merge":                       mergeValues,
		"compare":                     compareValues,
		"removeItems":                 removeItems,
		"extractItems":                extractItems,
		"reconcileFieldSetWithSchema": reconcileFieldSet,
		"ensureNamedFieldsAreMembers": ensureNamedFields,
	})
}

func parseSchema(req *request) (answer, error) {
	pair, err := schemaOf(req.text("schema"))
	if err != nil {
		return nil, err
	}
	names := make([]string, len(pair.v6.Types))
	for i, def := range pair.v6.Types {
		names[i] = def.Name
	}
	sort.Strings(names)
	return answer{"ok": true, "types": names}, nil
}

func onValue(compute func(*typed.TypedValue) (answer, error)) operation {
	return func(req *request) (answer, error) {
		t, err := req.documentType()
		if err != nil {
			return nil, err
		}
		tv, err := req.typed("value", t)
		if err != nil {
			return nil, err
		}
		return compute(tv)
	}
}

func validateValue(req *request) (answer, error) {
	return onValue(func(tv *typed.TypedValue) (answer, error) {
		// The operation is validation, so it validates operands that were not validated.
		return answer{"ok": true}, tv.Validate(req.duplicates("value")...)
	})(req)
}

func toFieldSet(tv *typed.TypedValue) (answer, error) {
	set, err := tv.ToFieldSet()
	if err != nil {
		return nil, err
	}
	return setAnswer(set)
}

func twoValues(req *request) (lhs, rhs *typed.TypedValue, err error) {
	t, err := req.documentType()
	if err != nil {
		return nil, nil, err
	}
	if lhs, err = req.typed("lhs", t); err == nil {
		rhs, err = req.typed("rhs", t)
	}
	return lhs, rhs, err
}

func mergeValues(req *request) (answer, error) {
	lhs, rhs, err := twoValues(req)
	if err != nil {
		return nil, err
	}
	merged, err := lhs.Merge(rhs)
	if err != nil {
		return nil, err
	}
	return typedAnswer(merged), nil
}

func compareValues(req *request) (answer, error) {
	lhs, rhs, err := twoValues(req)
	if err != nil {
		return nil, err
	}
	comparison, err := lhs.Compare(rhs)
	if err != nil {
		return nil, err
	}
	out := answer{"same": comparison.IsSame(), "string": comparison.String()}
	if out["added"], err = formatSet(comparison.Added); err != nil {
		return nil, err
	}
	if out["modified"], err = formatSet(comparison.Modified); err != nil {
		return nil, err
	}
	out["removed"], err = formatSet(comparison.Removed)
	return out, err
}

func removeItems(req *request) (answer, error) {
	set, setErr := req.set("set")
	return onValue(func(tv *typed.TypedValue) (answer, error) {
		if setErr != nil {
			return nil, setErr
		}
		return typedAnswer(tv.RemoveItems(set)), nil
	})(req)
}

func extractItems(req *request) (answer, error) {
	set, setErr := req.set("set")
	return onValue(func(tv *typed.TypedValue) (answer, error) {
		if setErr != nil {
			return nil, setErr
		}
		options := []typed.ExtractItemsOption{}
		if req.flag("appendKeyFields") {
			options = append(options, typed.WithAppendKeyFields())
		}
		return typedAnswer(tv.ExtractItems(set, options...)), nil
	})(req)
}

func reconcileFieldSet(req *request) (answer, error) {
	set, setErr := req.set("set")
	return onValue(func(tv *typed.TypedValue) (answer, error) {
		if setErr != nil {
			return nil, setErr
		}
		reconciled, err := typed.ReconcileFieldSetWithSchema(set, tv)
		if err != nil {
			return nil, err
		}
		if reconciled == nil {
			return answer{"set": nil}, nil
		}
		return setAnswer(reconciled)
	})(req)
}

func ensureNamedFields(req *request) (answer, error) {
	t, err := req.documentType()
	if err != nil {
		return nil, err
	}
	set, err := req.set("set")
	if err != nil {
		return nil, err
	}
	return setAnswer(set.EnsureNamedFieldsAreMembers(t.Schema, t.TypeRef))
}
