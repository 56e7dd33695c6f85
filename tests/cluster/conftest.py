"""A cluster of two nodes on this machine, as long as tests of this folder run: idle, it takes a tenth of a core."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="package")
def nodes() -> Iterator[Any]:
    """Two nodes with one core each; the second one has an engine."""
    pytest.importorskip("ray", reason="clusters are Ray's: pip install 'plyground[ray]'")
    from ray.cluster_utils import Cluster

    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), *([before] if before else [])])
    os.environ |= {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "disabled",
        "RAY_worker_niceness": "0",  # or others make them wait for minutes
    }
    less = {"include_dashboard": False, "include_log_monitor": False}
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **less})
    found.add_node(num_cpus=1, resources={"engine": 1}, **less)
    try:
        yield found
    finally:
        found.shutdown()
        os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)
