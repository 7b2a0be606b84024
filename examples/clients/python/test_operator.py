import time

import pytest
from kopf.testing import KopfRunner
from kubernetes.client import CoreV1Api
from kubernetes.dynamic.exceptions import ConflictError


def config_map(name, color, **labels):
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"color": color}}


def test_a_second_applier_gets_a_conflict(dynamic, namespace):
    config_maps = dynamic.resources.get(api_version="v1", kind="ConfigMap")
    config_maps.server_side_apply(config_map("settings", "blue"), namespace=namespace, field_manager="gitops")
    with pytest.raises(ConflictError) as refused:
        config_maps.server_side_apply(config_map("settings", "red"), namespace=namespace, field_manager="operator")
    assert 'conflict with \\"gitops\\": .data.color' in refused.value.body


# The rules of faults.yaml let the first applies in the namespace faulty fail.
@pytest.mark.parametrize("namespace", ["calm", "faulty"], indirect=True)
def test_the_operator_copies_a_config_map(kubeconfig, namespace, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", kubeconfig)
    core = CoreV1Api()
    with KopfRunner(["run", "-n", namespace, "--standalone", "copier.py"]) as runner:
        core.create_namespaced_config_map(namespace, config_map("settings", "blue", copy="yes"))
        copy = wait_for(lambda: named(core, namespace, "settings-copy"))
    assert runner.exception is None
    assert copy.data == {"color": "blue"}
    assert [owner.manager for owner in copy.metadata.managed_fields] == ["copier"]


def named(core, namespace, name):
    return next((each for each in core.list_namespaced_config_map(namespace).items if each.metadata.name == name), None)


def wait_for(get, seconds=20):
    end = time.monotonic() + seconds
    while (found := get()) is None:
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)
    return found
