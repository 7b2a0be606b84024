package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// An answer is the response to a request. Values pass through plainValue first; sets and paths are sent as text.
type answer map[string]any

func writeAnswer(w *bufio.Writer, a answer) error {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a); err != nil {
		failure := answer{"error": "answer can't be written as JSON: " + err.Error()}
		if id, ok := a["id"]; ok {
			failure["id"] = id
		}
		buffer.Reset()
		if err := encoder.Encode(failure); err != nil {
			return err
		}
	}
	// encoding/json/v2 begins messages with one of two verbs, which it chooses anew in each process.
	_, err := w.Write(bytes.ReplaceAll(buffer.Bytes(), []byte("json: unable to "), []byte("json: cannot ")))
	return err
}

func valueAnswer(v value.Value) answer {
	return answer{"value": plainValue(v)}
}

func typedAnswer(tv *typed.TypedValue) answer {
	return valueAnswer(tv.AsValue())
}

// plainValue returns v as JSON can represent it. A merge of two absent values has no value at all, which becomes null.
func plainValue(v value.Value) any {
	if v == nil {
		return nil
	}
	return plain(v.Unstructured())
}

// plain copies v. YAML has maps with keys of any kind, and converters return nil lists; JSON has neither.
func plain(v any) any {
	switch t := v.(type) {
	case map[any]any:
		out := make(map[string]any, len(t))
		for key, item := range t {
			out[fmt.Sprint(key)] = plain(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(t))
		for key, item := range t {
			out[key] = plain(item)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, item := range t {
			out[i] = plain(item)
		}
		return out
	}
	return v
}

func setAnswer(set *fieldpath.Set) (answer, error) {
	text, err := formatSet(set)
	return answer{"set": text}, err
}

func formatSet(set *fieldpath.Set) (string, error) {
	text, err := set.ToJSON()
	return string(text), err
}

func formatPath(path fieldpath.Path) ([]string, error) {
	out := make([]string, len(path))
	for i, element := range path {
		text, err := fieldpath.SerializePathElement(element)
		if err != nil {
			return nil, err
		}
		out[i] = text
	}
	return out, nil
}

func managersAnswer(managers fieldpath.ManagedFields) (answer, error) {
	out := answer{}
	for name, owned := range managers {
		fields, err := formatSet(owned.Set())
		if err != nil {
			return nil, err
		}
		out[name] = answer{"apiVersion": string(owned.APIVersion()), "applied": owned.Applied(), "fields": fields}
	}
	return out, nil
}
