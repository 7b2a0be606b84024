"""What programs in Python do with a cluster: the official client, and an operator of kopf. Run by python-clients.slow.test.ts.

    session.py KUBECONFIG

Prints what it has checked, and exits with 1 if something is not as it should be.
"""

import asyncio
import sys
import threading
import time

import kopf
import kubernetes
from kubernetes.client.exceptions import ApiException

GROUP, VERSION, PLURAL = "python.example.org", "v1", "shops"
NAMESPACE = "default"


def check(what, is_so, found=None):
    if not is_so:
        sys.exit(f"FAILED: {what}; found {found}")
    print(what, flush=True)


def client_session():
    core = kubernetes.client.CoreV1Api()
    config_map = {"metadata": {"name": "python"}, "data": {"color": "blue"}}
    created = core.create_namespaced_config_map(NAMESPACE, config_map)
    check("a config map is created", created.data == {"color": "blue"}, created.data)
    patched = core.patch_namespaced_config_map("python", NAMESPACE, {"data": {"size": "1"}})
    check("a config map is patched", patched.data == {"color": "blue", "size": "1"}, patched.data)
    try:
        core.create_namespaced_config_map(NAMESPACE, config_map)
        check("a second one is refused", False)
    except ApiException as error:
        check("a second one is refused", error.status == 409 and "AlreadyExists" in error.body, error.body)
    listed = core.list_namespaced_config_map(NAMESPACE, label_selector="none=here")
    check("a selector selects nothing", listed.items == [], listed.items)
    dynamic = kubernetes.dynamic.DynamicClient(kubernetes.client.ApiClient())
    deployments = dynamic.resources.get(api_version="apps/v1", kind="Deployment")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template},
    }
    applied = deployments.server_side_apply(deployment, name="web", namespace=NAMESPACE, field_manager="python")
    owners = [entry.manager for entry in applied.metadata.managedFields]
    check("a deployment is applied", applied.spec.replicas == 1 and owners == ["python"], owners)
    seen = []
    watch = kubernetes.watch.Watch()
    for event in watch.stream(core.list_namespaced_config_map, NAMESPACE, timeout_seconds=20):
        seen.append((event["type"], event["object"].metadata.name))
        if ("ADDED", "python") in seen:
            watch.stop()
    check("a watch begins with the config map", ("ADDED", "python") in seen, seen)
    core.delete_namespaced_config_map("python", NAMESPACE)


def define_shops():
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    names = {"plural": PLURAL, "singular": "shop", "kind": "Shop"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    kubernetes.client.ApiextensionsV1Api().create_custom_resource_definition(definition)


def operator_session():
    handled = []

    @kopf.on.create(GROUP, VERSION, PLURAL, id="created")
    def created(spec, **_):
        handled.append(("create", spec.get("color")))
        return {"color": spec.get("color")}

    @kopf.on.update(GROUP, VERSION, PLURAL, field="spec.color")
    def changed(old, new, **_):
        handled.append(("update", old, new))

    @kopf.on.delete(GROUP, VERSION, PLURAL)
    def deleted(**_):
        handled.append(("delete",))

    stop = threading.Event()
    ready = threading.Event()

    @kopf.on.login()
    def login(**kwargs):
        return kopf.login_with_kubeconfig(**kwargs)

    def serve():
        run = kopf.operator(namespaces=[NAMESPACE], stop_flag=stop, ready_flag=ready, standalone=True)
        asyncio.run(run)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    check("the operator starts", ready.wait(60))
    shops = kubernetes.client.CustomObjectsApi()
    shop = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Shop", "metadata": {"name": "s"}, "spec": {"color": "red"}}
    at = (GROUP, VERSION, NAMESPACE, PLURAL)
    shops.create_namespaced_custom_object(*at, shop)
    until("the operator has seen the shop", lambda: ("create", "red") in handled, handled)

    def live():
        return shops.get_namespaced_custom_object(*at, "s")

    until("its result is in the status", lambda: live().get("status", {}).get("created") == {"color": "red"}, handled)
    finalizers = live()["metadata"].get("finalizers")
    check("it holds the shop by a finalizer", finalizers == ["kopf.zalando.org/KopfFinalizerMarker"], finalizers)
    shops.patch_namespaced_custom_object(*at, "s", {"spec": {"color": "green"}})
    until("the operator has seen the change", lambda: ("update", "red", "green") in handled, handled)
    shops.delete_namespaced_custom_object(*at, "s")

    def is_gone():
        try:
            live()
            return False
        except ApiException as error:
            return error.status == 404

    until("the shop is gone once the operator lets it go", lambda: ("delete",) in handled and is_gone(), handled)
    stop.set()
    thread.join(30)
    check("the operator ends", not thread.is_alive())


def until(what, is_so, found):
    for _ in range(300):
        if is_so():
            break
        time.sleep(0.1)
    check(what, is_so(), found)


kubernetes.config.load_kube_config(sys.argv[1])
client_session()
define_shops()
operator_session()
print("passed")
