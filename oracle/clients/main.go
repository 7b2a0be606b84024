// Command clients does with a test API server what programs do with a cluster: client-go's clients, informers and leader election,
// and a manager of controller-runtime.
//
//	clients                               lists the scenarios
//	clients --server URL informer-list    runs scenarios, each in a namespace of its own
//
// A scenario prints what it has checked. The exit status is 1 if something is not as it should be.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// scenario is one story that a program goes through.
type scenario struct {
	name string
	run  func(*run)
	// environment is set before any client is made.
	environment map[string]string
}

var scenarios = []scenario{
	{name: "typed-apply", run: typedApply},
	{name: "typed-json", run: typedJSON},
	{name: "typed-default", run: typedDefault},
	{name: "dynamic", run: dynamicClient},
	{name: "discovery", run: discoveryClient},
	{name: "retry-on-conflict", run: retryOnConflict},
	{name: "informer-list", run: informerList, environment: map[string]string{"KUBE_FEATURE_WatchListClient": "false"}},
	{name: "informer-watchlist", run: informerWatchList, environment: map[string]string{"KUBE_FEATURE_WatchListClient": "true"}},
	{name: "watch-expired", run: watchExpired},
	{name: "leader-election", run: leaderElection},
	{name: "finalizers", run: finalizers},
	{name: "garbage-collection", run: garbageCollection},
	{name: "controller", run: controller},
	{name: "webhooks", run: webhooks},
}

func main() {
	server := flag.String("server", "", "the address of the test API server")
	bound := flag.Duration("timeout", time.Minute, "how long a scenario may take")
	flag.Parse()
	failed := false
	for _, each := range scenarios {
		if flag.NArg() == 0 {
			fmt.Println(each.name)
			continue
		}
		for _, name := range flag.Args() {
			if name == each.name && !perform(each, *server, *bound) {
				failed = true
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

// perform runs a scenario, and says whether all was as it should be.
func perform(each scenario, server string, bound time.Duration) (ok bool) {
	for name, value := range each.environment {
		os.Setenv(name, value)
	}
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	defer func() {
		if failure, isFailure := recover().(failure); isFailure {
			fmt.Printf("%s: FAILED: %s\n", each.name, string(failure))
			ok = false
		}
	}()
	r := &run{Context: ctx, name: each.name, config: &rest.Config{Host: server, QPS: 1000, Burst: 1000}}
	r.client = kubernetes.NewForConfigOrDie(r.json())
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: each.name}}
	_, err := r.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	r.succeeds("the namespace is created", err)
	each.run(r)
	fmt.Printf("%s: passed\n", each.name)
	return true
}

// run is a scenario that is running.
type run struct {
	context.Context
	// name is that of the scenario, and of its namespace.
	name   string
	config *rest.Config
	client kubernetes.Interface
}

// failure ends a scenario.
type failure string

// json returns a configuration that sends JSON.
func (r *run) json() *rest.Config {
	config := rest.CopyConfig(r.config)
	config.ContentType = "application/json"
	return config
}

// check ends the scenario unless it is so; `found` says what there is instead.
func (r *run) check(what string, isSo bool, found ...any) {
	if !isSo {
		panic(failure(fmt.Sprintf("%s; found %v", what, found)))
	}
	fmt.Printf("%s: %s\n", r.name, what)
}

func (r *run) succeeds(what string, err error) {
	if err != nil {
		panic(failure(fmt.Sprintf("%s; got %v", what, err)))
	}
	fmt.Printf("%s: %s\n", r.name, what)
}

// comes waits until it is so.
func (r *run) comes(what string, isSo func() bool) {
	for !isSo() {
		select {
		case <-r.Done():
			panic(failure(what + "; it did not happen in time"))
		case <-time.After(10 * time.Millisecond):
		}
	}
	fmt.Printf("%s: %s\n", r.name, what)
}
