"""A cluster of two nodes on this machine, as long as tests of this folder run: idle, it takes a tenth of a core."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

FAKE = Path(__file__).parents[1] / "games" / "k_in_row" / "gomocup" / "fake_engine.py"
ENGINE = "engine-of-one-node"
PATIENCE = 120.0  # seconds in which the cluster misses a node


@pytest.fixture
def nodes(started: Any) -> Iterator[Any]:
    """The cluster, of which every test sees the same nodes."""
    yield started
    started.wait_for_nodes(PATIENCE)  # one that has been killed is missed after a while


@pytest.fixture(scope="package")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two nodes with one core each; the second one has an engine, a program of a name that nobody else knows."""
    ray = pytest.importorskip("ray", reason="clusters are Ray's: pip install 'plyground[ray]'")
    from ray.cluster_utils import Cluster

    ours = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    told = {
        "PYTHONPATH": os.pathsep.join(ours),
        "PYTHONDONTWRITEBYTECODE": "",  # or each of a hundred processes compiles all of Ray once more
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "disabled",
        "RAY_worker_niceness": "0",  # or others make them wait for minutes
        "RAY_enable_worker_prestart": "0",  # nor does any process begin that nobody asks for
        "RAY_prestart_worker_first_driver": "0",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in told.items():
            patch.setenv(name, value)
        less = {"include_dashboard": False, "include_log_monitor": False}
        found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **less})
        folder = found.head_node.get_session_dir_path()
        try:
            programs = tmp_path_factory.mktemp("programs")
            (programs / ENGINE).write_text(f"#!/bin/sh\nexec {sys.executable} {FAKE}\n")
            (programs / ENGINE).chmod(0o755)
            with pytest.MonkeyPatch.context() as there:
                there.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
                found.add_node(num_cpus=1, resources={"engine": 1}, **less)
            yield found
        finally:
            ray.shutdown()  # whoever is left connected would end with it, and all tests with them
            found.shutdown()
            rmtree(folder, ignore_errors=True)
