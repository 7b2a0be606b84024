package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/applyconfiguration"
	apiextensionsscheme "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	applyconfigurations "k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A managedFixture is an object with managedFields and what is done to it, as JSON texts; see bench/fixtures/managed.ts.
type managedFixture struct {
	Live        string `json:"live"`
	Config      string `json:"config"`
	NextConfig  string `json:"nextConfig"`
	OneConfig   string `json:"oneConfig"`
	LessConfig  string `json:"lessConfig"`
	NextStatus  string `json:"nextStatus"`
	Filled      string `json:"filled"`
	EmptyConfig string `json:"emptyConfig"`
	Next        string `json:"next"`
}

// fieldManager returns a case of one request to an object, or of its managedFields read or written. Objects are unstructured,
// as those of custom resources are in an API server, and as this project's are.
func (p *plan) fieldManager(c caseSpec) (*runnable, error) {
	fixture, ok := p.Managed[c.Object]
	if !ok {
		return nil, fmt.Errorf("no managed object %q", c.Object)
	}
	live, err := readObject(fixture.Live)
	if err != nil {
		return nil, err
	}
	switch c.Operation {
	case "Apply":
		return applying(live, fixture.NextConfig)
	case "ApplyOne":
		return applying(live, fixture.OneConfig)
	case "ApplyLess":
		return applying(live, fixture.LessConfig)
	case "ApplyEmpty":
		filled, err := readObject(fixture.Filled)
		if err != nil {
			return nil, err
		}
		return applying(filled, fixture.EmptyConfig)
	case "ApplyNoop":
		return applying(live, fixture.Config)
	case "Update":
		return updating(live, fixture.Next, "inspector", "")
	case "UpdateStatus":
		return updating(live, fixture.NextStatus, "controller", "status")
	case "JSON":
		return parsingAndPrinting(fixture.Live), nil
	case "Decode":
		return &runnable{
			// This decodes everything, and returns the error only.
			run:    func(int) error { return managedfields.ValidateManagedFields(live.GetManagedFields()) },
			answer: func() (string, error) { return describeManaged(live) },
		}, nil
	case "Encode":
		return encoding(live)
	}
	return nil, fmt.Errorf("unknown operation %q", c.Operation)
}

func applying(live *unstructured.Unstructured, text string) (*runnable, error) {
	config, err := readObject(text)
	if err != nil {
		return nil, err
	}
	manager, err := managerFor(live, "")
	if err != nil {
		return nil, err
	}
	return ofRequest(func() (runtime.Object, error) { return manager.Apply(live, config, "deployer", false) }), nil
}

func updating(live *unstructured.Unstructured, text, name, subresource string) (*runnable, error) {
	next, err := readObject(text)
	if err != nil {
		return nil, err
	}
	manager, err := managerFor(live, subresource)
	if err != nil {
		return nil, err
	}
	metadata := next.Object["metadata"].(map[string]any)
	given := metadata["managedFields"]
	return ofRequest(func() (runtime.Object, error) {
		// The module puts the result's managedFields into the object it is given.
		metadata["managedFields"] = given
		return manager.Update(live, next, name)
	}), nil
}

// parsingAndPrinting returns a case that reads an object and writes it again, with the library that an API server reads objects with.
func parsingAndPrinting(text string) *runnable {
	do := func() ([]byte, error) {
		object, err := readObject(text)
		if err != nil {
			return nil, err
		}
		return json.Marshal(object.Object)
	}
	return &runnable{
		run: func(int) error {
			_, err := do()
			return err
		},
		answer: func() (string, error) {
			printed, err := do()
			return string(printed), err
		},
	}
}

func ofRequest(do func() (runtime.Object, error)) *runnable {
	return &runnable{
		run: func(int) error {
			_, err := do()
			return err
		},
		answer: func() (string, error) {
			object, err := do()
			if err != nil {
				return "", err
			}
			return describeManagedObject(object.(*unstructured.Unstructured))
		},
	}
}

// encoding returns a case that writes managedFields. The module's own function for it is not public; this one makes the same of
// the same parts: each manager's identifier is JSON of an entry without fields.
func encoding(live *unstructured.Unstructured) (*runnable, error) {
	owners, err := decodeManaged(live.GetManagedFields())
	if err != nil {
		return nil, err
	}
	target := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
	encode := func() error {
		entries := make([]metav1.ManagedFieldsEntry, 0, len(owners))
		for id, owner := range owners {
			var entry metav1.ManagedFieldsEntry
			if err := json.Unmarshal([]byte(id), &entry); err != nil {
				return err
			}
			fields, err := owner.set.ToJSON()
			if err != nil {
				return err
			}
			entry.APIVersion = owner.apiVersion
			entry.Time = owner.time
			entry.FieldsType = "FieldsV1"
			entry.FieldsV1 = &metav1.FieldsV1{}
			entry.FieldsV1.SetRawBytes(fields)
			entries = append(entries, entry)
		}
		slices.SortFunc(entries, compareEntries)
		target.SetManagedFields(entries)
		return nil
	}
	return &runnable{
		run: func(int) error { return encode() },
		answer: func() (string, error) {
			if err := encode(); err != nil {
				return "", err
			}
			text, err := entriesJSON(target)
			return text, err
		},
	}, nil
}

