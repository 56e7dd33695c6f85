"""The page, started from Python."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
import urllib.request
from urllib.error import URLError

import pytest

import plyground as pg
from plyground.api.page import _open

SERVES = """
import os, sys
import plyground as pg
print(pg.serve(warmup=False).address, flush=True)
sys.stdin.readline()
os.kill(os.getpid(), int(sys.argv[1]))
"""


def there(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}api/games", timeout=300) as answer:
            return bool(answer.status == 200)
    except (URLError, ConnectionError):
        return False


def until_gone(address: str) -> None:
    end = time.monotonic() + 300
    while there(address):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_page_that_nobody_keeps_is_served_until_it_is_closed() -> None:
    address = pg.serve(warmup=False).address
    gc.collect()
    assert there(address)
    (page,) = (page for page in _open if page.address == address)
    page.close()
    assert not there(address) and repr(page) == "a page that has ended"
    page.close()  # again


@pytest.mark.skipif(os.name != "posix", reason="a process there cannot be killed by a signal")
@pytest.mark.parametrize("signal", [9, 15])
def test_a_page_ends_with_its_process_however_that_ends(signal: int) -> None:
    words = [sys.executable, "-c", SERVES, str(signal)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as ran:
        assert ran.stdin and ran.stdout
        address = ran.stdout.readline().strip()
        assert there(address)
        ran.stdin.write("\n")
        ran.stdin.close()
        assert ran.wait(300) == -signal
    until_gone(address)


@pytest.mark.skipif(os.name != "posix", reason="groups of processes")
def test_ctrl_c_that_is_meant_for_this_process_does_not_reach_the_page() -> None:
    with pg.serve(warmup=False) as page:
        process = page._program.process
        assert os.getpgid(process.pid) != os.getpgid(0)
