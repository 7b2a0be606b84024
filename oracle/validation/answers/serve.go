package answers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	"k8s.io/code-generator/cmd/validation-gen/testscheme"
)

// Serve reads questions from standard input, one line of JSON each, and answers them in their order: by `{"errors": [...]}`, by
// `{"panics": true}` where the generated code does, and by `{"unknown": true}` for a type that nothing is checked of.
func Serve(packages map[string]func(*testscheme.Scheme) error) {
	schemes := map[string]*testscheme.Scheme{}
	types := map[string]reflect.Type{}
	for name, register := range packages {
		schemes[name] = testscheme.New()
		schemes[name].Register(register)
		for _, t := range TypesOf(schemes[name]) {
			types[name+"."+TypeName(t)] = t
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var a Answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			panic(err)
		}
		text, err := json.Marshal(reply(schemes[a.Tag], types[a.Tag+"."+a.Type], &a))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", text)
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}

func reply(scheme *testscheme.Scheme, t reflect.Type, a *Answer) any {
	if t == nil {
		return map[string]bool{"unknown": true}
	}
	if !Ask(scheme, t, a) {
		return map[string]bool{"panics": true}
	}
	return map[string]any{"errors": a.Errors, "unordered": a.Unordered}
}
