package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"
)

// The rule documents of src/validation/rules/rules.ts.
type document struct {
	Package string              `json:"package"`
	Types   map[string]ruleType `json:"types"`
}

type ruleType struct {
	Fields    *[]ruleField `json:"fields,omitempty"`
	Type      string       `json:"type,omitempty"`
	Rules     []rule       `json:"rules,omitempty"`
	Constants []constant   `json:"constants,omitempty"`
}

type ruleField struct {
	Name      string          `json:"name"`
	JSON      string          `json:"json,omitempty"`
	Embedded  bool            `json:"embedded,omitempty"`
	Omitempty bool            `json:"omitempty,omitempty"`
	Type      string          `json:"type"`
	Default   json.RawMessage `json:"default,omitempty"`
	Rules     []rule          `json:"rules,omitempty"`
}

type constant struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Rules []rule `json:"rules,omitempty"`
}

type rule struct {
	Tag     string    `json:"tag"`
	Arg     any       `json:"arg,omitempty"`
	Args    arguments `json:"args,omitempty"`
	Value   any       `json:"value,omitempty"`
	Payload *rule     `json:"payload,omitempty"`
}

// arguments keeps the order of the source.
type arguments []codetags.Arg

func (args arguments) MarshalJSON() ([]byte, error) {
	parts := make([]string, len(args))
	for i, arg := range args {
		value, err := json.Marshal(valueOf(arg.Value, string(arg.Type)))
		if err != nil {
			return nil, err
		}
		parts[i] = fmt.Sprintf("%q:%s", arg.Name, value)
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// A reader reads packages. folderOf finds the folder of an imported package; it returns "" for a package to skip.
type reader struct {
	folderOf func(importPath string) string
	types    map[string]ruleType
	seen     map[string]bool
}

// documentOf reads the package in a folder, or in one file.
func documentOf(paths []string, folderOf func(string) string) document {
	r := &reader{folderOf: folderOf, types: map[string]ruleType{}, seen: map[string]bool{}}
	name := r.read(paths, "")
	used := map[string]ruleType{}
	for t := range r.types {
		if !strings.Contains(t, ".") {
			r.use(t, used)
		}
	}
	return document{Package: name, Types: used}
}

// use adds a type, and the types that it refers to, to used.
func (r *reader) use(name string, used map[string]ruleType) {
	name = regexp.MustCompile(`^(\*|\[\]|map\[[^\]]*\])*`).ReplaceAllString(name, "")
	t, known := r.types[name]
	if _, done := used[name]; done || !known {
		return
	}
	used[name] = t
	if t.Fields != nil {
		for _, field := range *t.Fields {
			r.use(field.Type, used)
		}
	}
	r.use(t.Type, used)
}

// sources lists the Go files of a folder that people wrote.
func sources(folder string) []string {
	files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	return slices.DeleteFunc(files, func(file string) bool {
		name := filepath.Base(file)
		return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated")
	})
}

func (r *reader) read(paths []string, prefix string) string {
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		files = append(files, file)
	}
	constants := map[string][]constant{}
	for _, file := range files {
		for _, decl := range file.Decls {
			collectConstants(decl, constants)
		}
	}
	name := ""
	for _, file := range files {
		name = file.Name.Name
		imports := r.imports(file)
		comments := commentsOf(set, file)
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.TypeSpec)
				if spec.TypeParams != nil {
					continue
				}
				line := set.Position(spec.Pos()).Line
				if !gen.Lparen.IsValid() {
					line = set.Position(gen.Pos()).Line
				}
				t := ruleType{Constants: constants[spec.Name.Name], Rules: comments.typeRules(line)}
				if st, ok := spec.Type.(*ast.StructType); ok {
					fields := r.fields(set, comments, st, prefix, imports)
					t.Fields = &fields
				} else {
					t.Type = r.expression(spec.Type, prefix, imports)
				}
				r.types[prefix+spec.Name.Name] = t
			}
		}
	}
	return name
}

// imports gives the import path of each name of a file, where it can be read.
func (r *reader) imports(file *ast.File) map[string]string {
	found := map[string]string{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := filepath.Base(path)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		found[name] = path
	}
	return found
}

func (r *reader) fields(set *token.FileSet, comments comments, st *ast.StructType, prefix string, imports map[string]string) []ruleField {
	fields := []ruleField{}
	for _, f := range st.Fields.List {
		field := ruleField{Type: r.expression(f.Type, prefix, imports)}
		lines, _ := comments.above(set.Position(f.Pos()).Line)
		field.Rules = rulesOf(lines)
		for _, line := range lines {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), "+default="); ok && json.Valid([]byte(value)) {
				field.Default = json.RawMessage(value)
			}
		}
		tagName := ""
		if f.Tag != nil {
			text, _ := strconv.Unquote(f.Tag.Value)
			options := strings.Split(reflect.StructTag(text).Get("json"), ",")
			tagName = options[0]
			field.Omitempty = slices.Contains(options[1:], "omitempty") || slices.Contains(options[1:], "omitzero")
		}
		if tagName == "-" {
			continue
		}
		field.JSON = tagName
		if len(f.Names) == 0 {
			field.Name = strings.TrimPrefix(field.Type, "*")
			field.Name = field.Name[strings.LastIndex(field.Name, ".")+1:]
			field.Embedded = tagName == ""
			fields = append(fields, field)
		}
		for _, name := range f.Names {
			field.Name = name.Name
			if ast.IsExported(name.Name) {
				fields = append(fields, field)
			}
		}
	}
	return fields
}

