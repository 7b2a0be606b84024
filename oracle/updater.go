package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

func init() {
	register(map[string]operation{"updater": tellStory})
}

// A story is one object and its managers, which change step by step.
type story struct {
	request *request
	updater updater

	live     *typed.TypedValue
	managers fieldpath.ManagedFields
	typeOf   typeLookup

	typesByVersion   map[string]string
	acceptedVersions []string
}

// An updater is merge.Updater, or the updater with unions.
type updater interface {
	Update(live, next *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string) (*typed.TypedValue, fieldpath.ManagedFields, error)
	Apply(live, config *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string, force bool) (*typed.TypedValue, fieldpath.ManagedFields, error)
}

func tellStory(req *request) (answer, error) {
	s, steps, err := newStory(req)
	if err != nil {
		return nil, err
	}
	answers := make([]answer, len(steps))
	for i, raw := range steps {
		step, err := parseRequest(raw)
		if err != nil {
			return nil, fmt.Errorf("invalid step %d: %w", i, err)
		}
		if answers[i], err = s.take(step); err != nil {
			return nil, err
		}
	}
	out := answer{"steps": answers}
	if version := req.text("finalApiVersion"); version != "" && s.live != nil {
		final, err := s.converter().Convert(s.live, fieldpath.APIVersion(version))
		if err != nil {
			out["finalLive"] = answer{"error": err.Error()}
		} else {
			out["finalLive"] = plainValue(final.AsValue())
		}
	}
	return out, nil
}

func newStory(req *request) (*story, []json.RawMessage, error) {
	s := &story{request: req, managers: fieldpath.ManagedFields{}}
	var err error
	if s.typeOf, err = req.typeLookup(); err != nil {
		return nil, nil, err
	}
	if err = req.decode("typesByVersion", &s.typesByVersion); err != nil {
		return nil, nil, err
	}
	if err = req.decode("acceptedVersions", &s.acceptedVersions); err != nil {
		return nil, nil, err
	}
	steps, err := req.list("steps")
	if err != nil {
		return nil, nil, err
	}
	if err = checkUnionPolicy(req); err != nil {
		return nil, nil, err
	}
	s.updater, err = s.newUpdater(steps)
	return s, steps, err
}

func (s *story) newUpdater(steps []json.RawMessage) (updater, error) {
	convert, err := converterNamed(s.request.text("converter"), s)
	if err != nil {
		return nil, err
	}
	builder := merge.UpdaterBuilder{Converter: convert, ReturnInputOnNoop: s.request.flag("returnInputOnNoop")}
	if builder.IgnoredFields, err = s.ignoredFields(steps); err != nil {
		return nil, err
	}
	if builder.IgnoreFilter, err = s.ignoreFilters(); err != nil {
		return nil, err
	}
	if unionsEnabled(s.request) {
		return &unionUpdater{Updater: builder.BuildUpdater(), returnInputOnNoop: builder.ReturnInputOnNoop}, nil
	}
	return builder.BuildUpdater(), nil
}

// ignoredFields reads the sets to ignore. The module crashes with a nil pointer at a version without a set, so every version of the
// story gets one.
func (s *story) ignoredFields(steps []json.RawMessage) (map[fieldpath.APIVersion]*fieldpath.Set, error) {
	if !s.request.has("ignoredFields") {
		return nil, nil
	}
	var texts map[fieldpath.APIVersion]json.RawMessage
	if err := s.request.decode("ignoredFields", &texts); err != nil {
		return nil, err
	}
	sets := map[fieldpath.APIVersion]*fieldpath.Set{}
	for version, raw := range texts {
		set, err := parseSet(raw)
		if err != nil {
			return nil, err
		}
		sets[version] = set
	}
	for _, raw := range steps {
		var step struct{ APIVersion fieldpath.APIVersion }
		if err := json.Unmarshal(raw, &step); err != nil {
			return nil, err
		}
		if _, ok := sets[step.APIVersion]; !ok {
			sets[step.APIVersion] = fieldpath.NewSet()
		}
	}
	return sets, nil
}

func (s *story) ignoreFilters() (map[fieldpath.APIVersion]fieldpath.Filter, error) {
	if !s.request.has("ignoreFilter") {
		return nil, nil
	}
	var raws map[fieldpath.APIVersion]json.RawMessage
	if err := s.request.decode("ignoreFilter", &raws); err != nil {
		return nil, err
	}
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	for version, raw := range raws {
		filter, err := parseFilter(raw)
		if err != nil {
			return nil, err
		}
		filters[version] = filter
	}
	return filters, nil
}

func (s *story) converter() merge.Converter {
	if u, ok := s.updater.(*unionUpdater); ok {
		return u.Converter
	}
	return s.updater.(*merge.Updater).Converter
}

