"""An operator of kopf: each ConfigMap with the label `copy` gets a copy."""

import kopf
import kubernetes


@kopf.on.login()
def login(**kwargs):
    """The client for Python reads KUBECONFIG only when it is imported, which may be before the server starts."""
    return kopf.login_with_kubeconfig(**kwargs)


@kopf.on.create("", "v1", "configmaps", labels={"copy": kopf.PRESENT}, backoff=0.1)
def copy(name, namespace, body, **_):
    dynamic = kubernetes.dynamic.DynamicClient(kubernetes.client.ApiClient())
    copied = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"{name}-copy", "namespace": namespace},
        "data": dict(body.get("data", {})),
    }
    config_maps = dynamic.resources.get(api_version="v1", kind="ConfigMap")
    config_maps.server_side_apply(copied, namespace=namespace, field_manager="copier")
