// Command shadow shows how an API server combines the errors of handwritten and declarative validation: it makes random lists of both,
// and records the results, logs and metrics of ValidateDeclarativelyWithMigrationChecks.
//
//	go run . -cases 1500 -seed 1                              with the gates of the current release
//	go run -modfile takeover.mod -tags takeover . -cases 600   with those of 1.33 to 1.35
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strings"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/validation"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"
)

type validationError struct {
	Type     field.ErrorType `json:"type"`
	Field    string          `json:"field"`
	Detail   string          `json:"detail"`
	Origin   string          `json:"origin"`
	BadValue any             `json:"badValue"`
	Level    string          `json:"level,omitempty"`
	// The message of the cause in a Status.
	Message string `json:"message"`
	Covered bool   `json:"coveredByDeclarative,omitempty"`
}

type normalization struct {
	Pattern     string `json:"pattern"`
	Replacement string `json:"replacement"`
}

type testCase struct {
	Gates          map[string]bool   `json:"gates"`
	Subresource    string            `json:"subresource"`
	Update         bool              `json:"update"`
	Normalizations []normalization   `json:"normalizations"`
	Handwritten    []validationError `json:"handwritten"`
	Declarative    []validationError `json:"declarative"`
	Panic          string            `json:"panic,omitempty"`
	Expect         outcome           `json:"expect"`
}

type outcome struct {
	// The errors that are returned: their indexes in handwritten and declarative one after the other, or the detail of a new one.
	Errors []any `json:"errors"`
	// The log messages about mismatches.
	Mismatches []string `json:"mismatches"`
	// The counters, by name and label.
	Metrics map[string]float64 `json:"metrics"`
}

func main() {
	cases := flag.Int("cases", 1500, "random cases")
	seed := flag.Int64("seed", 1, "the seed of the random numbers")
	flag.Parse()
	r := rand.New(rand.NewSource(*seed))
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for _, gates := range gatesToTry() {
		for range *cases / len(gatesToTry()) {
			c := randomCase(r, gates)
			c.Expect = answer(c)
			if err := encoder.Encode(c); err != nil {
				panic(err)
			}
		}
	}
}

// alias is a path of another version of the type.
var alias = normalization{`spec\.requests\[(\d+)\]\.mode`, "spec.requests[$1].exactly.mode"}

func randomCase(r *rand.Rand, gates map[string]bool) testCase {
	c := testCase{Gates: gates, Subresource: pick(r, "", "", "status", "a/b"), Update: r.Intn(2) == 0, Normalizations: []normalization{}}
	if r.Intn(3) == 0 {
		c.Normalizations = append(c.Normalizations, normalization{"nothing", "something"}, alias)
	}
	c.Handwritten, c.Declarative = []validationError{}, []validationError{}
	for range r.Intn(5) {
		e := randomError(r)
		e.Covered = r.Intn(4) > 0
		if level := r.Intn(10); level == 0 {
			e.Level = "alpha"
		}
		if !oldMatching || !hasSame(c.Handwritten, e) {
			c.Handwritten = append(c.Handwritten, e)
		}
	}
	for range r.Intn(5) {
		e := randomError(r)
		if len(c.Handwritten) > 0 && r.Intn(2) == 0 {
			e = c.Handwritten[r.Intn(len(c.Handwritten))]
			e.Detail, e.Covered = "declared", false
		}
		e.Level = pick(r, "", "alpha", "beta", "beta")
		c.Declarative = append(c.Declarative, e)
	}
	for _, errors := range [][]validationError{c.Handwritten, c.Declarative} {
		for i, e := range toList(errors) {
			errors[i].Message = e.ErrorBody()
		}
	}
	if r.Intn(12) == 0 {
		c.Panic = pick(r, "index out of range", "100 % \"wrong\"")
	}
	return c
}

// hasSame is true where the errors are the same, or could be to a declarative one: earlier releases pair each declarative error with
// one handwritten error only.
func hasSame(errors []validationError, e validationError) bool {
	for _, other := range errors {
		if other.Type == e.Type && other.Origin == e.Origin && canonical(other.Field) == canonical(e.Field) {
			return true
		}
	}
	return false
}

func canonical(path string) string {
	return regexp.MustCompile(alias.Pattern).ReplaceAllString(path, alias.Replacement)
}

