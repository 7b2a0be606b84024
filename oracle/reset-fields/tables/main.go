// Command tables writes how an API server shows objects as a Table.
//
//	go run ./tables < ../../test/vectors/table-objects.json > ../../test/vectors/tables.json
//
// It reads a JSON list of objects, decodes each as a server does, defaults included, and gives it to the printers of k8s.io/kubernetes.
// An object without creationTimestamp has "<unknown>" for an age, so answers do not depend on the time.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"

	_ "structured-merge-diff-reset-fields/install"
	"structured-merge-diff-reset-fields/jsonlist"
)

// A shown is an object, and how it is shown.
type shown struct {
	Object  json.RawMessage `json:"object"`
	Columns []column        `json:"columns"`
	Cells   []any           `json:"cells"`
}

type column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Format   string `json:"format"`
	Priority int32  `json:"priority"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func run() error {
	var given []json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		return err
	}
	generator := printers.NewTableGenerator().With(printersinternal.AddHandlers)
	return jsonlist.Print(len(given), func(i int) (any, error) {
		out, err := show(generator, given[i])
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		return out, nil
	})
}

func show(generator printers.TableGenerator, given json.RawMessage) (*shown, error) {
	object, kind, err := legacyscheme.Codecs.UniversalDeserializer().Decode(given, nil, nil)
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(object)
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		// Events are the core group's everywhere inside a server.
		if internal, err = legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Version: runtime.APIVersionInternal}); err != nil {
			return nil, err
		}
	}
	table, err := generator.GenerateTable(internal, printers.GenerateOptions{Wide: true})
	if err != nil { // kinds without a printer
		table, err = rest.NewDefaultTableConvertor(schema.GroupResource{}).ConvertToTable(context.Background(), object, nil)
	}
	if err != nil {
		return nil, err
	}
	return &shown{Object: text, Columns: columnsOf(table), Cells: table.Rows[0].Cells}, nil
}

func columnsOf(table *metav1.Table) []column {
	var columns []column
	for _, each := range table.ColumnDefinitions {
		columns = append(columns, column{each.Name, each.Type, each.Format, each.Priority})
	}
	return columns
}
