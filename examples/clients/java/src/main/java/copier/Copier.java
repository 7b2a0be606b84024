package copier;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;

/** An operator: each ConfigMap with the label "copy" gets a copy. */
@ControllerConfiguration(informer = @Informer(labelSelector = "copy"))
public class Copier implements Reconciler<ConfigMap> {
  @Override
  public UpdateControl<ConfigMap> reconcile(ConfigMap source, Context<ConfigMap> context) {
    var copy = new ConfigMapBuilder()
        .withNewMetadata()
        .withName(source.getMetadata().getName() + "-copy")
        .withNamespace(source.getMetadata().getNamespace())
        .endMetadata()
        .withData(source.getData())
        .build();
    context.getClient().resource(copy).fieldManager("copier").serverSideApply();
    return UpdateControl.noUpdate();
  }
}
