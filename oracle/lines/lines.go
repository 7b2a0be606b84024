// Package lines lets a program answer requests to use released tools, a line of JSON each.
package lines

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

// Request is one use of a tool.
type Request struct {
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Manifest is the configuration, in YAML or JSON.
	Manifest string `json:"manifest"`
	// Chart is the folder of a chart that Helm 4 installs instead of the manifest.
	Chart string `json:"chart"`
	// Release is the name of the release, the Kustomization or the Application.
	Release   string `json:"release"`
	Namespace string `json:"namespace"`
	Force     bool   `json:"force"`
	// ServerSide is the option of this name of helm upgrade: auto, true or false.
	ServerSide string `json:"serverSide"`
	// Rollback goes back to the release before.
	Rollback bool `json:"rollback"`
	// Ignore is the JSON pointers of the fields that a Kustomization leaves to others.
	Ignore []string `json:"ignore"`
	// Manager is the name under which controller-runtime applies, and kubectl if it is not kubectl's own.
	Manager string `json:"manager"`
}

// Tools run a request each. They get the address of the API server.
type Tools map[string]func(server string, asked Request) error

// Answer reads requests from standard input, and answers each with a line: {} or {"error": "..."}. The flag --server is the address of the
// test API server.
func Answer(tools Tools) {
	server := flag.String("server", "", "the address of the test API server")
	flag.Parse()
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	for input.Scan() {
		fmt.Println(tools.answer(*server, input.Bytes()))
	}
}

func (tools Tools) answer(server string, line []byte) string {
	var asked Request
	result := map[string]string{}
	err := json.Unmarshal(line, &asked)
	if err == nil {
		tool, known := tools[asked.Tool]
		if known {
			err = tool(server, asked)
		} else {
			err = fmt.Errorf("no tool %q", asked.Tool)
		}
	}
	if err != nil {
		result["error"] = err.Error()
	}
	text, _ := json.Marshal(result)
	return string(text)
}
