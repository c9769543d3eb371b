"""No network, ever: the whole demo runs with sockets that refuse, and nothing even tries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BLOCKED = """
import socket, sys
def refuse(*_args, **_kwargs):
    open("tried", "a").write("x")
    raise OSError("no network in this test")
for name in ("connect", "connect_ex", "sendto"):
    setattr(socket.socket, name, refuse)
for name in ("getaddrinfo", "create_connection", "gethostbyname"):
    setattr(socket, name, refuse)
{work}
"""
DEMO = "from anonym.cli import main\nsys.argv = ['anonym', 'demo', '--rows', '500', '--quiet']\nmain()"
CALL = "import urllib.request\nurllib.request.urlopen('http://192.0.2.1/')"


def _run(work: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = BLOCKED.format(work=work)
    return subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)


def test_the_demo_never_opens_a_connection(tmp_path: Path) -> None:
    done = _run(DEMO, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "tried").exists()
    assert (tmp_path / "anonym-demo" / "release" / "tickets.parquet").exists()


def test_the_block_would_notice_a_connection(tmp_path: Path) -> None:
    assert _run(CALL, tmp_path).returncode != 0
    assert (tmp_path / "tried").exists()
