package copier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.Operator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(ApiServer.class)
class CopierTest {
  @Test
  void aSecondApplierGetsAConflict(KubernetesClient client) {
    client.resource(settings("default", "blue")).fieldManager("gitops").serverSideApply();
    var refused = assertThrows(
        KubernetesClientException.class,
        () -> client.resource(settings("default", "red")).fieldManager("operator").serverSideApply());
    assertEquals(409, refused.getCode());
    assertTrue(refused.getMessage().contains("conflict with \"gitops\": .data.color"));
  }

  /** The rules of faults.yaml let the first applies in the namespace faulty fail. */
  @ParameterizedTest
  @ValueSource(strings = {"calm", "faulty"})
  void theOperatorCopiesAConfigMap(String namespace, KubernetesClient client) {
    client.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build()).create();
    var operator = new Operator(overrider -> overrider.withKubernetesClient(client).withCloseClientOnStop(false));
    operator.register(new Copier(), overrider -> overrider.settingNamespace(namespace));
    operator.start();
    client.resource(settings(namespace, "blue")).create();
    var copies = client.configMaps().inNamespace(namespace).withName("settings-copy");
    var copy = copies.waitUntilCondition(Objects::nonNull, 10, TimeUnit.SECONDS);
    operator.stop();
    assertEquals(Map.of("color", "blue"), copy.getData());
    var owners = copy.getMetadata().getManagedFields();
    assertEquals("copier", owners.get(0).getManager());
    assertEquals(1, owners.size());
  }

  private static ConfigMap settings(String namespace, String color) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName("settings")
        .withNamespace(namespace)
        .addToLabels("copy", "yes")
        .endMetadata()
        .addToData("color", color)
        .build();
  }
}
