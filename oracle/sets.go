package main

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func init() {
	register(map[string]operation{
		"union":               onTwoSets(func(a, b *fieldpath.Set) *fieldpath.Set { return a.Union(b) }),
		"intersection":        onTwoSets(func(a, b *fieldpath.Set) *fieldpath.Set { return a.Intersection(b) }),
		"difference":          onTwoSets(func(a, b *fieldpath.Set) *fieldpath.Set { return a.Difference(b) }),
		"recursiveDifference": onTwoSets(func(a, b *fieldpath.Set) *fieldpath.Set { return a.RecursiveDifference(b) }),
		"leaves":              onSet(func(a *fieldpath.Set) *fieldpath.Set { return a.Leaves() }),
		"roundTrip":           onSet(func(a *fieldpath.Set) *fieldpath.Set { return a }),
		"copy":                onSet(func(a *fieldpath.Set) *fieldpath.Set { return a.Copy() }),
		"equals":              setEquals,
		"size":                setSize,
		"has":                 setHas,
		"insert":              setInsert,
		"withPrefix":          setWithPrefix,
		"filter":              setFilter,
		"iterate":             setIterate,
		"setFromPaths":        setFromPaths,
		"setFromValue":        setFromValue,
		"pathString":          pathString,
		"pathElement":         pathElement,
		"pathElementCompare":  pathElementCompare,
		"pathCompare":         pathCompare,
		"managersEquals":      managersEquals,
		"managersDifference":  managersDifference,
	})
}

func onSet(compute func(a *fieldpath.Set) *fieldpath.Set) operation {
	return func(req *request) (answer, error) {
		a, err := req.set("a")
		if err != nil {
			return nil, err
		}
		return setAnswer(compute(a))
	}
}

func onTwoSets(compute func(a, b *fieldpath.Set) *fieldpath.Set) operation {
	return func(req *request) (answer, error) {
		a, b, err := twoSets(req)
		if err != nil {
			return nil, err
		}
		return setAnswer(compute(a, b))
	}
}

func twoSets(req *request) (a, b *fieldpath.Set, err error) {
	if a, err = req.set("a"); err == nil {
		b, err = req.set("b")
	}
	return a, b, err
}

func setAndPath(req *request) (a *fieldpath.Set, path fieldpath.Path, err error) {
	if a, err = req.set("a"); err == nil {
		path, err = req.path("path")
	}
	return a, path, err
}

func setEquals(req *request) (answer, error) {
	a, b, err := twoSets(req)
	if err != nil {
		return nil, err
	}
	return answer{"result": a.Equals(b)}, nil
}

func setSize(req *request) (answer, error) {
	a, err := req.set("a")
	if err != nil {
		return nil, err
	}
	return answer{"result": a.Size(), "empty": a.Empty()}, nil
}

func setHas(req *request) (answer, error) {
	a, path, err := setAndPath(req)
	if err != nil {
		return nil, err
	}
	return answer{"result": a.Has(path)}, nil
}

func setInsert(req *request) (answer, error) {
	a, path, err := setAndPath(req)
	if err != nil {
		return nil, err
	}
	a.Insert(path)
	return setAnswer(a)
}

func setWithPrefix(req *request) (answer, error) {
	a, path, err := setAndPath(req)
	if err != nil {
		return nil, err
	}
	if len(path) == 0 {
		return nil, fmt.Errorf("path has no element")
	}
	return setAnswer(a.WithPrefix(path[0]))
}

func setFilter(req *request) (answer, error) {
	a, err := req.set("a")
	if err != nil {
		return nil, err
	}
	filter, err := parseFilter(req.fields["filter"])
	if err != nil {
		return nil, err
	}
	return setAnswer(filter.Filter(a))
}

