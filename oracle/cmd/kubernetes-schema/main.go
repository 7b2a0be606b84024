// Command kubernetes-schema writes the schema of Kubernetes' built-in types as a TypeScript module.
//
//	go run ./cmd/kubernetes-schema > ../src/kubernetes/schema-data.ts
//
// The types come from the schemas that client-go, apiextensions-apiserver and kube-aggregator carry for their apply
// configurations, at the versions in go.mod, and that of Scale from OpenAPI definitions (scale.go); the kinds come from the schemes of the same modules. The spelling of the data
// is described in src/kubernetes/expand.ts, which reads it. It leaves out the unions that Kubernetes publishes: no API server looks
// at them, some are wrong, and src/kubernetes/union-rows.ts has all.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// A source is a module whose apply configurations come with a schema, and the scheme that knows its kinds.
type source struct {
	module, file string
	scheme       *runtime.Scheme
}

var sources = []source{
	{"k8s.io/client-go", "applyconfigurations/internal/internal.go", scheme.Scheme},
	{"k8s.io/apiextensions-apiserver", "pkg/client/applyconfiguration/internal/internal.go", apiextensions.Scheme},
	{"k8s.io/kube-aggregator", "pkg/client/applyconfiguration/internal/internal.go", aggregator.Scheme},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "kubernetes-schema:", err)
		os.Exit(1)
	}
}

func run() error {
	types := map[string]schema.TypeDef{}
	kinds := map[kind]knownKind{}
	scale, err := scaleSchema()
	if err != nil {
		return fmt.Errorf("scale: %w", err)
	}
	if err := addTypes(types, scale); err != nil {
		return fmt.Errorf("scale: %w", err)
	}
	var release string
	for _, src := range sources {
		dir, version, err := locate(src.module)
		if err != nil {
			return err
		}
		if release == "" {
			release = "1" + strings.TrimPrefix(version, "v0")
		}
		found, err := readSchema(filepath.Join(dir, src.file))
		if err != nil {
			return fmt.Errorf("%s: %w", src.module, err)
		}
		if err := addTypes(types, found); err != nil {
			return fmt.Errorf("%s: %w", src.module, err)
		}
		if err := addKinds(kinds, src.scheme, types); err != nil {
			return fmt.Errorf("%s: %w", src.module, err)
		}
	}
	fmt.Print(module(release, types, kinds))
	return nil
}

func locate(module string) (dir, version string, err error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}\n{{.Version}}", module).Output()
	if err != nil {
		return "", "", fmt.Errorf("go list %s: %w", module, err)
	}
	dir, version, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return dir, version, nil
}

// readSchema finds the schema in a Go source file that no other module may import: its longest string literal.
func readSchema(path string) (*schema.Schema, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	longest := ""
	ast.Inspect(file, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING && len(literal.Value) > len(longest) {
			longest = literal.Value
		}
		return true
	})
	text, err := strconv.Unquote(longest)
	if err != nil {
		return nil, err
	}
	found := &schema.Schema{}
	return found, yaml.UnmarshalStrict([]byte(text), found)
}

func addTypes(types map[string]schema.TypeDef, found *schema.Schema) error {
	for _, def := range found.Types {
		if known, ok := types[def.Name]; ok && !known.Equals(&def) {
			return fmt.Errorf("type %s differs from an earlier one", def.Name)
		}
		types[def.Name] = def
	}
	return nil
}

type kind struct{ apiVersion, name string }

// A knownKind is what is written about a kind: its type, and the zero value of its Go struct as JSON. An API server starts
// from that value before an object exists. It names neither apiVersion nor kind.
type knownKind struct{ typeName, zero string }

// addKinds enters the kinds that have metadata and a type in the schema. Options and lists have neither to apply to.
func addKinds(kinds map[kind]knownKind, known *runtime.Scheme, types map[string]schema.TypeDef) error {
	for gvk, goType := range known.AllKnownTypes() {
		model, ok := reflect.New(goType).Interface().(interface{ OpenAPIModelName() string })
		if !ok {
			continue
		}
		def, ok := types[model.OpenAPIModelName()]
		if !ok || def.Map == nil {
			continue
		}
		if _, ok := def.Map.FindField("metadata"); !ok {
			continue
		}
		zero, err := json.Marshal(model)
		if err != nil {
			return fmt.Errorf("%v: %w", gvk, err)
		}
		kinds[kind{gvk.GroupVersion().String(), gvk.Kind}] = knownKind{def.Name, string(zero)}
	}
	return nil
}

func module(release string, types map[string]schema.TypeDef, kinds map[kind]knownKind) string {
	var out strings.Builder
	out.WriteString("// Written by oracle/cmd/kubernetes-schema. Type names, fields, list keys and defaults of Kubernetes' built-in types,\n")
	out.WriteString("// taken from " + strings.Join(moduleNames(), ", ") + " (Apache-2.0).\n\n")
	fmt.Fprintf(&out, "export const release = %q\n\n", release)
	out.WriteString("/** JSON, as src/kubernetes/expand.ts reads it. */\n")
	out.WriteString("export const schemaData = `" + escape(encodeTypes(types)) + "`\n\n")
	zeros, numbers := numberZeros(kinds)
	out.WriteString("/** JSON: the empty objects that kinds start from, without apiVersion and kind. Most kinds share theirs. */\n")
	out.WriteString("export const emptyData = `[" + escape(strings.Join(zeros, ",\n")) + "]`\n\n")
	out.WriteString("/** JSON: apiVersion to kind to the name of its type and the index of its empty object. */\n")
	out.WriteString("export const kindData = `" + escape(encodeKinds(kinds, numbers)) + "`\n")
	return out.String()
}

func moduleNames() []string {
	names := make([]string, len(sources))
	for i, src := range sources {
		names[i] = src.module
	}
	return names
}

// escape makes text fit for a template literal.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "${", "\\${").Replace(text)
}
