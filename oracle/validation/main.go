// Rule documents from Go source, and what generated validation answers to random objects.
//
//	go run . -rules FOLDER|FILE...             documents, one JSON object by name
//	go run . -cases 40 -seed 1 -only NAME,...  documents and answers of validation-gen's own test packages
//	go run . -examples FOLDER                  and those of answers.jsonl.gz in the folder, about the types in its folder go
//
//go:generate go run ./packages
package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/code-generator/cmd/validation-gen/testscheme"
)

type answer struct {
	Tag          string          `json:"tag"`
	Type         string          `json:"type"`
	New          json.RawMessage `json:"new"`
	Old          json.RawMessage `json:"old"`
	Options      map[string]bool `json:"options,omitempty"`
	Subresources []string        `json:"subresources,omitempty"`
	Errors       []fieldError    `json:"errors"`
	// Whether Go finds the errors in another order each time, as it walks through a map.
	Unordered bool `json:"unordered,omitempty"`
}

type fieldError struct {
	Type     string `json:"type"`
	Field    string `json:"field"`
	Detail   string `json:"detail"`
	Origin   string `json:"origin"`
	BadValue string `json:"badValue"`
	Level    string `json:"level,omitempty"`
}

func main() {
	onlyRules := flag.Bool("rules", false, "print the rule documents of the folders and files given")
	cases := flag.Int("cases", 40, "random objects for each type")
	seed := flag.Int64("seed", 1, "the seed of the random numbers")
	only := flag.String("only", "", "packages, separated by commas; all if empty")
	examples := flag.String("examples", "", "a folder with recorded answers, and the types they are about")
	flag.Parse()
	documents := map[string]document{}
	root := filepath.Join(moduleFolder("k8s.io/code-generator"), "cmd", "validation-gen", "output_tests")
	folderOf := func(importPath string) string {
		if name, ok := strings.CutPrefix(importPath, testsPath+"/"); ok {
			return filepath.Join(root, name)
		}
		if name, ok := strings.CutPrefix(importPath, "k8s.io/apimachinery/"); ok && strings.HasSuffix(name, "meta/v1") {
			return filepath.Join(moduleFolder("k8s.io/apimachinery"), name)
		}
		return ""
	}
	if *onlyRules {
		for _, path := range flag.Args() {
			paths := []string{path}
			if !strings.HasSuffix(path, ".go") {
				paths = sources(path)
			}
			documents[strings.TrimSuffix(filepath.Base(path), ".go")] = documentOf(paths, folderOf)
		}
		print(map[string]any{"documents": documents})
		return
	}
	answers := []answer{}
	for _, p := range packages {
		if *only != "" && !strings.Contains(","+*only+",", ","+p.name+",") {
			continue
		}
		d := documentOf(sources(filepath.Join(root, p.name)), folderOf)
		if hasTag(d, "customValidation") {
			continue // Go written by hand decides there.
		}
		documents[p.name] = d
		scheme := testscheme.New()
		scheme.Register(p.register)
		for _, t := range typesOf(scheme) {
			if _, known := d.Types[typeName(t)]; !known {
				continue // of another package
			}
			// Every type has numbers of its own, so that another package changes no answers.
			r := &random{rand.New(rand.NewSource(*seed)), textsIn(d), numbersIn(d)}
			for range *cases {
				answers = append(answers, r.cases(scheme, p.name, t, d)...)
			}
		}
	}
	found := map[string]any{"documents": documents, "random": answers}
	if *examples != "" {
		files, _ := filepath.Glob(filepath.Join(*examples, "go", "*.go"))
		for _, file := range files {
			documents[strings.TrimSuffix(filepath.Base(file), ".go")] = documentOf([]string{file}, folderOf)
		}
		found["examples"] = recorded(filepath.Join(*examples, "answers.jsonl.gz"))
	}
	print(found)
}