// parseFilter reads {"exclude": set} or {"include": [[element or "*", …], …]}.
func parseFilter(raw json.RawMessage) (fieldpath.Filter, error) {
	req, err := parseRequest(raw)
	if err != nil {
		return nil, fmt.Errorf("invalid filter: %w", err)
	}
	if req.has("exclude") {
		set, err := req.set("exclude")
		return fieldpath.NewExcludeSetFilter(set), err
	}
	var patterns [][]string
	if err := req.decode("include", &patterns); err != nil {
		return nil, err
	}
	matchers := make([]*fieldpath.SetMatcher, len(patterns))
	for i, pattern := range patterns {
		parts := make([]any, len(pattern))
		for j, text := range pattern {
			if text == "*" {
				parts[j] = fieldpath.MatchAnyPathElement()
			} else if parts[j], err = fieldpath.DeserializePathElement(text); err != nil {
				return nil, err
			}
		}
		if matchers[i], err = fieldpath.PrefixMatcher(parts...); err != nil {
			return nil, err
		}
	}
	return fieldpath.NewIncludeMatcherFilter(matchers...), nil
}

func setIterate(req *request) (answer, error) {
	a, err := req.set("a")
	if err != nil {
		return nil, err
	}
	paths, strings := [][]string{}, []string{}
	a.Iterate(func(path fieldpath.Path) {
		text, pathErr := formatPath(path)
		if pathErr != nil {
			err = pathErr
		}
		paths = append(paths, text)
		strings = append(strings, path.String())
	})
	return answer{"paths": paths, "strings": strings}, err
}

func setFromPaths(req *request) (answer, error) {
	var lists [][]json.RawMessage
	if err := req.decode("paths", &lists); err != nil {
		return nil, err
	}
	set := fieldpath.NewSet()
	for _, items := range lists {
		path, err := parsePath(items)
		if err != nil {
			return nil, err
		}
		set.Insert(path)
	}
	return setAnswer(set)
}

func setFromValue(req *request) (answer, error) {
	v, err := req.value("value")
	if err != nil {
		return nil, err
	}
	return setAnswer(fieldpath.SetFromValue(v))
}

func pathString(req *request) (answer, error) {
	path, err := req.path("path")
	if err != nil {
		return nil, err
	}
	return answer{"result": path.String()}, nil
}

func pathElement(req *request) (answer, error) {
	element, err := fieldpath.DeserializePathElement(req.text("a"))
	if err != nil {
		return nil, err
	}
	serialized, err := fieldpath.SerializePathElement(element)
	return answer{"serialized": serialized, "string": element.String()}, err
}

func pathElementCompare(req *request) (answer, error) {
	a, err := fieldpath.DeserializePathElement(req.text("a"))
	if err != nil {
		return nil, err
	}
	b, err := fieldpath.DeserializePathElement(req.text("b"))
	if err != nil {
		return nil, err
	}
	return answer{"result": a.Compare(b), "equals": a.Equals(b)}, nil
}

func pathCompare(req *request) (answer, error) {
	a, err := req.path("a")
	if err != nil {
		return nil, err
	}
	b, err := req.path("b")
	if err != nil {
		return nil, err
	}
	return answer{"result": a.Compare(b), "equals": a.Equals(b)}, nil
}

// managers reads {name: {apiVersion, applied, fields}}.
func (r *request) managers(name string) (fieldpath.ManagedFields, error) {
	entries := map[string]json.RawMessage{}
	if err := r.decode(name, &entries); err != nil {
		return nil, err
	}
	managers := fieldpath.ManagedFields{}
	for manager, raw := range entries {
		entry, err := parseRequest(raw)
		if err != nil {
			return nil, fmt.Errorf("invalid manager %q: %w", manager, err)
		}
		set, err := entry.set("fields")
		if err != nil {
			return nil, err
		}
		managers[manager] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(entry.text("apiVersion")), entry.flag("applied"))
	}
	return managers, nil
}

func twoManagers(req *request) (a, b fieldpath.ManagedFields, err error) {
	if a, err = req.managers("a"); err == nil {
		b, err = req.managers("b")
	}
	return a, b, err
}

func managersEquals(req *request) (answer, error) {
	a, b, err := twoManagers(req)
	if err != nil {
		return nil, err
	}
	return answer{"result": a.Equals(b)}, nil
}

func managersDifference(req *request) (answer, error) {
	a, b, err := twoManagers(req)
	if err != nil {
		return nil, err
	}
	result, err := managersAnswer(a.Difference(b))
	return answer{"result": result}, err
}
