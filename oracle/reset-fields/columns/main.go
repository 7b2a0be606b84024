// Command columns writes what the columns of Tables mean, as a TypeScript module.
//
//	go run ./columns > ../../src/kinds/families/column-descriptions-data.ts
//
// It asks the printers of k8s.io/kubernetes for the columns of the kinds in src/kinds/resource/built-in-data.ts, and a server's default printer
// for those of the other kinds ("").
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration"
	aggregator "k8s.io/kube-aggregator/pkg/registry/apiservice/etcd"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/storage"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"

	_ "structured-merge-diff-reset-fields/install"
)

const servedKinds = "../../src/kinds/resource/built-in-data.ts"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(1)
	}
}

// recorded has the number of a description by kind and column. It is a PrintHandler.
type recorded struct {
	served       map[schema.GroupKind]bool
	numbers      map[string]int
	descriptions []string
	kinds        map[string]map[string]int
}

func run() error {
	served, err := readServed()
	if err != nil {
		return err
	}
	out := &recorded{served: served, numbers: map[string]int{}, kinds: map[string]map[string]int{}}
	plain, err := rest.NewDefaultTableConvertor(schema.GroupResource{}).ConvertToTable(context.Background(), &v1.LimitRange{}, nil)
	if err != nil {
		return err
	}
	out.add("", plain.ColumnDefinitions)
	out.kinds[""]["Age"] = out.kinds[""]["Created At"] // as for custom resources
	printersinternal.AddHandlers(out)
	services, err := (&aggregator.REST{}).ConvertToTable(context.Background(), &apiregistration.APIService{}, nil)
	if err != nil {
		return err
	}
	out.add("apiregistration.k8s.io/APIService", services.ColumnDefinitions)
	descriptions, err := json.Marshal(out.descriptions)
	if err != nil {
		return err
	}
	var lines []string
	for _, kind := range slices.Sorted(maps.Keys(out.kinds)) {
		columns, err := json.Marshal(out.kinds[kind])
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%q:%s", kind, columns))
	}
	text := strings.ReplaceAll(string(descriptions), `","`, "\",\n\"")
	text = strings.ReplaceAll(text, "`", `\u0060`)
	fmt.Print("// Written by oracle/reset-fields/columns from the printers of k8s.io/kubernetes (Apache-2.0).\n\n")
	fmt.Print("/** JSON: {descriptions, kinds: {group and kind: {column: number of its description}}}; the kind \"\" stands for those without a printer. */\n")
	fmt.Printf("export const columnDescriptionsData = String.raw`{\"descriptions\":%s,\n\"kinds\":{%s}}`\n", text, strings.Join(lines, ",\n"))
	return nil
}

// readServed reads the kinds of resources and of their scales.
func readServed() (map[schema.GroupKind]bool, error) {
	text, err := os.ReadFile(servedKinds)
	if err != nil {
		return nil, err
	}
	served := map[schema.GroupKind]bool{{Group: "autoscaling", Kind: "Scale"}: true}
	for _, line := range regexp.MustCompile(`(?m)^\["([^"]*)","[^"]*",\[(.*)`).FindAllStringSubmatch(string(text), -1) {
		for _, kind := range regexp.MustCompile(`\["[^"]*","([^"]*)","[^"]*","[NC]"`).FindAllStringSubmatch(line[2], -1) {
			served[schema.GroupKind{Group: line[1], Kind: kind[1]}] = true
		}
	}
	return served, nil
}

// TableHandler receives the columns of a kind with a function that prints its objects.
func (r *recorded) TableHandler(columns []metav1.TableColumnDefinition, print any) error {
	object, ok := reflect.New(reflect.TypeOf(print).In(0).Elem()).Interface().(runtime.Object)
	if !ok {
		return fmt.Errorf("%T prints no object", print)
	}
	// The storage of this kind does not use its printer.
	if _, isUnused := object.(*storage.CSIStorageCapacity); isUnused {
		return nil
	}
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil { // a kind that no group has any more
		return nil
	}
	for _, kind := range kinds {
		if r.served[kind.GroupKind()] {
			r.add(kind.Group+"/"+kind.Kind, columns)
		}
	}
	return nil
}

func (r *recorded) add(kind string, columns []metav1.TableColumnDefinition) {
	numbers := map[string]int{}
	for _, column := range columns {
		number, known := r.numbers[column.Description]
		if !known {
			number = len(r.descriptions)
			r.numbers[column.Description] = number
			r.descriptions = append(r.descriptions, column.Description)
		}
		numbers[column.Name] = number
	}
	r.kinds[kind] = numbers
}
