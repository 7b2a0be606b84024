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
	"encoding/json"
	"flag"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"

	"k8s.io/code-generator/cmd/validation-gen/testscheme"

	"structured-merge-diff-oracle/validation/answers"
)

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
	found := []answers.Answer{}
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
		for _, t := range answers.TypesOf(scheme) {
			if _, known := d.Types[answers.TypeName(t)]; !known {
				continue // of another package
			}
			// Every type has numbers of its own, so that another package changes no answers.
			r := &random{rand.New(rand.NewSource(*seed)), textsIn(d), numbersIn(d)}
			for range *cases {
				found = append(found, r.cases(scheme, p.name, t, d)...)
			}
		}
	}
	all := map[string]any{"documents": documents, "random": found}
	if *examples != "" {
		files, _ := filepath.Glob(filepath.Join(*examples, "go", "*.go"))
		for _, file := range files {
			documents[strings.TrimSuffix(filepath.Base(file), ".go")] = documentOf([]string{file}, folderOf)
		}
		all["examples"] = recorded(filepath.Join(*examples, "answers.jsonl.gz"))
	}
	print(all)
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
func recorded(path string) []answers.Answer {
	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		panic(err)
	}
	found := []answers.Answer{}
	for lines := json.NewDecoder(text); lines.More(); {
		var a answers.Answer
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

// cases makes an object and a successor, and asks for the answers to both.
func (r *random) cases(scheme *testscheme.Scheme, name string, t reflect.Type, d document) []answers.Answer {
	make := func() reflect.Value { return reflect.New(t).Elem() }
	old, next := make(), make()
	r.fill(old, 1, 0)
	oldText := r.text(old)
	answers.Decode(oldText, next)
	r.fill(next, []float64{0, 0.05, 0.2, 1}[r.Intn(4)], 0)
	nextText := r.text(next)
	options, subresources := r.options(d), r.subresources(d)
	var found []answers.Answer
	for _, old := range []json.RawMessage{nil, oldText} {
		a := answers.Answer{Tag: name, Type: answers.TypeName(t), New: nextText, Old: old, Options: options, Subresources: subresources}
		if answers.Ask(scheme, t, &a) {
			found = append(found, a)
		}
	}
	return found
}

func hasTag(d document, tag string) (found bool) {
	walkRules(d, func(r rule) { found = found || r.Tag == tag })
	return found
}
