package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// vector is a body and the JSON that Go has for the object that it reads from it.
type vector struct {
	Kind     string          `json:"kind"`
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

// holes are the chances that something optional is absent: the objects of a kind have them in turn.
var holes = []float64{0.6, 0.05, 0.85, 0.3}

// writeVectors goes through the kinds in turn, so that each has about as many objects as the others.
func writeVectors(kinds []kind, count int, seed int64) error {
	out := json.NewEncoder(os.Stdout)
	for i := range count {
		k := kinds[i%len(kinds)]
		made, err := newVector(k, seed+int64(i), holes[i/len(kinds)%len(holes)])
		if err != nil {
			return fmt.Errorf("%s %s: %w", k.apiVersion, k.name, err)
		}
		if err := out.Encode(made); err != nil {
			return err
		}
	}
	return nil
}

func newVector(k kind, seed int64, holes float64) (*vector, error) {
	object := reflect.New(k.goType)
	filler(seed, holes).Fill(object.Interface())
	raw, err := object.Interface().(message).Marshal()
	if err != nil {
		return nil, err
	}
	apiVersion := k.apiVersion
	if apiVersion == "" {
		apiVersion = "v1"
	}
	meta := runtime.TypeMeta{APIVersion: apiVersion, Kind: k.name}
	body, err := (&runtime.Unknown{TypeMeta: meta, Raw: raw}).Marshal()
	if err != nil {
		return nil, err
	}
	// Read the bytes again, because they do not distinguish an empty list from an absent one.
	read := reflect.New(k.goType)
	if err := read.Interface().(message).Unmarshal(raw); err != nil {
		return nil, err
	}
	read.Elem().FieldByName("TypeMeta").Set(reflect.ValueOf(metav1.TypeMeta{APIVersion: apiVersion, Kind: k.name}))
	text, err := json.Marshal(read.Interface())
	if err != nil {
		return nil, err
	}
	return &vector{apiVersion + " " + k.name, append([]byte("k8s\x00"), body...), text}, nil
}

var (
	quantities = []string{"0", "1", "100m", "1Gi", "250Mi", "1500m", "12e6", "-3", "9223372036854775807", "5E", "10n"}
	raws       = []string{`{"a":1,"b":[true,null,"x"]}`, `[]`, `"text"`, `12345678901234567890`, `{"__proto__":{"c":1.5}}`}
	fieldSets  = []string{`{"f:data":{".":{},"f:a":{}}}`, `{}`, `{"f:spec":{"f:ports":{"k:{\"port\":80}":{}}}}`}
	texts      = []string{"", "a", "name", "ünïcode", "日本", "😀", "<&>", "\u2028", "a b", "__proto__", "constructor", "1"}
	integers   = []int64{0, 1, -1, 80, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1 << 53}
	numbers    = []float64{0, 1, -1.5, 1e21, 1e-7, 0.1, 9007199254740993}
)

// filler fills in objects at random. Values that have a form of their own, and schemas, which hold themselves, are made here.
func filler(seed int64, holes float64) *randfill.Filler {
	fill := randfill.NewWithSeed(seed).NilChance(holes).NumElements(0, 3).MaxDepth(60)
	return fill.Funcs(
		func(meta *metav1.TypeMeta, _ randfill.Continue) {},
		func(text *string, c randfill.Continue) { *text = texts[c.Intn(len(texts))] },
		func(number *int32, c randfill.Continue) { *number = int32(integers[c.Intn(len(integers))]) },
		func(number *int64, c randfill.Continue) { *number = integers[c.Intn(len(integers))] },
		func(number *float64, c randfill.Continue) { *number = numbers[c.Intn(len(numbers))] },
		func(quantity *resource.Quantity, c randfill.Continue) {
			*quantity = resource.MustParse(quantities[c.Intn(len(quantities))])
		},
		func(value *intstr.IntOrString, c randfill.Continue) {
			*value = intstr.FromInt32(int32(c.Intn(70000) - 2))
			if c.Bool() {
				*value = intstr.FromString([]string{"", "http", "25%"}[c.Intn(3)])
			}
		},
		func(moment *metav1.Time, c randfill.Continue) { moment.Time = randomTime(c) },
		func(moment *metav1.MicroTime, c randfill.Continue) { moment.Time = randomTime(c) },
		func(raw *runtime.RawExtension, c randfill.Continue) { raw.Raw = randomJSON(c, raws) },
		func(raw *apiextensionsv1.JSON, c randfill.Continue) { raw.Raw = randomJSON(c, raws) },
		func(fields *metav1.FieldsV1, c randfill.Continue) { fields.SetRawBytes(randomJSON(c, fieldSets)) },
		func(schema *apiextensionsv1.JSONSchemaProps, c randfill.Continue) { fillSchema(schema, c, 3) },
	)
}

func randomTime(c randfill.Continue) time.Time {
	switch c.Intn(5) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(0, 0)
	default:
		return time.Unix(c.Int63n(3e11)-6e10, c.Int63n(1e9))
	}
}

func randomJSON(c randfill.Continue, choices []string) []byte {
	if c.Intn(6) == 0 {
		return nil
	}
	return []byte(choices[c.Intn(len(choices))])
}

// fillSchema makes a schema that holds others down to a depth.
func fillSchema(schema *apiextensionsv1.JSONSchemaProps, c randfill.Continue, depth int) {
	c.Fill(&schema.ID)
	c.Fill(&schema.Type)
	c.Fill(&schema.Default)
	c.Fill(&schema.Maximum)
	c.Fill(&schema.ExclusiveMaximum)
	c.Fill(&schema.MaxLength)
	c.Fill(&schema.Enum)
	c.Fill(&schema.Required)
	c.Fill(&schema.XPreserveUnknownFields)
	c.Fill(&schema.XListMapKeys)
	c.Fill(&schema.XValidations)
	if depth == 0 {
		return
	}
	inner := func() *apiextensionsv1.JSONSchemaProps {
		made := &apiextensionsv1.JSONSchemaProps{}
		fillSchema(made, c, depth-1)
		return made
	}
	switch c.Intn(3) {
	case 0:
		schema.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: inner()}
	case 1:
		schema.Items = &apiextensionsv1.JSONSchemaPropsOrArray{JSONSchemas: []apiextensionsv1.JSONSchemaProps{*inner()}}
	}
	switch c.Intn(4) {
	case 0:
		schema.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: inner()}
	case 1:
		schema.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: c.Bool()}
	}
	switch c.Intn(4) {
	case 0:
		schema.Dependencies = apiextensionsv1.JSONSchemaDependencies{"a": {Schema: inner()}, "": {}}
	case 1:
		schema.Dependencies = apiextensionsv1.JSONSchemaDependencies{"b": {Property: []string{"c", ""}}}
	}
	if c.Bool() {
		schema.Properties = map[string]apiextensionsv1.JSONSchemaProps{"x": *inner(), "__proto__": *inner()}
		schema.AllOf = []apiextensionsv1.JSONSchemaProps{*inner()}
		schema.Not = inner()
	}
}
