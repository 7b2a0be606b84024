// Command unions writes the errors that the validation of Kubernetes finds in values of types with one-of fields.
//
//	go run ./unions < ../../test/vectors/union-objects.json > ../../test/vectors/union-values.json
//
// It reads a JSON list of {type, base, at, values}, puts each value into the base at the path, decodes that object, gives it the defaults
// that a server gives, and validates it. An answer has the value with its defaults where these changed it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiextensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	admissionregistrationvalidation "k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/resource"
	resourcevalidation "k8s.io/kubernetes/pkg/apis/resource/validation"

	_ "structured-merge-diff-reset-fields/install"
)

type topic struct {
	Type   string            `json:"type"`
	Base   any               `json:"base"`
	At     []any             `json:"at"`
	Values []json.RawMessage `json:"values"`
}

type answer struct {
	Type      string          `json:"type"`
	Value     json.RawMessage `json:"value"`
	Defaulted any             `json:"defaulted,omitempty"`
	Errors    []string        `json:"errors"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "unions:", err)
		os.Exit(1)
	}
}

func run() error {
	var topics []topic
	if err := json.NewDecoder(os.Stdin).Decode(&topics); err != nil {
		return err
	}
	lines := [][]byte{}
	for _, topic := range topics {
		for _, value := range topic.Values {
			answer, err := topic.ask(value)
			if err != nil {
				return fmt.Errorf("%s %s: %w", topic.Type, value, err)
			}
			line := &bytes.Buffer{}
			encoder := json.NewEncoder(line)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(answer); err != nil {
				return err
			}
			lines = append(lines, bytes.TrimSpace(line.Bytes()))
		}
	}
	fmt.Printf("[\n%s\n]\n", bytes.Join(lines, []byte(",\n")))
	return nil
}

func (t topic) ask(value json.RawMessage) (*answer, error) {
	var parsed any
	if err := json.Unmarshal(value, &parsed); err != nil {
		return nil, err
	}
	step(t.Base, t.At[:len(t.At)-1], t.At[len(t.At)-1], parsed)
	text, err := json.Marshal(t.Base)
	if err != nil {
		return nil, err
	}
	object, given, defaulted, err := decode(text)
	if err != nil {
		return nil, err
	}
	errors, err := validate(object)
	if err != nil {
		return nil, err
	}
	found := &answer{Type: t.Type, Value: value, Errors: []string{}}
	before, after := lookup(given, t.At), lookup(defaulted, t.At)
	if a, _ := json.Marshal(before); !bytes.Equal(a, mustMarshal(after)) {
		found.Defaulted = after
	}
	for _, err := range errors {
		found.Errors = append(found.Errors, err.Error())
	}
	return found, nil
}

// step sets the child of what is found at a path of names and positions.
func step(value any, path []any, last any, child any) {
	switch parent := lookup(value, path).(type) {
	case map[string]any:
		parent[last.(string)] = child
	case []any:
		parent[int(last.(float64))] = child
	}
}

func lookup(value any, path []any) any {
	for _, name := range path {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[name.(string)]
		case []any:
			value = parent[int(name.(float64))]
		}
	}
	return value
}

func mustMarshal(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// decode gives the internal object that a server would validate, and the object before and after it was given defaults.
func decode(text []byte) (internal runtime.Object, given, defaulted any, err error) {
	for _, scheme := range []*runtime.Scheme{legacyscheme.Scheme, apiextensionsserver.Scheme} {
		decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
		var object runtime.Object
		var kind *schema.GroupVersionKind
		if object, kind, err = decoder.Decode(text, nil, nil); runtime.IsNotRegisteredError(err) {
			continue
		} else if err != nil {
			return nil, nil, nil, err
		}
		if given, err = plain(object); err != nil {
			return nil, nil, nil, err
		}
		scheme.Default(object)
		if defaulted, err = plain(object); err != nil {
			return nil, nil, nil, err
		}
		internal, err = scheme.ConvertToVersion(object, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
		return internal, given, defaulted, err
	}
	return nil, nil, nil, err
}

func plain(object runtime.Object) (any, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var value any
	return value, json.Unmarshal(text, &value)
}

func validate(object runtime.Object) (field.ErrorList, error) {
	switch object := object.(type) {
	case *core.Pod:
		return corevalidation.ValidatePodCreate(object, corevalidation.PodValidationOptions{}), nil
	case *core.Service:
		return corevalidation.ValidateServiceCreate(object), nil
	case *networking.IngressClass:
		return networkingvalidation.ValidateIngressClass(object), nil
	case *admissionregistration.ValidatingAdmissionPolicyBinding:
		return admissionregistrationvalidation.ValidateValidatingAdmissionPolicyBinding(object), nil
	case *resource.ResourceClaim:
		return resourcevalidation.ValidateResourceClaim(object), nil
	case *resource.ResourceSlice:
		return resourcevalidation.ValidateResourceSlice(object), nil
	case *apiextensions.CustomResourceDefinition:
		return apiextensionsvalidation.ValidateCustomResourceDefinition(context.Background(), object), nil
	}
	return nil, fmt.Errorf("no validation for %T", object)
}
