package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// sortedJSON returns JSON text with the keys of maps sorted, to compare what two programs say.
func sortedJSON(value any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(withStringKeys(value)); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

func withStringKeys(value any) any {
	switch v := value.(type) {
	case map[any]any:
		out := map[string]any{}
		for key, item := range v {
			out[fmt.Sprint(key)] = withStringKeys(item)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			out[key] = withStringKeys(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = withStringKeys(item)
		}
		return out
	}
	return value
}

func describeObject(object *typed.TypedValue) (string, error) {
	return sortedJSON(object.AsValue().Unstructured())
}

func describeSet(set *fieldpath.Set) (string, error) {
	text, err := set.ToJSON()
	if err != nil {
		return "", err
	}
	return sortedJSON(string(text))
}

func describeComparison(c *typed.Comparison) (string, error) {
	var texts []string
	for _, set := range []*fieldpath.Set{c.Added, c.Modified, c.Removed} {
		text, err := describeSet(set)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return "[" + strings.Join(texts, ",") + "]", nil
}

func describeReconciled(set *fieldpath.Set) (string, error) {
	if set == nil {
		return `"unchanged"`, nil
	}
	return `"changed"`, nil
}

func describeBool(b bool) (string, error) {
	return fmt.Sprint(b), nil
}
