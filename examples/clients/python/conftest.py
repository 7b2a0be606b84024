"""Fixtures: one server for the session, and a clean namespace for each test."""

import os
import re
import subprocess
import uuid

import kubernetes
import pytest

SERVE = os.environ.get("SMD", "npx --yes --package structured-merge-diff smd").split() + ["serve"]


@pytest.fixture(scope="session")
def kubeconfig():
    """Starts the server, and yields the path of a kubeconfig. In `smd serve -- pytest` it is that of the server around pytest."""
    if "KUBECONFIG" in os.environ and "SMD" not in os.environ:
        yield os.environ["KUBECONFIG"]
        return
    with subprocess.Popen(SERVE, stdout=subprocess.PIPE, text=True) as server:
        for line in server.stdout:
            if found := re.search(r"export KUBECONFIG=(\S+)", line):
                yield found[1]
                break
        server.terminate()


@pytest.fixture
def namespace(kubeconfig):
    """Yields the name of a new namespace, and deletes it with its objects."""
    kubernetes.config.load_kube_config(kubeconfig)
    core = kubernetes.client.CoreV1Api()
    name = f"test-{uuid.uuid4().hex[:8]}"
    core.create_namespace({"metadata": {"name": name}})
    yield name
    core.delete_namespace(name)


@pytest.fixture
def dynamic(namespace):
    return kubernetes.dynamic.DynamicClient(kubernetes.client.ApiClient())
