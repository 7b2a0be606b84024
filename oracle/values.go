package main

import (
	"encoding/json"

	"sigs.k8s.io/structured-merge-diff/v6/value"
	"sigs.k8s.io/yaml"
)

func init() {
	register(map[string]operation{
		"valueCompare":  valueCompare,
		"valueToString": valueToString,
		"valueFromJSON": valueFromJSON,
		"readYAML":      readYAML,
	})
}

func valueCompare(req *request) (answer, error) {
	a, err := req.value("a")
	if err != nil {
		return nil, err
	}
	b, err := req.value("b")
	if err != nil {
		return nil, err
	}
	return answer{"result": value.Compare(a, b), "equals": value.Equals(a, b)}, nil
}

func valueToString(req *request) (answer, error) {
	v, err := req.value("value")
	if err != nil {
		return nil, err
	}
	// The module's writer can only write a map from YAML as JSON after its keys have become strings.
	text, err := value.ToJSON(value.NewValueInterface(plainValue(v)))
	return answer{"result": value.ToString(v), "json": string(text)}, err
}

func valueFromJSON(req *request) (answer, error) {
	v, err := value.FromJSON([]byte(req.text("json")))
	if err != nil {
		return nil, err
	}
	return valueAnswer(v), nil
}

// readYAML reads text as Kubernetes reads a manifest: the first document, by way of JSON.
func readYAML(req *request) (answer, error) {
	text, err := yaml.YAMLToJSON([]byte(req.text("text")))
	if err != nil {
		return nil, err
	}
	return answer{"value": json.RawMessage(text)}, nil
}
