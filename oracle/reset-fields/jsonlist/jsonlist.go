// Package jsonlist prints recorded answers.
package jsonlist

import (
	"encoding/json"
	"fmt"
)

// Print writes a JSON list to standard output, one item a line. Each item is the result of a call of item with its index.
func Print(count int, item func(i int) (any, error)) error {
	for i := range count {
		value, err := item(i)
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		separator := ",\n"
		if i == 0 {
			separator = "[\n"
		}
		fmt.Print(separator, string(text))
	}
	fmt.Print("\n]\n")
	return nil
}
