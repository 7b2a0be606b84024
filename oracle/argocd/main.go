// Command argocd lets the engine of Argo CD write to a test API server.
//
//	argocd --server URL
//
// Package lines has its protocol.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"structured-merge-diff-oracle/lines"
)

const (
	manager    = "argocd-controller"
	trackingID = "argocd.argoproj.io/tracking-id"
)

func main() {
	lines.Answer(lines.Tools{"argocd": synchronize, "argocd-client": synchronize})
}

// synchronize applies the object of the manifest with the options that Argo CD gives to gitops-engine.
func synchronize(server string, asked lines.Request) error {
	config := &rest.Config{Host: server, QPS: 1000, Burst: 1000}
	object := new(unstructured.Unstructured)
	if err := json.Unmarshal([]byte(asked.Manifest), &object.Object); err != nil {
		return err
	}
	track(object, asked.Release)
	log := logr.Discard()
	kubectl := &kube.KubectlCmd{Log: log, Tracer: tracing.NopTracer{}}
	live, err := kubectl.GetResource(context.Background(), config, object.GroupVersionKind(), object.GetName(), object.GetNamespace())
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if err != nil {
		live = nil
	}
	state := sync.ReconciliationResult{Target: []*unstructured.Unstructured{object}, Live: []*unstructured.Unstructured{live}}
	synchronization, cleanup, err := sync.NewSyncContext("1", state, config, config, kubectl, asked.Namespace,
		sync.WithLogr(log),
		sync.WithServerSideApply(asked.Tool == "argocd"),
		sync.WithServerSideApplyManager(manager),
		sync.WithManifestValidation(true),
	)
	if err != nil {
		return err
	}
	defer cleanup()
	return finish(synchronization)
}

// finish runs the phases of a synchronization. The first call makes dry runs.
func finish(synchronization sync.SyncContext) error {
	for range 10 {
		synchronization.Sync()
		phase, message, results := synchronization.GetState()
		if !phase.Completed() {
			continue
		}
		if phase.Successful() {
			return nil
		}
		for _, result := range results {
			message += ": " + result.Message
		}
		return errors.New(message)
	}
	return errors.New("the synchronization does not end")
}

// track marks the object as part of the Application.
func track(object *unstructured.Unstructured, application string) {
	kind := object.GroupVersionKind()
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[trackingID] = fmt.Sprintf("%s:%s/%s:%s/%s", application, kind.Group, kind.Kind, object.GetNamespace(), object.GetName())
	object.SetAnnotations(annotations)
}
