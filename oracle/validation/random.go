package main

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"sort"
	"strings"
)

// random makes values out of the texts and numbers that the rules of a package speak of.
type random struct {
	*rand.Rand
	texts   []string
	numbers []int64
}

func textsIn(d document) []string {
	texts := []string{"", "", "a", "b", "x-y", "A.b", "a/b", "example.com/Name", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "\u00e9\u00e9\u00e9"}
	walkRules(d, func(r rule) {
		for _, value := range []any{r.Value, r.Arg} {
			if text, ok := value.(string); ok && len(texts) < 60 {
				texts = append(texts, text)
			}
		}
		for _, arg := range r.Args {
			texts = append(texts, arg.Value)
		}
	})
	for _, t := range sorted(d.Types) {
		for _, c := range d.Types[t].Constants {
			texts = append(texts, c.Value)
		}
	}
	return texts
}

func numbersIn(d document) []int64 {
	numbers := []int64{0, 0, 1, 2, 3, 7}
	walkRules(d, func(r rule) {
		if raw, ok := r.Value.(json.RawMessage); ok {
			var n int64
			if json.Unmarshal(raw, &n) == nil {
				numbers = append(numbers, n-1, n, n+1)
			}
		}
		for _, arg := range r.Args {
			var n int64
			if json.Unmarshal([]byte(arg.Value), &n) == nil {
				numbers = append(numbers, n)
			}
		}
	})
	return numbers
}

func walkRules(d document, visit func(rule)) {
	var each func([]rule)
	each = func(rules []rule) {
		for _, r := range rules {
			visit(r)
			if r.Payload != nil {
				each([]rule{*r.Payload})
			}
		}
	}
	for _, name := range sorted(d.Types) {
		t := d.Types[name]
		each(t.Rules)
		for _, c := range t.Constants {
			each(c.Rules)
		}
		if t.Fields != nil {
			for _, f := range *t.Fields {
				each(f.Rules)
			}
		}
	}
}

func sorted(types map[string]ruleType) []string {
	names := []string{}
	for name := range types {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// fill gives each part of v another value with probability p.
func (r *random) fill(v reflect.Value, p float64, depth int) {
	again := r.Float64() < p
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.fill(v.Field(i), p, depth+1)
			}
		}
	case reflect.Pointer:
		if again && depth > 0 {
			v.SetZero()
			if r.Intn(2) == 0 && depth < 7 {
				v.Set(reflect.New(v.Type().Elem()))
				p = 1
			}
		} else if depth == 0 && v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			r.fill(v.Elem(), p, depth+1)
		}
	case reflect.Slice:
		r.fillSlice(v, p, again, depth)
	case reflect.Map:
		r.fillMap(v, p, again, depth)
	case reflect.String:
		if again {
			v.SetString(r.texts[r.Intn(len(r.texts))])
		}
	case reflect.Bool:
		if again {
			v.SetBool(r.Intn(2) == 0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n := r.numbers[r.Intn(len(r.numbers))]; again && !v.OverflowInt(n) {
			v.SetInt(n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := r.numbers[r.Intn(len(r.numbers))]; again && n >= 0 && !v.OverflowUint(uint64(n)) {
			v.SetUint(uint64(n))
		}
	case reflect.Float32, reflect.Float64:
		if again {
			v.SetFloat(float64(r.Intn(4)) / 2)
		}
	}
}

func (r *random) fillSlice(v reflect.Value, p float64, again bool, depth int) {
	if again {
		n := r.Intn(4)
		if depth > 6 {
			n = 0
		}
		old := reflect.MakeSlice(v.Type(), n, n)
		reflect.Copy(old, v)
		v.Set(old)
		for i := range n {
			r.fill(v.Index(i), max(p, 0.7), depth+1)
		}
		return
	}
	for i := range v.Len() {
		r.fill(v.Index(i), p, depth+1)
	}
	if n := v.Len(); n > 1 && r.Intn(4) == 0 {
		reflect.Swapper(v.Interface())(0, n-1)
	}
}

func (r *random) fillMap(v reflect.Value, p float64, again bool, depth int) {
	if !again {
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		for _, key := range keys {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			r.fill(value, p, depth+1)
			v.SetMapIndex(key, value)
		}
		return
	}
	v.SetZero()
	if depth > 6 || r.Intn(4) == 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range r.Intn(4) {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		r.fill(key, 1, depth+1)
		r.fill(value, 1, depth+1)
		v.SetMapIndex(key, value)
	}
}

// text writes the value, without some of what Go reads as nothing anyway.
func (r *random) text(v reflect.Value) json.RawMessage {
	written, err := json.Marshal(v.Interface())
	if err != nil {
		panic(err)
	}
	var plain any
	if err := json.Unmarshal(written, &plain); err != nil {
		panic(err)
	}
	text, err := json.Marshal(r.thin(plain))
	if err != nil {
		panic(err)
	}
	return text
}

func (r *random) thin(v any) any {
	switch v := v.(type) {
	case map[string]any:
		names := []string{}
		for name := range v {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			if v[name] == nil {
				delete(v, name)
			} else {
				v[name] = r.thin(v[name])
			}
		}
	case []any:
		for i := range v {
			v[i] = r.thin(v[i])
		}
	}
	return v
}

// options sets all options that the rules ask for; rarely, one is forgotten.
func (r *random) options(d document) map[string]bool {
	options := map[string]bool{}
	walkRules(d, func(rule rule) {
		if name, ok := rule.Arg.(string); ok && (rule.Tag == "ifEnabled" || rule.Tag == "ifDisabled") {
			if _, known := options[name]; !known {
				options[name] = r.Intn(2) == 0
			}
		}
	})
	for name := range options {
		if r.Intn(25) == 0 {
			delete(options, name)
			break
		}
	}
	return options
}

func (r *random) subresources(d document) []string {
	paths := []string{"", "", "", "", "/other"}
	walkRules(d, func(rule rule) {
		if path, ok := rule.Value.(string); ok && strings.HasSuffix(rule.Tag, "sSubresource") {
			paths = append(paths, path, path, path)
		}
	})
	path := paths[r.Intn(len(paths))]
	if path == "" || path == "/other" && len(paths) == 5 {
		return nil
	}
	return strings.Split(strings.TrimPrefix(path, "/"), "/")
}