func (r *reader) expression(e ast.Expr, prefix string, imports map[string]string) string {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Obj == nil && isBuiltin(e.Name) {
			return e.Name
		}
		return prefix + e.Name
	case *ast.StarExpr:
		return "*" + r.expression(e.X, prefix, imports)
	case *ast.ArrayType:
		return "[]" + r.expression(e.Elt, prefix, imports)
	case *ast.MapType:
		return "map[" + r.expression(e.Key, prefix, imports) + "]" + r.expression(e.Value, prefix, imports)
	case *ast.SelectorExpr:
		name := e.X.(*ast.Ident).Name
		if folder := r.folderOf(imports[name]); folder != "" && !r.seen[folder] {
			r.seen[folder] = true
			r.read(sources(folder), name+".")
		}
		return name + "." + e.Sel.Name
	}
	return "any"
}

func isBuiltin(name string) bool {
	return slices.Contains(strings.Fields("string bool byte rune any int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64"), name)
}

func collectConstants(decl ast.Decl, found map[string][]constant) {
	gen, ok := decl.(*ast.GenDecl)
	if !ok || gen.Tok != token.CONST {
		return
	}
	for _, spec := range gen.Specs {
		spec := spec.(*ast.ValueSpec)
		t, ok := spec.Type.(*ast.Ident)
		if !ok || len(spec.Values) != 1 {
			continue
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		value, _ := strconv.Unquote(literal.Value)
		doc := spec.Doc
		if doc == nil && !gen.Lparen.IsValid() {
			doc = gen.Doc
		}
		var lines []string
		if doc != nil {
			lines = linesOf(doc)
		}
		found[t.Name] = append(found[t.Name], constant{Name: spec.Names[0].Name, Value: value, Rules: rulesOf(lines)})
	}
}

// comments are the groups of a file by their last line.
type comments map[int]group
type group struct {
	start int
	lines []string
}

func commentsOf(set *token.FileSet, file *ast.File) comments {
	found := comments{}
	for _, g := range file.Comments {
		found[set.Position(g.End()).Line] = group{set.Position(g.Pos()).Line, linesOf(g)}
	}
	return found
}

// above returns the comment that ends on the previous line, and the one that ends above an empty line before that.
func (c comments) above(line int) (closest, second []string) {
	if g, ok := c[line-1]; ok {
		closest, line = g.lines, g.start
	}
	return closest, c[line-2].lines
}

// typeRules returns the rules of the type on this line. Of the second comment above it, only rules about subresources count.
func (c comments) typeRules(line int) []rule {
	closest, second := c.above(line)
	rules := rulesOf(closest)
	for _, rule := range rulesOf(second) {
		if strings.HasSuffix(rule.Tag, "sSubresource") {
			rules = append(rules, rule)
		}
	}
	return rules
}

func linesOf(g *ast.CommentGroup) []string {
	var lines []string
	for _, c := range g.List {
		text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*"), "*/")
		for _, line := range strings.Split(text, "\n") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func rulesOf(lines []string) []rule {
	var rules []rule
	for _, line := range lines {
		if !isRule(line) {
			continue
		}
		for _, found := range codetags.Extract("+", []string{line}) {
			parsed, err := codetags.ParseAll(found)
			if err != nil {
				fmt.Fprintln(os.Stderr, line, err)
				continue
			}
			for _, tag := range parsed {
				rules = append(rules, ruleOf(tag))
			}
		}
	}
	return rules
}

// isRule leaves out the markers that are for other generators.
func isRule(line string) bool {
	name, ok := strings.CutPrefix(line, "+k8s:")
	return ok && !slices.ContainsFunc([]string{"validation", "deepcopy-gen", "openapi-gen", "conversion-gen", "prerelease"}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

func ruleOf(tag codetags.Tag) rule {
	r := rule{Tag: strings.TrimPrefix(tag.Name, "k8s:")}
	if arg, ok := tag.PositionalArg(); ok {
		r.Arg = valueOf(arg.Value, string(arg.Type))
	} else {
		r.Args = tag.Args
	}
	switch tag.ValueType {
	case codetags.ValueTypeTag:
		inner := ruleOf(*tag.ValueTag)
		r.Payload = &inner
	case codetags.ValueTypeNone:
	default:
		r.Value = valueOf(tag.Value, string(tag.ValueType))
	}
	return r
}

func valueOf(text, kind string) any {
	switch kind {
	case string(codetags.ValueTypeInt):
		return json.RawMessage(text)
	case string(codetags.ValueTypeBool):
		return text == "true"
	}
	return text
}
