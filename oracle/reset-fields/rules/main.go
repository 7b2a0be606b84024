// Command rules answers what the generated validation of Kubernetes' kinds says of objects.
//
//	go run ./rules
//
// It reads a line of JSON for each question from standard input: {"tag": the import path of the types, "type", "new", "old", "options",
// "subresources"}, and answers with {"errors": [...]}, or with {"panics": true}. test/validation/kinds asks it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"

	p0 "k8s.io/kubernetes/pkg/apis/admissionregistration/v1"
	p1 "k8s.io/kubernetes/pkg/apis/admissionregistration/v1alpha1"
	p2 "k8s.io/kubernetes/pkg/apis/admissionregistration/v1beta1"
	p3 "k8s.io/kubernetes/pkg/apis/apiserverinternal/v1alpha1"
	p4 "k8s.io/kubernetes/pkg/apis/apps/v1"
	p5 "k8s.io/kubernetes/pkg/apis/apps/v1beta1"
	p6 "k8s.io/kubernetes/pkg/apis/apps/v1beta2"
	p7 "k8s.io/kubernetes/pkg/apis/authorization/v1"
	p8 "k8s.io/kubernetes/pkg/apis/authorization/v1beta1"
	p9 "k8s.io/kubernetes/pkg/apis/autoscaling/v1"
	p10 "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
	p11 "k8s.io/kubernetes/pkg/apis/batch/v1"
	p12 "k8s.io/kubernetes/pkg/apis/batch/v1beta1"
	p13 "k8s.io/kubernetes/pkg/apis/certificates/v1"
	p14 "k8s.io/kubernetes/pkg/apis/certificates/v1alpha1"
	p15 "k8s.io/kubernetes/pkg/apis/certificates/v1beta1"
	p16 "k8s.io/kubernetes/pkg/apis/coordination/v1"
	p17 "k8s.io/kubernetes/pkg/apis/coordination/v1alpha2"
	p18 "k8s.io/kubernetes/pkg/apis/coordination/v1beta1"
	p19 "k8s.io/kubernetes/pkg/apis/core/v1"
	p20 "k8s.io/kubernetes/pkg/apis/discovery/v1"
	p21 "k8s.io/kubernetes/pkg/apis/discovery/v1beta1"
	p22 "k8s.io/kubernetes/pkg/apis/events/v1"
	p23 "k8s.io/kubernetes/pkg/apis/flowcontrol/v1"
	p24 "k8s.io/kubernetes/pkg/apis/flowcontrol/v1beta1"
	p25 "k8s.io/kubernetes/pkg/apis/flowcontrol/v1beta2"
	p26 "k8s.io/kubernetes/pkg/apis/flowcontrol/v1beta3"
	p27 "k8s.io/kubernetes/pkg/apis/lifecycle/v1alpha1"
	p28 "k8s.io/kubernetes/pkg/apis/networking/v1"
	p29 "k8s.io/kubernetes/pkg/apis/networking/v1beta1"
	p30 "k8s.io/kubernetes/pkg/apis/node/v1"
	p31 "k8s.io/kubernetes/pkg/apis/node/v1alpha1"
	p32 "k8s.io/kubernetes/pkg/apis/node/v1beta1"
	p33 "k8s.io/kubernetes/pkg/apis/policy/v1"
	p34 "k8s.io/kubernetes/pkg/apis/policy/v1beta1"
	p35 "k8s.io/kubernetes/pkg/apis/rbac/v1"
	p36 "k8s.io/kubernetes/pkg/apis/rbac/v1alpha1"
	p37 "k8s.io/kubernetes/pkg/apis/rbac/v1beta1"
	p38 "k8s.io/kubernetes/pkg/apis/resource/v1"
	p39 "k8s.io/kubernetes/pkg/apis/resource/v1alpha3"
	p40 "k8s.io/kubernetes/pkg/apis/resource/v1beta1"
	p41 "k8s.io/kubernetes/pkg/apis/resource/v1beta2"
	p42 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	p43 "k8s.io/kubernetes/pkg/apis/scheduling/v1alpha3"
	p44 "k8s.io/kubernetes/pkg/apis/scheduling/v1beta1"
	p45 "k8s.io/kubernetes/pkg/apis/storage/v1"
	p46 "k8s.io/kubernetes/pkg/apis/storage/v1alpha1"
	p47 "k8s.io/kubernetes/pkg/apis/storage/v1beta1"
	p48 "k8s.io/kubernetes/pkg/apis/storagemigration/v1"
	p49 "k8s.io/kubernetes/pkg/apis/storagemigration/v1beta1"
)

