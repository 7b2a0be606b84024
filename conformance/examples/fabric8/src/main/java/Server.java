import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/** Runs the mock server of the fabric8 Kubernetes client in its CRUD mode, on the port of the first argument. */
public class Server {
  public static void main(String[] arguments) throws Exception {
    Map<ServerRequest, Queue<ServerResponse>> responses = new HashMap<>();
    KubernetesMixedDispatcher dispatcher = new KubernetesMixedDispatcher(responses);
    KubernetesMockServer server =
        new KubernetesMockServer(new Context(), new MockWebServer(), responses, dispatcher, false);
    server.init(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
    System.out.println("listening at port " + server.getPort());
    Thread.currentThread().join();
  }
}
