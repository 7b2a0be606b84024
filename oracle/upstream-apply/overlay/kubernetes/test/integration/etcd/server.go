package etcd

import (
	"context"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CreateTestCRDs creates definitions of custom resources. The test API server serves them when it answers.
func CreateTestCRDs(t *testing.T, client clientset.Interface, _ bool, crds ...*apiextensionsv1.CustomResourceDefinition) {
	for _, crd := range crds {
		if _, err := client.ApiextensionsV1().CustomResourceDefinitions().Create(context.TODO(), crd, metav1.CreateOptions{}); err != nil {
			t.Fatalf("%s is not created: %v", crd.Name, err)
		}
	}
}
