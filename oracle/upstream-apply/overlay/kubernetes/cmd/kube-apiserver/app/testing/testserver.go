// Package testing hands out test API servers of structured-merge-diff where upstream's package starts a kube-apiserver.
//
// The program at $SMD_CONTROL starts a fresh server for each POST to /start, stops it at /stop, and stores an object at /load.
package testing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"k8s.io/apiextensions-apiserver/test/integration/fixtures"
	restclient "k8s.io/client-go/rest"
)

// TearDownFunc stops a server.
type TearDownFunc func()

// TestServerInstanceOptions has no options. Tests only need the name.
type TestServerInstanceOptions struct{}

// NewDefaultTestServerOptions returns empty options.
func NewDefaultTestServerOptions() *TestServerInstanceOptions { return &TestServerInstanceOptions{} }

// TestServer is a server that listens.
type TestServer struct {
	ClientConfig      *restclient.Config
	TearDownFn        TearDownFunc
	EtcdClient        fixtures.Storage
	EtcdStoragePrefix string
}

// Logger has the methods of a test or a benchmark that this package calls.
type Logger interface {
	Helper()
	Fatalf(format string, args ...any)
}

// StartTestServer starts an empty server with the flags that SMD_CONTROL knows. It ignores the storage.
func StartTestServer(_ Logger, _ *TestServerInstanceOptions, flags []string, _ any) (TestServer, error) {
	answer, err := control("start", "", flags)
	if err != nil {
		return TestServer{}, err
	}
	address := string(answer)
	return TestServer{
		// Tests send as fast as they can, as upstream's configuration for loopback lets them.
		ClientConfig: &restclient.Config{Host: address, QPS: 1000, Burst: 10000},
		TearDownFn:   func() { _, _ = control("stop", address, nil) },
		EtcdClient:   storage(address),
	}, nil
}

// StartTestServerOrDie starts a server, or ends the test.
func StartTestServerOrDie(t Logger, options *TestServerInstanceOptions, flags []string, storage any) *TestServer {
	t.Helper()
	server, err := StartTestServer(t, options, flags, storage)
	if err != nil {
		t.Fatalf("no test server: %v", err)
	}
	return &server
}

// storage stores objects in the server at this address.
type storage string

// Put stores an object as if it had been there from the beginning; the key is in the object too.
func (s storage) Put(_ context.Context, _ string, value string) (any, error) {
	object, err := fixtures.AtStorageVersion([]byte(value))
	if err != nil {
		return nil, err
	}
	return control("load", string(s), object)
}

func control(action, server string, object any) ([]byte, error) {
	address := os.Getenv("SMD_CONTROL")
	if address == "" {
		return nil, errors.New("SMD_CONTROL is not set: start these tests with npm run replay -- upstream")
	}
	body, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	response, err := http.Post(address+"/"+action+"?server="+url.QueryEscape(server), "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", action, answer)
	}
	return answer, err
}
