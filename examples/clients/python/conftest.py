"""Fixtures: one server for the session, and a clean namespace for each test."""

import subprocess
import uuid

import kubernetes
import pytest


@pytest.fixture(scope="session")
def kubeconfig():
    """Yields the path of a kubeconfig for a server. It ends with its input, so it ends even if pytest is killed."""
    command = ["smd", "serve", "--faults", "faults.yaml", "--", "sh", "-c", "echo $KUBECONFIG; cat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().strip()


@pytest.fixture
def namespace(kubeconfig, request):
    """Yields the name of a new namespace, which a test may choose, and deletes it with its objects."""
    kubernetes.config.load_kube_config(kubeconfig)
    core = kubernetes.client.CoreV1Api()
    name = getattr(request, "param", f"test-{uuid.uuid4().hex[:8]}")
    core.create_namespace({"metadata": {"name": name}})
    yield name
    core.delete_namespace(name)


@pytest.fixture
def dynamic(namespace):
    return kubernetes.dynamic.DynamicClient(kubernetes.client.ApiClient())
