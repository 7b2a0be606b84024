// Command appliers lets released tools write to a test API server: Helm 3 and 4, kubectl, the ssa package of Flux, and controller-runtime.
//
//	appliers --server URL
//
// It reads requests from standard input, a line of JSON each, and answers each with a line: {} or {"error": "..."}.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
)

// request is one use of a tool.
type request struct {
	// Tool is helm3, helm, kubectl, kubectl-client, flux or controller-runtime.
	Tool string `json:"tool"`
	// Manifest is the configuration, in YAML or JSON.
	Manifest string `json:"manifest"`
	// Release is the name of the release or of the Kustomization.
	Release   string `json:"release"`
	Namespace string `json:"namespace"`
	Force     bool   `json:"force"`
	// ServerSide is the option of this name of helm upgrade: auto, true or false.
	ServerSide string `json:"serverSide"`
	// Rollback goes back to the release before.
	Rollback bool `json:"rollback"`
	// Manager is the name under which controller-runtime applies.
	Manager string `json:"manager"`
}

// tools run a request each.
var tools = map[string]func(*rest.Config, request) error{
	"helm3":              helm3,
	"helm":               helm4,
	"kubectl":            kubectl,
	"kubectl-client":     kubectl,
	"flux":               flux,
	"controller-runtime": controllerRuntime,
}

func main() {
	server := flag.String("server", "", "the address of the test API server")
	flag.Parse()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		fmt.Println(answer(*server, lines.Bytes()))
	}
}

// answer runs a request and returns a line of JSON.
func answer(server string, line []byte) string {
	var asked request
	result := map[string]string{}
	err := json.Unmarshal(line, &asked)
	if err == nil {
		tool, known := tools[asked.Tool]
		if known {
			err = tool(&rest.Config{Host: server, QPS: 1000, Burst: 1000}, asked)
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