// registered has the packages with generated validation, by the import path of the types that it is about.
var registered = map[string]func(*runtime.Scheme) error{
	"k8s.io/api/admissionregistration/v1":       p0.RegisterValidations,
	"k8s.io/api/admissionregistration/v1alpha1": p1.RegisterValidations,
	"k8s.io/api/admissionregistration/v1beta1":  p2.RegisterValidations,
	"k8s.io/api/apiserverinternal/v1alpha1":     p3.RegisterValidations,
	"k8s.io/api/apps/v1":                        p4.RegisterValidations,
	"k8s.io/api/apps/v1beta1":                   p5.RegisterValidations,
	"k8s.io/api/apps/v1beta2":                   p6.RegisterValidations,
	"k8s.io/api/authorization/v1":               p7.RegisterValidations,
	"k8s.io/api/authorization/v1beta1":          p8.RegisterValidations,
	"k8s.io/api/autoscaling/v1":                 p9.RegisterValidations,
	"k8s.io/api/autoscaling/v2":                 p10.RegisterValidations,
	"k8s.io/api/batch/v1":                       p11.RegisterValidations,
	"k8s.io/api/batch/v1beta1":                  p12.RegisterValidations,
	"k8s.io/api/certificates/v1":                p13.RegisterValidations,
	"k8s.io/api/certificates/v1alpha1":          p14.RegisterValidations,
	"k8s.io/api/certificates/v1beta1":           p15.RegisterValidations,
	"k8s.io/api/coordination/v1":                p16.RegisterValidations,
	"k8s.io/api/coordination/v1alpha2":          p17.RegisterValidations,
	"k8s.io/api/coordination/v1beta1":           p18.RegisterValidations,
	"k8s.io/api/core/v1":                        p19.RegisterValidations,
	"k8s.io/api/discovery/v1":                   p20.RegisterValidations,
	"k8s.io/api/discovery/v1beta1":              p21.RegisterValidations,
	"k8s.io/api/events/v1":                      p22.RegisterValidations,
	"k8s.io/api/flowcontrol/v1":                 p23.RegisterValidations,
	"k8s.io/api/flowcontrol/v1beta1":            p24.RegisterValidations,
	"k8s.io/api/flowcontrol/v1beta2":            p25.RegisterValidations,
	"k8s.io/api/flowcontrol/v1beta3":            p26.RegisterValidations,
	"k8s.io/api/lifecycle/v1alpha1":             p27.RegisterValidations,
	"k8s.io/api/networking/v1":                  p28.RegisterValidations,
	"k8s.io/api/networking/v1beta1":             p29.RegisterValidations,
	"k8s.io/api/node/v1":                        p30.RegisterValidations,
	"k8s.io/api/node/v1alpha1":                  p31.RegisterValidations,
	"k8s.io/api/node/v1beta1":                   p32.RegisterValidations,
	"k8s.io/api/policy/v1":                      p33.RegisterValidations,
	"k8s.io/api/policy/v1beta1":                 p34.RegisterValidations,
	"k8s.io/api/rbac/v1":                        p35.RegisterValidations,
	"k8s.io/api/rbac/v1alpha1":                  p36.RegisterValidations,
	"k8s.io/api/rbac/v1beta1":                   p37.RegisterValidations,
	"k8s.io/api/resource/v1":                    p38.RegisterValidations,
	"k8s.io/api/resource/v1alpha3":              p39.RegisterValidations,
	"k8s.io/api/resource/v1beta1":               p40.RegisterValidations,
	"k8s.io/api/resource/v1beta2":               p41.RegisterValidations,
	"k8s.io/api/scheduling/v1":                  p42.RegisterValidations,
	"k8s.io/api/scheduling/v1alpha3":            p43.RegisterValidations,
	"k8s.io/api/scheduling/v1beta1":             p44.RegisterValidations,
	"k8s.io/api/storage/v1":                     p45.RegisterValidations,
	"k8s.io/api/storage/v1alpha1":               p46.RegisterValidations,
	"k8s.io/api/storage/v1beta1":                p47.RegisterValidations,
	"k8s.io/api/storagemigration/v1":            p48.RegisterValidations,
	"k8s.io/api/storagemigration/v1beta1":       p49.RegisterValidations,
}

type question struct {
	Tag          string          `json:"tag"`
	Type         string          `json:"type"`
	New          json.RawMessage `json:"new"`
	Old          json.RawMessage `json:"old"`
	Options      map[string]bool `json:"options"`
	Subresources []string        `json:"subresources"`
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
	schemes := map[string]*runtime.Scheme{}
	for path, register := range registered {
		schemes[path] = runtime.NewScheme()
		if err := scheme.AddToScheme(schemes[path]); err != nil {
			panic(err)
		}
		if err := register(schemes[path]); err != nil {
			panic(err)
		}
	}
	if len(os.Args) > 1 {
		paths := []string{}
		for path := range registered {
			paths = append(paths, path)
		}
		sort.Strings(paths)
		text, _ := json.Marshal(paths)
		fmt.Println(string(text))
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		text, err := json.Marshal(answer(schemes[q.Tag], q))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", text)
	}
}

func answer(s *runtime.Scheme, q question) (reply any) {
	defer func() {
		if r := recover(); r != nil {
			reply = map[string]any{"panics": true, "reason": fmt.Sprint(r)}
		}
	}()
	next, old := read(s, q, q.New), read(s, q, q.Old)
	validate := func() []fieldError {
		if old == nil {
			return describe(s.Validate(context.Background(), q.Options, next, q.Subresources...))
		}
		return describe(s.ValidateUpdate(context.Background(), q.Options, next, old, q.Subresources...))
	}
	errors, unordered := validate(), false
	for range 4 {
		unordered = unordered || !reflect.DeepEqual(errors, validate())
	}
	return map[string]any{"errors": errors, "unordered": unordered}
}

func read(s *runtime.Scheme, q question, text json.RawMessage) runtime.Object {
	if text == nil || string(text) == "null" {
		return nil
	}
	object := objectOf(s, q)
	if err := json.Unmarshal(text, object); err != nil {
		panic(err)
	}
	return object
}

// objectOf makes an object of the Go type that the question names.
func objectOf(s *runtime.Scheme, q question) runtime.Object {
	for kind, t := range s.AllKnownTypes() {
		if t.PkgPath() == q.Tag && t.Name() == q.Type {
			object, err := s.New(schema.GroupVersionKind(kind))
			if err != nil {
				panic(err)
			}
			return object
		}
	}
	panic("no type " + q.Tag + "." + q.Type)
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
