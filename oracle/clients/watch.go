package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func configMap(name string, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"value": value}}
}

// line is the network between a client and its server. It counts requests, and can be cut.
type line struct {
	http.RoundTripper
	lock    sync.Mutex
	isCut   bool
	open    []*stream
	lists   int
	streams int
}

func (l *line) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	l.lock.Lock()
	switch {
	case query.Get("sendInitialEvents") == "true":
		l.streams++
	case query.Get("watch") == "":
		l.lists++
	}
	isCut := l.isCut
	l.lock.Unlock()
	if isCut {
		// After this error alone, an informer continues from where it was.
		return nil, syscall.ECONNREFUSED
	}
	response, err := l.RoundTripper.RoundTrip(request)
	if err == nil && query.Get("watch") != "" {
		l.lock.Lock()
		body := &stream{ReadCloser: response.Body}
		l.open = append(l.open, body)
		l.lock.Unlock()
		response.Body = body
	}
	return response, err
}

// stream is the body of a watch, which ends in good order when its line is cut.
type stream struct {
	io.ReadCloser
	isEnded atomic.Bool
}

func (s *stream) Read(buffer []byte) (int, error) {
	n, err := s.ReadCloser.Read(buffer)
	if err != nil && s.isEnded.Load() {
		err = io.EOF
	}
	return n, err
}

// cut ends what is under way, and lets nothing through until it is mended.
func (l *line) cut() {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.isCut = true
	for _, each := range l.open {
		each.isEnded.Store(true)
		each.Close()
	}
	l.open = nil
}

func (l *line) mend() {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.isCut = false
}

func (r *run) clientOver(l *line) kubernetes.Interface {
	config := r.json()
	config.Wrap(func(transport http.RoundTripper) http.RoundTripper {
		l.RoundTripper = transport
		return l
	})
	return kubernetes.NewForConfigOrDie(config)
}

func informerList(r *run) {
	l := informer(r)
	r.check("the informer begins with a list", l.lists > 0 && l.streams == 0, l.lists, l.streams)
}

func informerWatchList(r *run) {
	l := informer(r)
	r.check("the informer begins with a watch that sends everything", l.lists == 0 && l.streams > 0, l.lists, l.streams)
}

// informer follows config maps through a shared informer.
func informer(r *run) *line {
	maps := r.client.CoreV1().ConfigMaps(r.name)
	for i := range 5 {
		_, err := maps.Create(r, configMap(fmt.Sprintf("before-%d", i), "1"), metav1.CreateOptions{})
		if err != nil {
			r.succeeds("objects before the informer", err)
		}
	}
	l := &line{}
	factory := informers.NewSharedInformerFactoryWithOptions(r.clientOver(l), 0, informers.WithNamespace(r.name))
	shared := factory.Core().V1().ConfigMaps()
	seen := make(chan string, 100)
	_, err := shared.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { seen <- "added " + object.(*corev1.ConfigMap).Name },
		UpdateFunc: func(before, after any) {
			seen <- "updated " + before.(*corev1.ConfigMap).Data["value"] + " to " + after.(*corev1.ConfigMap).Data["value"]
		},
		DeleteFunc: func(object any) { seen <- "deleted " + object.(*corev1.ConfigMap).Name },
	})
	r.succeeds("a handler", err)
	factory.Start(r.Done())
	r.check("the informer is in sync", cache.WaitForCacheSync(r.Done(), shared.Informer().HasSynced))
	for range 5 {
		<-seen
	}
	stored, err := shared.Lister().ConfigMaps(r.name).Get("before-3")
	r.check("the cache has what was there", err == nil && stored.Data["value"] == "1", stored, err)

	_, err = maps.Create(r, configMap("after", "1"), metav1.CreateOptions{})
	r.succeeds("a new object", err)
	r.expects(seen, "added after")
	_, err = maps.Update(r, configMap("after", "2"), metav1.UpdateOptions{})
	r.succeeds("a changed object", err)
	r.expects(seen, "updated 1 to 2")
	l.cut()
	r.succeeds("an object goes while the line is cut", maps.Delete(r, "after", metav1.DeleteOptions{}))
	l.mend()
	r.expects(seen, "deleted after")
	return l
}

func (r *run) expects(seen chan string, what string) {
	select {
	case found := <-seen:
		r.check("the informer tells: "+what, found == what, found)
	case <-r.Done():
		r.check("the informer tells: "+what, false, "nothing")
	}
}

// watchExpired resumes watches from events that the server has forgotten. It keeps a few hundred at most here.
func watchExpired(r *run) {
	maps := r.client.CoreV1().ConfigMaps(r.name)
	first, err := maps.Create(r, configMap("first", "0"), metav1.CreateOptions{})
	r.succeeds("an object", err)
	l := &line{}
	factory := informers.NewSharedInformerFactoryWithOptions(r.clientOver(l), 0, informers.WithNamespace(r.name))
	shared := factory.Core().V1().ConfigMaps()
	lister := shared.Lister()
	factory.Start(r.Done())
	factory.WaitForCacheSync(r.Done())
	valueIs := func(value string) bool {
		found, err := lister.ConfigMaps(r.name).Get("first")
		return err == nil && found.Data["value"] == value
	}
	_, err = maps.Update(r, configMap("first", "changed"), metav1.UpdateOptions{})
	r.succeeds("a write", err)
	r.comes("the informer follows", func() bool { return valueIs("changed") })
	l.cut()
	for i := range 1000 {
		if _, err := maps.Update(r, configMap("first", fmt.Sprint(i+1)), metav1.UpdateOptions{}); err != nil {
			r.succeeds("many writes", err)
		}
	}
	l.lock.Lock()
	before := l.lists + l.streams
	l.lock.Unlock()
	l.mend()
	r.comes("an informer whose watch has expired begins anew", func() bool {
		l.lock.Lock()
		defer l.lock.Unlock()
		return valueIs("1000") && l.lists+l.streams > before
	})

	watching, err := maps.Watch(r, metav1.ListOptions{ResourceVersion: first.ResourceVersion})
	if err == nil {
		event := <-watching.ResultChan()
		watching.Stop()
		r.check("a watch from long ago has an error", event.Type == watch.Error, event)
		err = apierrors.FromObject(event.Object)
	}
	r.check("it says that the version has expired", apierrors.IsResourceExpired(err) || apierrors.IsGone(err), err)
}

// leaderElection has two candidates for one lease.
func leaderElection(r *run) {
	leaders := make(chan string, 10)
	candidate := func(name string) (context.CancelFunc, chan struct{}) {
		ctx, cancel := context.WithCancel(r)
		ended := make(chan struct{})
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: r.name},
			Client:     r.client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		go func() {
			defer close(ended)
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: lock, ReleaseOnCancel: true,
				LeaseDuration: 2 * time.Second, RenewDeadline: time.Second, RetryPeriod: 100 * time.Millisecond,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { leaders <- name },
					OnStoppedLeading: func() {},
				},
			})
		}()
		return cancel, ended
	}
	stopFirst, firstEnded := candidate("first")
	r.check("the first candidate leads", <-leaders == "first")
	stopSecond, secondEnded := candidate("second")
	time.Sleep(300 * time.Millisecond)
	r.check("the second one waits", len(leaders) == 0)
	stopFirst()
	<-firstEnded
	r.check("it leads when the first one has gone", <-leaders == "second")
	lease, err := r.client.CoordinationV1().Leases(r.name).Get(r, "leader", metav1.GetOptions{})
	r.check("the lease counts its holders", err == nil && *lease.Spec.LeaseTransitions >= 1, lease, err)
	stopSecond()
	<-secondEnded
}
