package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A plan is what bench/plan.ts writes; bench/fixtures/plan-types.ts explains the names and meanings.
type plan struct {
	Schemas map[string]json.RawMessage `json:"schemas"`
	Objects map[string]objectFixture   `json:"objects"`
	Sets    setFixture                 `json:"sets"`
	Managed map[string]managedFixture  `json:"managed"`
	// OpenAPI documents by version, as JSON text.
	Documents map[string]string `json:"documents"`
	Cases     []caseSpec        `json:"cases"`

	anyKeys bool
	parsers map[string]*typed.Parser
	sets    *setData
}

type objectFixture struct {
	Schema string `json:"schema"`
	Type   string `json:"type"`
	JSON   string `json:"json"`
}

type setFixture struct {
	Seed     uint32   `json:"seed"`
	Operands int      `json:"operands"`
	Alphabet []string `json:"alphabet"`
}

// A caseSpec is a case of any kind.
type caseSpec struct {
	Kind string `json:"kind"`
	Name string `json:"name"`

	ReturnInputOnNoop bool        `json:"returnInputOnNoop"`
	Steps             []storyStep `json:"steps"`

	Operation string `json:"operation"`
	Object    string `json:"object"`

	Size     int `json:"size"`
	Shortest int `json:"shortest"`
	Longest  int `json:"longest"`

	JSON string `json:"json"`

	Version string `json:"version"`
}

type storyStep struct {
	Verb       string `json:"verb"`
	Object     string `json:"object"`
	Manager    string `json:"manager"`
	APIVersion string `json:"apiVersion"`
	Force      bool   `json:"force"`
	Conflict   bool   `json:"conflict"`
}

func readPlan(file string, anyKeys bool) (*plan, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &plan{anyKeys: anyKeys, parsers: map[string]*typed.Parser{}}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *plan) prepare(name string) (*runnable, error) {
	for _, c := range p.Cases {
		if c.Name != name {
			continue
		}
		switch c.Kind {
		case "story":
			return p.story(c)
		case "single":
			return p.single(c)
		case "set":
			return p.set(c)
		case "fromValue":
			return fromValue(c)
		case "fieldManager":
			return p.fieldManager(c)
		case "openapi":
			return p.openAPI(c)
		}
		return nil, fmt.Errorf("unknown kind of case %q", c.Kind)
	}
	return nil, fmt.Errorf("no case %q", name)
}

func (p *plan) typeOf(object string) (typed.ParseableType, error) {
	fixture, ok := p.Objects[object]
	if !ok {
		return typed.ParseableType{}, fmt.Errorf("no object %q", object)
	}
	parser := p.parsers[fixture.Schema]
	if parser == nil {
		var err error
		if parser, err = typed.NewParser(typed.YAMLObject(p.Schemas[fixture.Schema])); err != nil {
			return typed.ParseableType{}, err
		}
		p.parsers[fixture.Schema] = parser
	}
	return parser.Type(fixture.Type), nil
}

// fresh returns a copy of the object that shares nothing with any other.
func (p *plan) fresh(object string, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	t, err := p.typeOf(object)
	if err != nil {
		return nil, err
	}
	if p.anyKeys {
		return t.FromYAML(typed.YAMLObject(p.Objects[object].JSON), opts...)
	}
	value, err := readJSON(p.Objects[object].JSON)
	if err != nil {
		return nil, err
	}
	return t.FromUnstructured(value, opts...)
}

// readJSON reads integers as int64 and other numbers as float64, as Kubernetes does.
func readJSON(text string) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return withNumbers(value), nil
}

func withNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = withNumbers(item)
		}
	case []any:
		for i, item := range v {
			v[i] = withNumbers(item)
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	}
	return value
}
