package main

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/randfill"
)

// keepsStatus tells whether a new object keeps the status it is created with: whether it differs after the strategy has prepared it
// from that of an object created without.
func keepsStatus(storage rest.Storage) (bool, error) {
	store, err := storeOf(storage)
	if err != nil {
		return false, err
	}
	filled := []string{}
	empty, err := statusAfterCreation(store, filled...)
	if err != nil { // some look into the spec
		filled = append(filled, "Spec")
		if empty, err = statusAfterCreation(store, filled...); err != nil {
			return false, err
		}
	}
	full, err := statusAfterCreation(store, append(filled, "Status")...)
	return !reflect.DeepEqual(empty, full), err
}

// storeOf finds the store that all storages have inside, some of them in a field of their own.
func storeOf(storage rest.Storage) (*registry.Store, error) {
	for _, name := range []string{"Store", "store"} {
		field := reflect.ValueOf(storage).Elem().FieldByName(name)
		if field.IsValid() {
			return *(**registry.Store)(unsafe.Pointer(field.UnsafeAddr())), nil
		}
	}
	return nil, fmt.Errorf("%T has no store", storage)
}

// statusAfterCreation prepares an object for creation in which these fields are filled with as few values as there can be.
func statusAfterCreation(store *registry.Store, fields ...string) (status any, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%v", problem)
		}
	}()
	object := store.New()
	value := reflect.ValueOf(object).Elem()
	if !value.FieldByName("Status").IsValid() {
		return nil, nil
	}
	for _, field := range fields {
		fill := randfill.NewWithSeed(1).NilChance(0).NumElements(1, 1).MaxDepth(6).Funcs(func(*runtime.Object, randfill.Continue) {})
		fill.Fill(value.FieldByName(field).Addr().Interface())
	}
	store.CreateStrategy.PrepareForCreate(context.Background(), object)
	return value.FieldByName("Status").Interface(), nil
}
