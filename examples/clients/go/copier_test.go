package copier

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var config *rest.Config

func TestMain(m *testing.M) {
	os.Exit(withServer(m.Run))
}

// withServer runs a server for the tests. It ends with its input, so it ends even if the tests are killed.
func withServer(run func() int) int {
	server := exec.Command("smd", "serve", "--faults", "faults.yaml", "--", "sh", "-c", "echo $KUBECONFIG; cat")
	server.Stderr = os.Stderr
	input, _ := server.StdinPipe()
	output, _ := server.StdoutPipe()
	must(server.Start())
	defer server.Wait()
	defer input.Close()
	kubeconfig, err := bufio.NewReader(output).ReadString('\n')
	must(err)
	config, err = clientcmd.BuildConfigFromFlags("", strings.TrimSpace(kubeconfig))
	must(err)
	existing := true
	environment := envtest.Environment{UseExistingCluster: &existing, Config: config} // with the definitions in CRDDirectoryPaths
	_, err = environment.Start()
	must(err)
	return run()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func TestASecondApplierGetsAConflict(t *testing.T) {
	configMaps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
	apply := func(color, manager string) error {
		settings := coreac.ConfigMap("settings", "default").WithData(map[string]string{"color": color})
		_, err := configMaps.Apply(t.Context(), settings, metav1.ApplyOptions{FieldManager: manager})
		return err
	}
	must(apply("blue", "gitops"))
	err := apply("red", "operator")
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "gitops": .data.color`) {
		t.Errorf("expected a conflict with gitops, got %v", err)
	}
}

func TestTheOperatorCopiesAConfigMap(t *testing.T) {
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	must(err)
	must((&Copier{manager.GetClient()}).SetupWithManager(manager))
	go func() { must(manager.Start(t.Context())) }()
	// The rules of faults.yaml let the first applies in the namespace faulty fail.
	for _, namespace := range []string{"calm", "faulty"} {
		t.Run(namespace, func(t *testing.T) {
			client := kubernetes.NewForConfigOrDie(config).CoreV1()
			_, err := client.Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
			must(err)
			settings := &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: "settings", Labels: map[string]string{"copy": "yes"}},
				Data:       map[string]string{"color": "blue"},
			}
			_, err = client.ConfigMaps(namespace).Create(t.Context(), settings, metav1.CreateOptions{})
			must(err)
			var copied *corev1.ConfigMap
			must(wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 10*time.Second, true, func(ctx context.Context) (bool, error) {
				copied, err = client.ConfigMaps(namespace).Get(ctx, "settings-copy", metav1.GetOptions{})
				return err == nil, nil
			}))
			owners := copied.ManagedFields
			if len(owners) != 1 || owners[0].Manager != "copier" || !strings.Contains(owners[0].FieldsV1.String(), `"f:color"`) {
				t.Errorf("expected the copier to own the color alone, got %v", owners)
			}
		})
	}
}