func randomError(r *rand.Rand) validationError {
	types := []field.ErrorType{field.ErrorTypeInvalid, field.ErrorTypeInvalid, field.ErrorTypeRequired, field.ErrorTypeForbidden,
		field.ErrorTypeTooMany, field.ErrorTypeNotFound, field.ErrorTypeTypeInvalid, field.ErrorTypeInternal}
	values := []any{"", "", "a\"b", int64(-1), true, []string{"a"}}
	return validationError{
		BadValue: values[r.Intn(len(values))],
		Type:     types[r.Intn(len(types))],
		Field:    pick(r, "spec.replicas", "spec.replicas", "spec.requests[0].mode", "spec.requests[0].exactly.mode", `metadata.labels[a"\é]`, ""),
		Detail:   pick(r, "", "must be less", "wrong"),
		Origin:   pick(r, "", "minimum", "minimum", "format=k8s-ip"),
	}
}

func pick(r *rand.Rand, texts ...string) string {
	return texts[r.Intn(len(texts))]
}

func answer(c testCase) outcome {
	setGates(c.Gates)
	all := append(toList(c.Handwritten), toList(c.Declarative)...)
	index := map[*field.Error]int{}
	for i, e := range all {
		index[e] = i
	}
	n := len(c.Handwritten)
	written, declared := append(field.ErrorList{}, all[:n]...), append(field.ErrorList{}, all[n:]...)

	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(schema.GroupVersion{Version: "v1"}, &v1.ReplicationController{})
	scheme.AddValidationFunc(&v1.ReplicationController{}, func(context.Context, operation.Operation, any, any) field.ErrorList {
		if c.Panic != "" {
			panic(c.Panic)
		}
		return declared
	})
	log := &errorLog{messages: []string{}}
	ctx := klog.NewContext(context.Background(), logr.New(log))
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{APIVersion: "v1", Resource: "replicationcontrollers", Subresource: c.Subresource})
	obj := &v1.ReplicationController{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ReplicationController"}}
	var old runtime.Object
	op := operation.Create
	if c.Update {
		old, op = obj.DeepCopy(), operation.Update
	}
	validation.ResetValidationMetricsInstance()
	found := outcome{Errors: []any{}, Metrics: map[string]float64{}}
	for _, e := range validate(ctx, scheme, obj, old, written, op, rulesOf(c.Normalizations)) {
		if i, ok := index[e]; ok {
			found.Errors = append(found.Errors, i)
		} else {
			found.Errors = append(found.Errors, e.Detail)
		}
	}
	found.Mismatches = log.messages
	count(found.Metrics)
	return found
}

func toList(errors []validationError) field.ErrorList {
	list := field.ErrorList{}
	for _, e := range errors {
		place := e.Field
		if place == "" {
			place = (*field.Path)(nil).String()
		}
		made := &field.Error{Type: e.Type, Field: place, Detail: e.Detail, Origin: e.Origin, BadValue: e.BadValue, CoveredByDeclarative: e.Covered}
		list = append(list, withLevel(made, e.Level))
	}
	return list
}

func rulesOf(normalizations []normalization) []field.NormalizationRule {
	var rules []field.NormalizationRule
	for _, n := range normalizations {
		rules = append(rules, field.NormalizationRule{Regexp: regexp.MustCompile(n.Pattern), Replacement: n.Replacement})
	}
	return rules
}

// count reads the counters that are not zero, or have no labels.
func count(into map[string]float64) {
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		panic(err)
	}
	for _, family := range families {
		if matched, _ := regexp.MatchString("^apiserver_validation_declarative_", family.GetName()); !matched {
			continue
		}
		for _, metric := range family.Metric {
			name := family.GetName()
			for _, label := range metric.Label {
				name += fmt.Sprintf("{%s=%q}", label.GetName(), label.GetValue())
			}
			into[name] = metric.Counter.GetValue()
		}
	}
}

// errorLog keeps what is logged of mismatches.
type errorLog struct{ messages []string }

func (l *errorLog) Init(logr.RuntimeInfo)          {}
func (l *errorLog) Enabled(int) bool               { return true }
func (l *errorLog) Info(int, string, ...any)       {}
func (l *errorLog) WithValues(...any) logr.LogSink { return l }
func (l *errorLog) WithName(string) logr.LogSink   { return l }
func (l *errorLog) Error(_ error, msg string, _ ...any) {
	if strings.HasPrefix(msg, "Unexpected difference") {
		l.messages = append(l.messages, msg)
	}
}
