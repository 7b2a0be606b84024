package copier;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.File;
import java.io.IOException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Passes a client of the test API server to tests. All tests share one server. */
class ApiServer implements ParameterResolver {
  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == KubernetesClient.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    var store = context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL);
    return store.getOrComputeIfAbsent(Server.class).client;
  }

  /** JUnit closes it after all tests. The server ends with its input, so it ends even if the tests are killed. */
  static class Server implements AutoCloseable {
    final Process process;
    final KubernetesClient client;

    Server() throws IOException {
      process = new ProcessBuilder("smd", "serve", "--faults", "faults.yaml", "--", "sh", "-c", "echo $KUBECONFIG; cat")
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
      var kubeconfig = process.inputReader().readLine();
      if (kubeconfig == null) throw new IOException("the server did not start");
      client = new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(new File(kubeconfig))).build();
    }

    @Override
    public void close() throws IOException {
      client.close();
      process.outputWriter().close();
    }
  }
}
