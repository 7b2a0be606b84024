package main

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

func init() {
	register(map[string]operation{
		"strategicMerge": strategicMerge,
		"mergePatch":     onTexts(jsonpatch.MergePatch),
		"jsonPatch":      onTexts(applyJSONPatch),
		"quantity":       quantity,
	})
}

// strategicMerge patches `live`, an object of a built-in kind, as an API server does, with the tags of the kind's struct.
func strategicMerge(req *request) (answer, error) {
	live, err := req.object("live")
	if err != nil {
		return nil, err
	}
	patch, err := req.object("patch")
	if err != nil {
		return nil, err
	}
	kind := schema.FromAPIVersionAndKind(req.text("apiVersion"), req.text("kind"))
	typed, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	patched, err := strategicpatch.StrategicMergeMapPatch(live.Object, patch.Object, typed)
	if err != nil {
		return nil, err
	}
	return answer{"object": plain(map[string]any(patched))}, nil
}

// onTexts answers with the result of a function of the texts of `live` and `patch`.
func onTexts(patch func(live, patch []byte) ([]byte, error)) operation {
	return func(req *request) (answer, error) {
		patched, err := patch(req.fields["live"], req.fields["patch"])
		if err != nil {
			return nil, err
		}
		return answer{"object": json.RawMessage(patched)}, nil
	}
}

func applyJSONPatch(live, patch []byte) ([]byte, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return operations.Apply(live)
}

// quantity reads a Quantity from `text`, and answers with the text that it is written as.
func quantity(req *request) (answer, error) {
	var read resource.Quantity
	if err := json.Unmarshal(req.fields["text"], &read); err != nil {
		return nil, err
	}
	written, err := json.Marshal(read)
	if err != nil {
		return nil, fmt.Errorf("%s can't be written: %w", req.text("text"), err)
	}
	return answer{"text": json.RawMessage(written)}, nil
}
