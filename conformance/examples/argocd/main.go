// Command argocd answers the level "matches" with the structured-merge diff of Argo CD's engine: does the live object differ from the apply's result?
//
//	argocd OPENAPI
//
// OPENAPI is a file with the answer of an API server to a GET of /openapi/v2.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/go-logr/logr"
	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/util/proto"
)

type request struct {
	ID      string          `json:"id"`
	Op      string          `json:"op"`
	Live    map[string]any  `json:"live"`
	Object  map[string]any  `json:"object"`
	Manager string          `json:"manager"`
	CRD     json.RawMessage `json:"crd"`
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("argocd OPENAPI")
	}
	types, err := readTypes(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := answers.Encode(answerTo(lines.Bytes(), types)); err != nil {
			log.Fatal(err)
		}
	}
}

func readTypes(file string) (*managedfields.GvkParser, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	document, err := openapi_v2.ParseDocument(text)
	if err != nil {
		return nil, err
	}
	models, err := proto.NewOpenAPIData(document)
	if err != nil {
		return nil, err
	}
	return managedfields.NewGVKParser(models, false)
}

func answerTo(line []byte, types *managedfields.GvkParser) map[string]any {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return map[string]any{"error": err.Error()}
	}
	// A cluster would serve the types of a definition; the document has those of built-in kinds.
	if asked.Op != "wouldChange" || asked.CRD != nil {
		return map[string]any{"id": asked.ID, "unsupported": true}
	}
	live := &unstructured.Unstructured{Object: asked.Live}
	config := &unstructured.Unstructured{Object: asked.Object}
	result, err := diff.Diff(config, live, diff.WithStructuredMergeDiff(true), diff.WithGVKParser(types),
		diff.WithManager(asked.Manager), diff.WithLogr(logr.Discard()))
	if err != nil {
		return map[string]any{"id": asked.ID, "error": err.Error()}
	}
	return map[string]any{"id": asked.ID, "differs": result.Modified}
}
