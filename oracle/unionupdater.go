package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// A unionUpdater is v6's updater with v4's union rules: v6 dropped unions, and v4's merge is no longer the reference.
//
// An update normalizes its new object first, and then runs v6's code. An apply must normalize the merged object before pruning and
// comparing, in the middle of v6's Apply, so this file repeats the steps of Apply.
type unionUpdater struct {
	*merge.Updater
	returnInputOnNoop bool
	schemas           schemaPair
}

func (u *unionUpdater) Update(live, next *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	managers, err := u.reconciled(live, managers)
	if err != nil {
		return nil, nil, err
	}
	if next, err = normalizeUpdate(u.schemas, live, next); err != nil {
		return nil, nil, err
	}
	return u.Updater.Update(live, next, version, managers, manager)
}

func (u *unionUpdater) Apply(live, config *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string, force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	managers, err := u.reconciled(live, managers)
	if err != nil {
		return nil, nil, err
	}
	config, merged, err := u.merged(live, config)
	if err != nil {
		return nil, nil, err
	}
	owned, err := config.ToFieldSet()
	if err != nil {
		return nil, nil, fmt.Errorf("failed to get field set: %v", err)
	}
	ignored, err := u.ignored(version)
	if err != nil {
		return nil, nil, err
	}
	if ignored != nil {
		owned = ignored.Filter(owned)
	}
	before := managers[manager]
	managers[manager] = fieldpath.NewVersionedSet(owned, version, true)
	if before != nil && !before.Set().Empty() {
		if merged, err = u.pruned(merged, before, managers, version); err != nil {
			return nil, nil, fmt.Errorf("failed to prune fields: %v", err)
		}
	}
	if err := u.settle(live, merged, version, managers, manager, force); err != nil {
		return nil, nil, err
	}
	if !u.returnInputOnNoop && value.Equals(orNull(live).AsValue(), orNull(merged).AsValue()) {
		merged = nil
	}
	return merged, managers, nil
}

// reconciled returns the managers with their sets reconciled with the schema, without managers of missing versions.
func (u *unionUpdater) reconciled(live *typed.TypedValue, managers fieldpath.ManagedFields) (fieldpath.ManagedFields, error) {
	out := fieldpath.ManagedFields{}
	for manager, entry := range managers {
		object, err := u.convert(live, entry.APIVersion())
		if err != nil {
			return nil, err
		}
		if object == nil {
			continue
		}
		set, err := typed.ReconcileFieldSetWithSchema(entry.Set(), object)
		if err != nil {
			return nil, err
		}
		if set == nil {
			set = entry.Set()
		}
		out[manager] = fieldpath.NewVersionedSet(set, entry.APIVersion(), entry.Applied())
	}
	return out, nil
}

// convert returns nil if the version is missing.
func (u *unionUpdater) convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	converted, err := u.Converter.Convert(object, version)
	if err != nil && u.Converter.IsMissingVersionError(err) {
		return nil, nil
	}
	return converted, err
}

// merged normalizes the configuration, merges it into live and normalizes the result.
func (u *unionUpdater) merged(live, config *typed.TypedValue) (normalized, result *typed.TypedValue, err error) {
	if normalized, err = normalizeApply(u.schemas, config, config); err != nil {
		return nil, nil, err
	}
	normalized = orNull(normalized)
	if result, err = live.Merge(normalized); err != nil {
		return nil, nil, fmt.Errorf("failed to merge config: %v", err)
	}
	result, err = normalizeApply(u.schemas, normalized, result)
	return normalized, result, err
}

// orNull turns an absent value, which is the result of normalizing two empty objects, into null.
func orNull(tv *typed.TypedValue) *typed.TypedValue {
	if tv.AsValue() == nil {
		return tv.Empty()
	}
	return tv
}

func (u *unionUpdater) ignored(version fieldpath.APIVersion) (fieldpath.Filter, error) {
	if u.IgnoredFields != nil && u.IgnoreFilter != nil {
		return nil, errors.New("IgnoreFilter and IgnoreFilter may not both be set")
	}
	if u.IgnoredFields == nil {
		return u.IgnoreFilter[version], nil
	}
	if set := u.IgnoredFields[version]; set != nil {
		return fieldpath.NewExcludeSetFilter(set), nil
	}
	return nil, nil
}

// pruned removes the fields from merged that the manager applied before, unless they have an owner now or were not the manager's.
func (u *unionUpdater) pruned(merged *typed.TypedValue, before fieldpath.VersionedSet, managers fieldpath.ManagedFields, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	whole, err := u.convert(merged, before.APIVersion())
	if err != nil {
		return nil, fmt.Errorf("failed to convert merged object to last applied version: %v", err)
	}
	if whole == nil {
		return merged, nil
	}
	last := named(before.Set(), whole)
	kept, err := u.withOwned(whole, whole.RemoveItems(last), before.APIVersion(), managers)
	if err != nil {
		return nil, fmt.Errorf("failed add back owned items: %v", err)
	}
	if kept, err = u.convert(kept, before.APIVersion()); err != nil {
		return nil, fmt.Errorf("failed add back dangling items: failed to convert pruned object to last applied version: %v", err)
	}
	if kept != nil {
		lost, err := lostFields(whole, kept, "in last applied version")
		if err != nil {
			return nil, fmt.Errorf("failed add back dangling items: %v", err)
		}
		whole = whole.RemoveItems(lost.Intersection(last))
	}
	return u.Converter.Convert(whole, version)
}