// inTests says which package of the generator's tests a recorded answer is about.
var inTests = map[string]string{
	"o_disc_custom":     "tags/union/union/discriminated/custom_members",
	"o_disc_multiple":   "tags/union/union/discriminated/multiple",
	"o_disc_simple":     "tags/union/union/discriminated/simple",
	"o_disc_sparse":     "tags/union/union/discriminated/sparse",
	"o_undisc_multiple": "tags/union/union/undiscriminated/multiple",
	"o_undisc_simple":   "tags/union/union/undiscriminated/simple",
	"o_zero_multiple":   "tags/zerooroneof/zerooroneof/multiple",
	"o_zero_simple":     "tags/zerooroneof/zerooroneof/simple",
}

// recorded reads answers that were recorded earlier, one to a line.
func recorded(path string) []answer {
	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		panic(err)
	}
	found := []answer{}
	for lines := json.NewDecoder(text); lines.More(); {
		var a answer
		if err := lines.Decode(&a); err != nil {
			panic(err)
		}
		if name, ok := inTests[a.Tag]; ok {
			a.Tag = name
		}
		found = append(found, a)
	}
	return found
}

func print(v any) {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
}

func moduleFolder(module string) string {
	found, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(found))
}

// typesOf finds the types that a scheme validates, in a fixed order.
func typesOf(scheme *testscheme.Scheme) []reflect.Type {
	functions := reflect.ValueOf(scheme).Elem().FieldByName("validationFuncs")
	type function = func(context.Context, operation.Operation, any, any) field.ErrorList
	known := *(*map[reflect.Type]function)(unsafe.Pointer(functions.UnsafeAddr()))
	types := []reflect.Type{}
	for t := range known {
		types = append(types, t)
	}
	sort.Slice(types, func(i, j int) bool { return types[i].String() < types[j].String() })
	return types
}

// cases makes an object and a successor, and asks for the answers to both.
func (r *random) cases(scheme *testscheme.Scheme, name string, t reflect.Type, d document) []answer {
	make := func() reflect.Value { return reflect.New(t).Elem() }
	old, next := make(), make()
	r.fill(old, 1, 0)
	oldText := r.text(old)
	decode(oldText, next)
	r.fill(next, []float64{0, 0.05, 0.2, 1}[r.Intn(4)], 0)
	nextText := r.text(next)
	options, subresources := r.options(d), r.subresources(d)
	var found []answer
	for _, old := range []json.RawMessage{nil, oldText} {
		a := answer{Tag: name, Type: typeName(t), New: nextText, Old: old, Options: options, Subresources: subresources}
		if ask(scheme, t, &a) {
			found = append(found, a)
		}
	}
	return found
}

func typeName(t reflect.Type) string {
	return t.String()[strings.LastIndex(t.String(), ".")+1:]
}

func hasTag(d document, tag string) (found bool) {
	walkRules(d, func(r rule) { found = found || r.Tag == tag })
	return found
}

func decode(text json.RawMessage, into reflect.Value) {
	if err := json.Unmarshal(text, into.Addr().Interface()); err != nil {
		panic(fmt.Sprintf("%s: %s", err, text))
	}
}

// ask fills in the errors. It is false where the generated code panics.
func ask(scheme *testscheme.Scheme, t reflect.Type, a *answer) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	next, old := reflect.New(t).Elem(), reflect.New(t).Elem()
	decode(a.New, next)
	if a.Old != nil {
		decode(a.Old, old)
	}
	validate := func() []fieldError {
		if a.Old == nil {
			return describe(scheme.Validate(context.Background(), a.Options, next.Interface(), a.Subresources...))
		}
		return describe(scheme.ValidateUpdate(context.Background(), a.Options, next.Interface(), old.Interface(), a.Subresources...))
	}
	a.Errors = validate()
	for range 8 {
		a.Unordered = a.Unordered || !reflect.DeepEqual(a.Errors, validate())
	}
	return true
}

func describe(list field.ErrorList) []fieldError {
	errors := []fieldError{}
	for _, e := range list {
		place := e.Field
		if place == "<nil>" {
			place = ""
		}
		level := ""
		if e.IsAlpha() {
			level = "alpha"
		} else if e.IsBeta() {
			level = "beta"
		}
		value, _ := json.Marshal(e.BadValue)
		errors = append(errors, fieldError{string(e.Type), place, e.Detail, e.Origin, string(value), level})
	}
	return errors
}
