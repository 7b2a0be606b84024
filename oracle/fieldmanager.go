package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/klog/v2"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

func init() {
	// The modules log errors in managedFields.
	klog.SetLogger(klog.Logger{})
}

// A managedStory is one object of the API that changes step by step at one endpoint and its subresources.
type managedStory struct {
	types       managedfields.TypeConverter
	converter   runtime.ObjectConvertor
	create      objectCreater
	kind        schema.GroupVersionKind
	resetFields map[fieldpath.APIVersion]fieldpath.Filter
	managers    map[string]*managedfields.FieldManager // by subresource
	live        *unstructured.Unstructured
}

// manageFields answers "fieldManager". The request has three more members than others. `versions` lists the only versions that the
// object converts to, by changing its apiVersion; without it, conversion does not change an object. `live` is the first object. With
// `emptyObjects`, built-in kinds start from the zero value of their Go type, as in an API server, instead of nothing.
func manageFields(req *request) (answer, error) {
	s, err := newManagedStory(req)
	if err != nil {
		return nil, err
	}
	steps, err := req.list("steps")
	if err != nil {
		return nil, err
	}
	answers := make([]answer, len(steps))
	for i, raw := range steps {
		step, err := parseRequest(raw)
		if err != nil {
			return nil, fmt.Errorf("invalid step %d: %w", i, err)
		}
		if answers[i], err = s.take(step, req.text("subresource")); err != nil {
			return nil, err
		}
	}
	return answer{"steps": answers}, nil
}

func newManagedStory(req *request) (*managedStory, error) {
	s := &managedStory{managers: map[string]*managedfields.FieldManager{}}
	var err error
	if s.types, err = req.typeSource(); err != nil {
		return nil, err
	}
	if err = req.decode("gvk", &s.kind); err != nil {
		return nil, err
	}
	if s.resetFields, err = resetFields(req); err != nil {
		return nil, err
	}
	s.create.zeros = req.flag("emptyObjects")
	convert := &versionChanger{}
	if err = req.decode("versions", &convert.known); err != nil {
		return nil, err
	}
	s.converter = convert
	if req.has("live") {
		s.live, err = req.object("live")
		return s, err
	}
	s.live, err = s.create.empty(s.kind)
	return s, err
}

func resetFields(req *request) (map[fieldpath.APIVersion]fieldpath.Filter, error) {
	if !req.has("resetFields") {
		return nil, nil
	}
	members, err := parseRequest(req.fields["resetFields"])
	if err != nil {
		return nil, fmt.Errorf("invalid resetFields: %w", err)
	}
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	for version := range members.fields {
		set, err := members.set(version)
		if err != nil {
			return nil, err
		}
		filters[fieldpath.APIVersion(version)] = fieldpath.NewExcludeSetFilter(set)
	}
	return filters, nil
}

// take runs one step and returns the object after it. The modules change their input objects, so they get copies.
func (s *managedStory) take(step *request, subresource string) (answer, error) {
	if step.has("subresource") {
		subresource = step.text("subresource")
	}
	object, err := step.object("object")
	if err != nil {
		return nil, err
	}
	manager, err := s.manager(subresource)
	if err != nil {
		return nil, err
	}
	next, err := takeStep(manager, step, s.live.DeepCopy(), object.DeepCopy())
	out := answer{}
	if err != nil {
		status := statusAnswer(err)
		status["message"] = s.withTypeNames(status["message"].(string), object)
		out["error"] = status
	} else {
		s.live = next.(*unstructured.Unstructured)
	}
	out["object"] = withoutTimes(objectAnswer(s.live))
	return out, nil
}

// withTypeNames inserts names where the module prints the types of the live and the new object as pointers.
func (s *managedStory) withTypeNames(message string, object *unstructured.Unstructured) string {
	before, _, found := strings.Cut(message, "objects of the same type, but got ")
	if !found {
		return message
	}
	names := []string{}
	for _, operand := range []*unstructured.Unstructured{s.live, object} {
		value, err := s.types.ObjectToTyped(operand, typed.AllowDuplicates)
		if err != nil || value.TypeRef().NamedType == nil {
			return message
		}
		names = append(names, *value.TypeRef().NamedType)
	}
	return before + "objects of the same type, but got " + strings.Join(names, " and ")
}