// withOwned adds to kept the fields of whole that any manager owns, one version after the other. It begins with the version of both
// objects.
func (u *unionUpdater) withOwned(whole, kept *typed.TypedValue, first fieldpath.APIVersion, managers fieldpath.ManagedFields) (*typed.TypedValue, error) {
	owned := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, entry := range managers {
		set, ok := owned[entry.APIVersion()]
		if !ok {
			set = fieldpath.NewSet()
		}
		owned[entry.APIVersion()] = set.Union(entry.Set())
	}
	versions := slices.Sorted(maps.Keys(owned))
	if i := slices.Index(versions, first); i >= 0 {
		versions = slices.Insert(slices.Delete(versions, i, i+1), 0, first)
	}
	for _, version := range versions {
		wholeThere, err := u.convert(whole, version)
		if err != nil {
			return nil, fmt.Errorf("failed to convert merged object at version %v: %v", version, err)
		}
		if wholeThere == nil {
			continue
		}
		keptThere, err := u.convert(kept, version)
		if err != nil {
			return nil, fmt.Errorf("failed to convert pruned object at version %v: %v", version, err)
		}
		if keptThere == nil {
			continue
		}
		lost, err := lostFields(wholeThere, keptThere, fmt.Sprintf("at version %v", version))
		if err != nil {
			return nil, err
		}
		whole, kept = wholeThere, wholeThere.RemoveItems(lost.Difference(named(owned[version], wholeThere)))
	}
	return kept, nil
}

// lostFields returns the fields that whole has and kept lacks; where is for messages.
func lostFields(whole, kept *typed.TypedValue, where string) (*fieldpath.Set, error) {
	all, err := whole.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from merged object %s: %v", where, err)
	}
	some, err := kept.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from pruned object %s: %v", where, err)
	}
	return named(all, whole).Difference(named(some, whole)), nil
}

func named(set *fieldpath.Set, object *typed.TypedValue) *fieldpath.Set {
	return set.EnsureNamedFieldsAreMembers(object.Schema(), object.TypeRef())
}

// settle removes the fields that changed between live and merged from the other managers. Without force, owned fields that changed
// are conflicts.
func (u *unionUpdater) settle(live, merged *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string, force bool) error {
	changes := map[fieldpath.APIVersion]*typed.Comparison{}
	var err error
	if changes[version], err = u.change(live, merged, version); err != nil {
		return err
	}
	conflicts := fieldpath.ManagedFields{}
	for other, entry := range managers {
		if other == manager {
			continue
		}
		change, ok := changes[entry.APIVersion()]
		if !ok {
			if change, err = u.changeAt(live, merged, entry.APIVersion()); err != nil {
				return err
			}
			changes[entry.APIVersion()] = change
		}
		if change == nil {
			delete(managers, other)
			continue
		}
		if touched := entry.Set().Intersection(change.Modified.Union(change.Added)); !touched.Empty() {
			conflicts[other] = fieldpath.NewVersionedSet(touched, entry.APIVersion(), false)
		}
	}
	if !force && len(conflicts) > 0 {
		return merge.ConflictsFromManagers(conflicts)
	}
	for other, entry := range managers {
		left := entry.Set()
		if other != manager {
			change := changes[entry.APIVersion()]
			left = left.Difference(change.Modified.Union(change.Added)).Difference(change.Removed)
		}
		if left.Empty() {
			delete(managers, other)
		} else {
			managers[other] = fieldpath.NewVersionedSet(left, entry.APIVersion(), entry.Applied())
		}
	}
	return nil
}

func (u *unionUpdater) change(before, after *typed.TypedValue, version fieldpath.APIVersion) (*typed.Comparison, error) {
	comparison, err := before.Compare(after)
	if err != nil {
		return nil, fmt.Errorf("failed to compare objects: %v", err)
	}
	ignored, err := u.ignored(version)
	if err != nil || ignored == nil {
		return comparison, err
	}
	return comparison.FilterFields(ignored), nil
}

// changeAt is change in another version, or nil if that version is missing.
func (u *unionUpdater) changeAt(live, merged *typed.TypedValue, version fieldpath.APIVersion) (*typed.Comparison, error) {
	before, err := u.convert(live, version)
	if err != nil {
		return nil, fmt.Errorf("failed to convert old object: %v", err)
	}
	if before == nil {
		return nil, nil
	}
	after, err := u.convert(merged, version)
	if err != nil {
		return nil, fmt.Errorf("failed to convert new object: %v", err)
	}
	if after == nil {
		return nil, nil
	}
	return u.change(before, after, version)
}
