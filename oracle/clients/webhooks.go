package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"context"
	"fmt"
)

// webhooks serves a mutating and a validating webhook with the webhook server of controller-runtime, over TLS with a certificate of its own.
func webhooks(r *run) {
	folder, err := os.MkdirTemp("", "webhooks")
	r.succeeds("a folder is made", err)
	defer os.RemoveAll(folder)
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.ParseIP("127.0.0.1")}, nil)
	r.succeeds("a certificate is made", err)
	for name, bytes := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		r.succeeds(name+" is written", os.WriteFile(filepath.Join(folder, name), bytes, 0o600))
	}
	port := freePort(r)
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: folder})
	server.Register("/mutate", &webhook.Admission{Handler: admission.HandlerFunc(addColor)})
	server.Register("/validate", &webhook.Admission{Handler: admission.HandlerFunc(refuseRed)})
	ctx, cancel := context.WithCancel(r)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- server.Start(ctx) }()
	r.comes("the webhook server has started", func() bool { return server.StartedChecker()(nil) == nil })

	client := func(path string) admissionv1.WebhookClientConfig {
		return admissionv1.WebhookClientConfig{URL: ptr.To(fmt.Sprintf("https://127.0.0.1:%d%s", port, path)), CABundle: certificate}
	}
	rules := []admissionv1.RuleWithOperations{{
		Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
		Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
	}}
	inside := &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": r.name}}
	none := ptr.To(admissionv1.SideEffectClassNone)
	_, err = r.client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(r, &admissionv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: r.name},
		Webhooks: []admissionv1.MutatingWebhook{{
			Name: "color.clients.example.com", ClientConfig: client("/mutate"), Rules: rules, NamespaceSelector: inside,
			SideEffects: none, AdmissionReviewVersions: []string{"v1"},
		}},
	}, metav1.CreateOptions{})
	r.succeeds("the mutating webhook is registered", err)
	_, err = r.client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(r, &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: r.name},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "red.clients.example.com", ClientConfig: client("/validate"), Rules: rules, NamespaceSelector: inside,
			SideEffects: none, AdmissionReviewVersions: []string{"v1"},
		}},
	}, metav1.CreateOptions{})
	r.succeeds("the validating webhook is registered", err)

	maps := r.client.CoreV1().ConfigMaps(r.name)
	created, err := maps.Create(r, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "plain"}}, metav1.CreateOptions{})
	r.succeeds("a config map is created", err)
	r.check("the webhook has added a color", created.Data["color"] == "blue", created.Data)
	red := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "red"}, Data: map[string]string{"color": "red"}}
	_, err = maps.Create(r, red, metav1.CreateOptions{})
	r.check("the webhook refuses red", apierrors.IsForbidden(err) && strings.Contains(err.Error(), `admission webhook "red.clients.example.com" denied the request: no red`), err)
	cancel()
	r.succeeds("the webhook server ends", <-ended)
	_, err = maps.Create(r, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "late"}}, metav1.CreateOptions{})
	r.check("without the webhook server, nothing is created", apierrors.IsInternalError(err), err)
}

// addColor gives config maps without a color one.
func addColor(_ context.Context, request admission.Request) admission.Response {
	object := corev1.ConfigMap{}
	if err := json.Unmarshal(request.Object.Raw, &object); err != nil {
		return admission.Errored(400, err)
	}
	if object.Data["color"] != "" {
		return admission.Allowed("")
	}
	if object.Data == nil {
		object.Data = map[string]string{}
	}
	object.Data["color"] = "blue"
	changed, err := json.Marshal(object)
	if err != nil {
		return admission.Errored(500, err)
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}

func refuseRed(_ context.Context, request admission.Request) admission.Response {
	object := corev1.ConfigMap{}
	if err := json.Unmarshal(request.Object.Raw, &object); err != nil {
		return admission.Errored(400, err)
	}
	if object.Data["color"] == "red" {
		return admission.Denied("no red")
	}
	return admission.Allowed("").WithWarnings("looked at " + object.Name)
}

func freePort(r *run) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	r.succeeds("a port is free", err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
