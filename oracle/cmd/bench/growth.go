package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// The schema for lists of growing size, which bench/scales.ts also measures.
const growthSchema = `types:
- name: object
  map:
    fields:
    - name: items
      type:
        list:
          elementType: {namedType: item}
          elementRelationship: associative
          keys: [name]
- name: item
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: port, type: {scalar: numeric}}
    - {name: note, type: {scalar: string}}
`

type growthPoint struct {
	Operation          string  `json:"operation"`
	Size               int     `json:"size"`
	NanosecondsPerItem float64 `json:"nanosecondsPerItem"`
}

// growth writes the cost per item of keyed lists of these sizes, a line of JSON for each operation and size.
func growth(out io.Writer, sizes []int) error {
	parser, err := typed.NewParser(growthSchema)
	if err != nil {
		return err
	}
	parseable := parser.Type("object")
	encoder := json.NewEncoder(out)
	for _, size := range sizes {
		var failed error
		list := func(prefix string, reversed bool) *typed.TypedValue {
			object, err := parseable.FromUnstructured(keyedList(size, prefix, reversed))
			if err != nil {
				failed = err
			}
			return object
		}
		object, same, reversed, other := list("item", false), list("item", false), list("item", true), list("other", false)
		empty, err := parseable.FromUnstructured(map[string]any{})
		if failed != nil || err != nil {
			return fmt.Errorf("lists of %d items: %v %v", size, failed, err)
		}
		set, err := object.ToFieldSet()
		if err != nil {
			return err
		}
		raw := keyedList(size, "item", false)
		operations := []struct {
			name string
			run  func() error
		}{
			{"validate", func() error { _, err := parseable.FromUnstructured(raw); return err }},
			{"toFieldSet", func() error { _, err := object.ToFieldSet(); return err }},
			{"merge with the same", func() error { _, err := object.Merge(same); return err }},
			{"merge with the reverse", func() error { _, err := object.Merge(reversed); return err }},
			{"merge with other items", func() error { _, err := object.Merge(other); return err }},
			{"compare with the reverse", func() error { _, err := object.Compare(reversed); return err }},
			{"compare with nothing", func() error { _, err := object.Compare(empty); return err }},
			{"remove all items", func() error { object.RemoveItems(set); return nil }},
		}
		for _, operation := range operations {
			perCall, err := timePerCall(operation.run)
			if err != nil {
				return err
			}
			point := growthPoint{operation.name, size, float64(perCall.Nanoseconds()) / float64(size)}
			if err := encoder.Encode(point); err != nil {
				return err
			}
		}
	}
	return nil
}

func keyedList(size int, prefix string, reversed bool) map[string]any {
	items := make([]any, size)
	for i := range items {
		at := i
		if reversed {
			at = size - 1 - i
		}
		items[at] = map[string]any{"name": fmt.Sprintf("%s-%d", prefix, i), "port": int64(i), "note": "some text"}
	}
	return map[string]any{"items": items}
}

// timePerCall calls run for 300 ms, once at the least.
func timePerCall(run func() error) (time.Duration, error) {
	for calls := 1; ; calls *= 2 {
		start := time.Now()
		for range calls {
			if err := run(); err != nil {
				return 0, err
			}
		}
		if took := time.Since(start); took > 300*time.Millisecond {
			return took / time.Duration(calls), nil
		}
	}
}