// take runs one step and returns the state after it. A step that fails does not change the state.
func (s *story) take(step *request) (answer, error) {
	live, managers, typeOf := s.live, s.managers.Copy(), s.typeOf
	noop, fault, err := s.attempt(step)
	if err != nil || fault != "" {
		s.live, s.managers, s.typeOf = live, managers, typeOf
	}
	owners, formatErr := managersAnswer(s.managers)
	if formatErr != nil {
		return nil, formatErr
	}
	out := answer{"live": nil, "managers": owners}
	if s.live != nil {
		out["live"] = plainValue(s.live.AsValue())
	}
	if noop {
		out["noop"] = true
	}
	if fault != "" {
		out["panic"] = fault
	}
	if err != nil {
		out["error"] = err.Error()
		var conflicts merge.Conflicts
		if errors.As(err, &conflicts) {
			out["conflicts"], formatErr = conflictsAnswer(conflicts)
		}
	}
	return out, formatErr
}

func conflictsAnswer(conflicts merge.Conflicts) ([]answer, error) {
	sort.SliceStable(conflicts, func(i, j int) bool { return conflicts[i].Manager < conflicts[j].Manager })
	out := make([]answer, len(conflicts))
	for i, conflict := range conflicts {
		path, err := formatPath(conflict.Path)
		if err != nil {
			return nil, err
		}
		out[i] = answer{"manager": conflict.Manager, "path": path, "pathString": conflict.Path.String()}
	}
	return out, nil
}

func (s *story) attempt(step *request) (noop bool, fault string, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			fault = fmt.Sprint(caught)
		}
	}()
	switch op := step.text("op"); op {
	case "acceptedVersions":
		err = step.decode("versions", &s.acceptedVersions)
	case "changeSchema":
		err = s.changeSchema(step)
	case "update":
		err = s.update(step)
	case "apply", "forceApply", "extractApply":
		noop, err = s.apply(step, op)
	default:
		err = fmt.Errorf("unknown step %q", op)
	}
	return noop, "", err
}

// changeSchema reads live again under the new schema; types keep their names.
func (s *story) changeSchema(step *request) error {
	pair, err := schemaOf(step.text("schema"))
	if err != nil {
		return err
	}
	before := s.typeOf
	s.typeOf = func(version fieldpath.APIVersion) documentType {
		return documentType{typed.ParseableType{Schema: pair.v6, TypeRef: before(version).TypeRef}, pair}
	}
	if s.live == nil {
		return nil
	}
	s.live, err = typed.AsTyped(s.live.AsValue(), pair.v6, s.live.TypeRef())
	return err
}

func (s *story) update(step *request) error {
	version := fieldpath.APIVersion(step.text("apiVersion"))
	next, err := s.operand(step, version, typed.AllowDuplicates)
	if err != nil {
		return err
	}
	if err := s.liveAt(version); err != nil {
		return err
	}
	live, managers, err := s.updater.Update(s.live, next, version, s.managers, step.text("manager"))
	if err != nil {
		return err
	}
	s.live, s.managers = live, managers
	return nil
}

func (s *story) apply(step *request, op string) (noop bool, err error) {
	version := fieldpath.APIVersion(step.text("apiVersion"))
	manager := step.text("manager")
	config, err := s.operand(step, version)
	if err != nil {
		return false, err
	}
	if op == "extractApply" && s.live != nil {
		if config, err = s.extended(config, version, manager); err != nil {
			return false, err
		}
	}
	if err := s.liveAt(version); err != nil {
		return false, err
	}
	live, managers, err := s.updater.Apply(s.live, config, version, s.managers, manager, op != "apply")
	if err != nil {
		return false, err
	}
	s.managers = managers
	if live != nil {
		s.live = live
	}
	return live == nil, nil
}

func (s *story) operand(step *request, version fieldpath.APIVersion, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	v, err := step.untyped("object")
	if err != nil {
		return nil, err
	}
	t := s.typeOf(version)
	s.setSchemas(t.pair)
	return t.FromUnstructured(v, options...)
}

// setSchemas sets the schema of the next operation of an updater with unions.
func (s *story) setSchemas(pair schemaPair) {
	if u, ok := s.updater.(*unionUpdater); ok {
		u.schemas = pair
	}
}

// liveAt converts live to the version; before the first step it is null.
func (s *story) liveAt(version fieldpath.APIVersion) (err error) {
	if s.live == nil {
		if s.live, err = s.typeOf(version).FromUnstructured(nil); err != nil {
			return fmt.Errorf("failed to create new empty object: %v", err)
		}
	}
	s.live, err = s.converter().Convert(s.live, version)
	return err
}

// extended returns config merged into the part of live that the manager already owns.
func (s *story) extended(config *typed.TypedValue, version fieldpath.APIVersion, manager string) (*typed.TypedValue, error) {
	live, err := s.converter().Convert(s.live, version)
	if err != nil {
		return nil, err
	}
	owned := fieldpath.NewSet()
	if entry := s.managers[manager]; entry != nil {
		if entry.APIVersion() != version {
			return nil, fmt.Errorf("existing managed fieldpath set APIVersion (%s) differs from desired (%s), unable to extract", entry.APIVersion(), version)
		}
		// A set with a parent would extract everything below the parent.
		owned = entry.Set().Leaves()
	}
	return live.ExtractItems(owned).Merge(config)
}
