package main

import (
	"errors"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A sameInEveryVersion converts nothing: all versions are the same.
type sameInEveryVersion struct{}

func (sameInEveryVersion) Convert(object *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return object, nil
}

func (sameInEveryVersion) IsMissingVersionError(error) bool { return false }

type preparedStep struct {
	storyStep
	object *typed.TypedValue
}

// story returns a case of applies and updates. Objects are parsed before the clock starts; the story starts with nothing
// each time.
func (p *plan) story(c caseSpec) (*runnable, error) {
	parseable, err := p.typeOf(c.Steps[0].Object)
	if err != nil {
		return nil, err
	}
	var steps []preparedStep
	for _, step := range c.Steps {
		var opts []typed.ValidationOptions
		if step.Verb == "update" {
			opts = append(opts, typed.AllowDuplicates)
		}
		object, err := p.fresh(step.Object, opts...)
		if err != nil {
			return nil, err
		}
		steps = append(steps, preparedStep{step, object})
	}
	tell := func() (*typed.TypedValue, fieldpath.ManagedFields, error) {
		builder := merge.UpdaterBuilder{Converter: sameInEveryVersion{}, ReturnInputOnNoop: c.ReturnInputOnNoop}
		return run(builder.BuildUpdater(), parseable, steps)
	}
	return &runnable{
		run: func(int) error {
			_, _, err := tell()
			return err
		},
		answer: func() (string, error) {
			live, managers, err := tell()
			if err != nil {
				return "", err
			}
			return describeState(live, managers)
		},
	}, nil
}

func run(updater *merge.Updater, parseable typed.ParseableType, steps []preparedStep) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	live, err := parseable.FromUnstructured(nil)
	if err != nil {
		return nil, nil, err
	}
	var managers fieldpath.ManagedFields
	for i, step := range steps {
		version := fieldpath.APIVersion(step.APIVersion)
		var next *typed.TypedValue
		var owners fieldpath.ManagedFields
		if step.Verb == "update" {
			next, owners, err = updater.Update(live, step.object, version, managers, step.Manager)
		} else {
			next, owners, err = updater.Apply(live, step.object, version, managers, step.Manager, step.Force)
		}
		var conflicts merge.Conflicts
		if step.Conflict && errors.As(err, &conflicts) {
			continue
		}
		if err != nil || step.Conflict {
			return nil, nil, fmt.Errorf("step %d: %v", i, err)
		}
		managers = owners
		if next != nil {
			live = next
		}
	}
	return live, managers, nil
}

func describeState(live *typed.TypedValue, managers fieldpath.ManagedFields) (string, error) {
	owners := map[string]any{}
	for manager, owner := range managers {
		fields, err := owner.Set().ToJSON()
		if err != nil {
			return "", err
		}
		owners[manager] = map[string]any{
			"apiVersion": string(owner.APIVersion()),
			"applied":    owner.Applied(),
			"fields":     string(fields),
		}
	}
	return sortedJSON(map[string]any{"object": live.AsValue().Unstructured(), "owners": owners})
}