func compareEntries(a, b metav1.ManagedFieldsEntry) int {
	return cmp.Or(
		cmp.Compare(a.Operation, b.Operation),
		cmp.Compare(a.Time.Unix(), b.Time.Unix()),
		cmp.Compare(a.Manager, b.Manager),
		cmp.Compare(a.APIVersion, b.APIVersion),
		cmp.Compare(a.Subresource, b.Subresource),
	)
}

type managedOwner struct {
	set        *fieldpath.Set
	apiVersion string
	applied    bool
	time       *metav1.Time
}

// decodeManaged returns who owns what, by identifiers of managers.
func decodeManaged(entries []metav1.ManagedFieldsEntry) (map[string]managedOwner, error) {
	owners := map[string]managedOwner{}
	for _, entry := range entries {
		set := fieldpath.NewSet()
		if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return nil, err
		}
		owner := managedOwner{set, entry.APIVersion, entry.Operation == metav1.ManagedFieldsOperationApply, entry.Time}
		if owner.applied {
			entry.APIVersion = ""
		}
		entry.Time, entry.FieldsType, entry.FieldsV1 = nil, "", nil
		id, err := json.Marshal(entry)
		if err != nil {
			return nil, err
		}
		owners[string(id)] = owner
	}
	return owners, nil
}

func describeManaged(live *unstructured.Unstructured) (string, error) {
	owners, err := decodeManaged(live.GetManagedFields())
	if err != nil {
		return "", err
	}
	out := map[string]any{}
	for id, owner := range owners {
		fields, err := owner.set.ToJSON()
		if err != nil {
			return "", err
		}
		out[id] = map[string]any{"apiVersion": owner.apiVersion, "applied": owner.applied, "fields": string(fields)}
	}
	return sortedJSON(out)
}

// describeManagedObject tells the object with each entry of managedFields as text, without its time.
func describeManagedObject(object *unstructured.Unstructured) (string, error) {
	texts := []any{}
	for _, entry := range object.GetManagedFields() {
		entry.Time = nil
		text, err := entryJSON(entry)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	described := object.DeepCopy()
	if err := unstructured.SetNestedSlice(described.Object, texts, "metadata", "managedFields"); err != nil {
		return "", err
	}
	return sortedJSON(described.Object)
}

func entriesJSON(object *unstructured.Unstructured) (string, error) {
	texts := []json.RawMessage{}
	for _, entry := range object.GetManagedFields() {
		text, err := entryJSON(entry)
		if err != nil {
			return "", err
		}
		texts = append(texts, json.RawMessage(text))
	}
	text, err := json.Marshal(texts)
	return string(text), err
}

// entryJSON writes an entry with its fields in the order of the set.
func entryJSON(entry metav1.ManagedFieldsEntry) (string, error) {
	set := fieldpath.NewSet()
	if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return "", err
	}
	fields, err := set.ToJSON()
	if err != nil {
		return "", err
	}
	entry.FieldsV1.SetRawBytes(fields)
	text, err := json.Marshal(entry)
	return string(text), err
}

func readObject(text string) (*unstructured.Unstructured, error) {
	value, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("the object is not a map")
	}
	return &unstructured.Unstructured{Object: fields}, nil
}

func managerFor(object *unstructured.Unstructured, subresource string) (*managedfields.FieldManager, error) {
	kind := object.GroupVersionKind()
	types := coreTypes()
	if apiextensionsscheme.Scheme.Recognizes(kind) {
		types = extensionTypes()
	}
	return managedfields.NewDefaultFieldManager(
		types, oneVersion{}, noDefaults{}, objectCreater{}, kind, kind.GroupVersion(), subresource, nil)
}

// Reading the modules' schemas takes a while.
var (
	coreTypes = sync.OnceValue(func() managedfields.TypeConverter {
		return applyconfigurations.NewTypeConverter(scheme.Scheme)
	})
	extensionTypes = sync.OnceValue(func() managedfields.TypeConverter {
		return apiextensions.NewTypeConverter(apiextensionsscheme.Scheme)
	})
)

// A oneVersion converts nothing: there is only one version of each kind.
type oneVersion struct{}

func (oneVersion) Convert(in, out, context any) error {
	return errors.New("objects are converted to a version only")
}

func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (oneVersion) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("no field labels")
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

type objectCreater struct{}

func (objectCreater) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(kind)
	return object, nil
}
