// Command protobuf-fields writes how Kubernetes' built-in types are laid out in protobuf and in JSON, as a TypeScript module.
//
//	go run ./cmd/protobuf-fields > ../src/apiserver/protobuf/fields-data.ts
//
// The tags of the Go structs say both, so they are read here: of every struct that a kind of a served group and version consists
// of. src/apiserver/protobuf/message-types.ts describes the spelling and reads it.
//
//	go run ./cmd/protobuf-fields -vectors 600 -seed 1
//
// writes random objects of these kinds instead, a line each: {kind, protobuf: the body in base64, json: what Go makes of it}.
package main

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"structured-merge-diff-oracle/structs"
)

// served names the groups and versions that the test API server serves.
const served = "../src/kinds/resource/built-in-data.ts"

func main() {
	count := flag.Int("vectors", 0, "how many random objects to write")
	seed := flag.Int64("seed", 1, "of the random objects")
	flag.Parse()
	kinds, err := servedKinds()
	if err == nil && *count > 0 {
		err = writeVectors(kinds, *count, *seed)
	} else if err == nil {
		err = writeFields(kinds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "protobuf-fields:", err)
		os.Exit(1)
	}
}

// kind is a kind of objects and its Go type. Options of deletes have no version: every group has them.
type kind struct {
	apiVersion, name string
	goType           reflect.Type
}

// message is a type that protobuf bodies consist of.
type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

var messageType = reflect.TypeFor[message]()

func servedKinds() ([]kind, error) {
	text, err := os.ReadFile(served)
	if err != nil {
		return nil, err
	}
	versions := map[schema.GroupVersion]bool{}
	for _, found := range regexp.MustCompile(`(?m)^\["([^"]*)","([^"]*)",\[`).FindAllStringSubmatch(string(text), -1) {
		versions[schema.GroupVersion{Group: found[1], Version: found[2]}] = true
	}
	kinds := []kind{{"", "DeleteOptions", reflect.TypeFor[metav1.DeleteOptions]()}}
	for _, known := range structs.Schemes {
		for gvk, goType := range known.AllKnownTypes() {
			_, isObject := goType.FieldByName("ObjectMeta")
			if versions[gvk.GroupVersion()] && isObject && reflect.PointerTo(goType).Implements(messageType) {
				kinds = append(kinds, kind{gvk.GroupVersion().String(), gvk.Kind, goType})
			}
		}
	}
	sort.Slice(kinds, func(i, j int) bool {
		a, b := kinds[i], kinds[j]
		return a.apiVersion < b.apiVersion || (a.apiVersion == b.apiVersion && a.name < b.name)
	})
	return kinds, nil
}
