import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.api.config.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.SSABasedGenericKubernetesResourceMatcher;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Answers the level "matches" with the matcher of java-operator-sdk: does the object differ from the desired state? */
public class Adapter {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final KubernetesClient CLIENT = new KubernetesClientBuilder().build();

  public static void main(String[] args) throws Exception {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // logs
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      JsonNode request = JSON.readTree(line);
      ObjectNode answer = JSON.createObjectNode();
      answer.set("id", request.get("id"));
      if (!request.path("op").asText().equals("wouldChange")) answer.put("unsupported", true);
      else try {
        answer.put("differs", !matches(request));
      } catch (RuntimeException | StackOverflowError thrown) {
        answer.put("error", String.valueOf(thrown));
      }
      answers.println(answer);
    }
  }

  private static boolean matches(JsonNode request) {
    HasMetadata live = read(request.get("live"));
    HasMetadata desired = read(request.get("object"));
    return SSABasedGenericKubernetesResourceMatcher.<HasMetadata>getInstance()
        .matches(live, desired, contextOf(request.get("manager").asText()));
  }

  private static HasMetadata read(JsonNode object) {
    return CLIENT.getKubernetesSerialization().unmarshal(object.toString());
  }

  /** The parts of a reconciliation that the matcher asks for: the name of the manager, and the client. */
  private static Context<?> contextOf(String manager) {
    Object controller = stub(ControllerConfiguration.class, Map.of("fieldManager", manager));
    return (Context<?>) stub(Context.class, Map.of("getControllerConfiguration", controller, "getClient", CLIENT));
  }

  private static Object stub(Class<?> type, Map<String, Object> results) {
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
      if (results.containsKey(method.getName())) return results.get(method.getName());
      throw new UnsupportedOperationException(method.toString());
    });
  }
}
