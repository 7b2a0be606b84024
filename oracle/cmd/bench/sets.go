package main

import (
	"bytes"
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// setData holds sets of random paths, the same as bench/cases/sets.ts makes: numbers are drawn in the same order.
type setData struct {
	size   int
	paths  [][]fieldpath.Path
	sets   []*fieldpath.Set
	texts  [][]byte
	draws  []int
	probes []fieldpath.Path
}

const (
	drawn    = 1024
	answered = 50
)

func (p *plan) set(c caseSpec) (*runnable, error) {
	if p.sets == nil || p.sets.size != c.Size {
		p.sets = nil
		made, err := makeSets(p.Sets, c)
		if err != nil {
			return nil, err
		}
		p.sets = made
	}
	d := p.sets
	first := func(i int) *fieldpath.Set { return d.sets[d.draws[i&(drawn-1)]] }
	second := func(i int) *fieldpath.Set { return d.sets[d.draws[drawn+i&(drawn-1)]] }
	ofSets := func(run func(int) *fieldpath.Set) *runnable {
		return answering(func(i int) (*fieldpath.Set, error) { return run(i), nil }, describeSet)
	}
	switch c.Operation {
	case "insert":
		return ofSets(func(i int) *fieldpath.Set { return insertAll(d.paths[d.draws[i&(drawn-1)]]) }), nil
	case "has":
		return answering(func(i int) (bool, error) { return first(i).Has(d.probes[i&(drawn-1)]), nil }, describeBool), nil
	case "serialize":
		return answering(func(i int) ([]byte, error) { return first(i).ToJSON() }, func(text []byte) (string, error) {
			return sortedJSON(string(text))
		}), nil
	case "deserialize":
		reused := fieldpath.NewSet()
		return answering(func(i int) (*fieldpath.Set, error) {
			return reused, reused.FromJSON(bytes.NewReader(d.texts[d.draws[i&(drawn-1)]]))
		}, describeSet), nil
	case "union":
		return ofSets(func(i int) *fieldpath.Set { return first(i).Union(second(i)) }), nil
	case "intersection":
		return ofSets(func(i int) *fieldpath.Set { return first(i).Intersection(second(i)) }), nil
	case "difference":
		return ofSets(func(i int) *fieldpath.Set { return first(i).Difference(second(i)) }), nil
	case "recursiveDifference":
		return ofSets(func(i int) *fieldpath.Set { return first(i).RecursiveDifference(second(i)) }), nil
	case "leaves":
		return ofSets(func(i int) *fieldpath.Set { return first(i).Leaves() }), nil
	}
	return nil, fmt.Errorf("unknown operation %q", c.Operation)
}

// answering returns a case whose answer is that of its first calls.
func answering[T any](run func(int) (T, error), describe func(T) (string, error)) *runnable {
	return &runnable{
		run: func(i int) error {
			_, err := run(i)
			return err
		},
		answer: func() (string, error) {
			var texts []string
			for i := 0; i < answered; i++ {
				result, err := run(i)
				if err != nil {
					return "", err
				}
				text, err := describe(result)
				if err != nil {
					return "", err
				}
				texts = append(texts, text)
			}
			return "[" + strings.Join(texts, ",") + "]", nil
		},
	}
}

func makeSets(f setFixture, c caseSpec) (*setData, error) {
	r := newRandom(f.Seed + uint32(c.Size))
	var alphabet []fieldpath.PathElement
	for _, text := range f.Alphabet {
		element, err := fieldpath.DeserializePathElement(text)
		if err != nil {
			return nil, err
		}
		alphabet = append(alphabet, element)
	}
	makePath := func() fieldpath.Path {
		path := make(fieldpath.Path, c.Shortest+r.below(c.Longest-c.Shortest))
		for i := range path {
			path[i] = alphabet[r.below(len(alphabet))]
		}
		return path
	}
	d := &setData{size: c.Size}
	for i := 0; i < f.Operands; i++ {
		paths := make([]fieldpath.Path, c.Size)
		for j := range paths {
			paths[j] = makePath()
		}
		d.paths = append(d.paths, paths)
		set := insertAll(paths)
		d.sets = append(d.sets, set)
		text, err := set.ToJSON()
		if err != nil {
			return nil, err
		}
		d.texts = append(d.texts, text)
	}
	for i := 0; i < 2*drawn; i++ {
		d.draws = append(d.draws, r.below(f.Operands))
	}
	for i := 0; i < drawn; i++ {
		d.probes = append(d.probes, makePath())
	}
	return d, nil
}

func insertAll(paths []fieldpath.Path) *fieldpath.Set {
	set := fieldpath.NewSet()
	for _, path := range paths {
		set.Insert(path)
	}
	return set
}

// fromValue returns a case that makes the field set of an untyped value.
func fromValue(c caseSpec) (*runnable, error) {
	v, err := readJSON(c.JSON)
	if err != nil {
		return nil, err
	}
	return operation(func() (*fieldpath.Set, error) {
		return fieldpath.SetFromValue(value.NewValueInterface(v)), nil
	}, describeSet), nil
}
