// Command patch-keys writes how strategic merge patches treat the fields of Kubernetes' built-in types, as a TypeScript module.
//
//	go run ./cmd/patch-keys > ../src/apiserver/strategic-merge/patch-keys-data.ts
//
// An API server uses the tags of its Go structs, so this program reads them. It visits every struct in a kind of client-go,
// apiextensions-apiserver or kube-aggregator, at the versions in go.mod. src/apiserver/strategic-merge/patch-keys.ts describes the
// spelling and reads it.
package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"structured-merge-diff-oracle/structs"
)

func main() {
	tags := map[reflect.Type]map[string]string{}
	structs.Each(func(field structs.Field) {
		strategy, key := field.Tag.Get("patchStrategy"), field.Tag.Get("patchMergeKey")
		if strategy == "" && key == "" {
			return
		}
		if tags[field.Owner] == nil {
			tags[field.Owner] = map[string]string{}
		}
		tags[field.Owner][field.Name] = strings.TrimSuffix(strategy+" "+key, " ")
	})
	err := structs.Print("oracle/cmd/patch-keys", "the patch strategies and merge keys of Kubernetes' built-in types",
		"JSON, as src/apiserver/strategic-merge/patch-keys.ts reads it.", "patchKeysData", tags)
	if err != nil {
		fmt.Fprintln(os.Stderr, "patch-keys:", err)
		os.Exit(1)
	}
}
