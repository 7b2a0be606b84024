module conformance/argocd

go 1.26.1

require (
	github.com/argoproj/argo-cd/gitops-engine v0.0.0-20260914071520-c9c369efcc5b
	github.com/go-logr/logr v1.4.3
	github.com/google/gnostic-models v0.7.0
	k8s.io/apimachinery v0.36.1
	k8s.io/kube-openapi v0.0.0-20260317180543-43fb72c5454a
)