func takeStep(m *managedfields.FieldManager, step *request, live, object *unstructured.Unstructured) (runtime.Object, error) {
	name := step.text("manager")
	switch op := step.text("op"); op {
	case "apply", "forceApply":
		return m.Apply(live, object, name, op == "forceApply")
	case "update":
		return m.Update(live, object, name)
	case "updateNoErrors":
		return m.UpdateNoErrors(live, object, name), nil
	default:
		return nil, fmt.Errorf("unknown step %q", op)
	}
}

func (s *managedStory) manager(subresource string) (*managedfields.FieldManager, error) {
	if manager, ok := s.managers[subresource]; ok {
		return manager, nil
	}
	// Use the code for custom resources, whose objects have no Go type. For other kinds, the module differs only in the hub's group.
	manager, err := managedfields.NewDefaultCRDFieldManager(
		s.types, s.converter, noDefaults{}, s.create, s.kind, s.kind.GroupVersion(), subresource, s.resetFields)
	if err == nil {
		s.managers[subresource] = manager
	}
	return manager, err
}

func withoutTimes(object map[string]any) map[string]any {
	entries, _, _ := unstructured.NestedFieldNoCopy(object, "metadata", "managedFields")
	list, _ := entries.([]any)
	for _, entry := range list {
		if fields, ok := entry.(map[string]any); ok {
			if _, ok := fields["time"]; ok {
				fields["time"] = "T"
			}
		}
	}
	return object
}

// statusAnswer returns an error as the API server answers it. An error without a status is an internal error.
func statusAnswer(err error) answer {
	status := metav1.Status{Code: 500, Message: err.Error()}
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		status = known.Status()
	}
	causes := []answer{}
	if status.Details != nil {
		sortCauses(status.Details.Causes, status.Message)
		for _, cause := range status.Details.Causes {
			causes = append(causes, answer{"reason": string(cause.Type), "message": cause.Message, "field": cause.Field})
		}
	}
	return answer{"code": status.Code, "reason": string(status.Reason), "message": status.Message, "causes": causes}
}

// sortCauses sorts causes like the managers in the message: the module lists causes in a random order, and the message has the order
// of the managers' identifiers.
func sortCauses(causes []metav1.StatusCause, message string) {
	place := func(cause metav1.StatusCause) int {
		return strings.Index(message, strings.Replace(cause.Message, "conflict with", "conflicts with", 1)+":\n")
	}
	sort.SliceStable(causes, func(i, j int) bool { return place(causes[i]) < place(causes[j]) })
}

// A versionChanger converts an object by changing its apiVersion, like custom resources without a webhook.
type versionChanger struct {
	known []string
}

func (c *versionChanger) Convert(in, out, context any) error {
	return errors.New("objects are converted to a version only")
}

func (c *versionChanger) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	if c.known == nil {
		return in, nil
	}
	version := target.(schema.GroupVersion)
	for _, known := range c.known {
		if known == version.String() {
			out := in.DeepCopyObject()
			out.GetObjectKind().SetGroupVersionKind(version.WithKind(in.GetObjectKind().GroupVersionKind().Kind))
			return out, nil
		}
	}
	return nil, runtime.NewNotRegisteredErrForKind("versions", version.WithKind(in.GetObjectKind().GroupVersionKind().Kind))
}

func (c *versionChanger) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("no field labels")
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

// An objectCreater creates objects that have only their kind, or the fields of the zero value of their Go type.
type objectCreater struct{ zeros bool }

func (c objectCreater) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return c.empty(kind)
}

func (c objectCreater) empty(kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	for _, module := range builtinTypes {
		if !c.zeros || !module.scheme.Recognizes(kind) {
			continue
		}
		zero, err := module.scheme.New(kind)
		if err != nil {
			return nil, err
		}
		if object.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(zero); err != nil {
			return nil, err
		}
	}
	object.SetGroupVersionKind(kind)
	return object, nil
}
