"""The `holdover` binary, and one server that all workers of a test run share.

The server's address travels in HOLDOVER_BASE_URL: `holdover test` sets it, and so does whoever starts a server here,
before it starts its workers.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

# What clients read; `holdover test` sets the same.
OUTSIDE = ("OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT_ID", "OPENAI_PROJECT")
LOOPBACK = "127.0.0.1,localhost,::1"
# The fake answers in milliseconds; only a server that is gone takes this long.
LIMIT_S = 60
# A proxy must never see loopback traffic, whatever HTTP_PROXY says.
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def binary() -> str:
    """The binary: HOLDOVER_BIN, the one of this wheel, else the one on the PATH."""
    name = "holdover.exe" if os.name == "nt" else "holdover"
    beside = [Path(sysconfig.get_path("scripts")) / name, Path(sys.executable).parent / name]
    named = os.environ.get("HOLDOVER_BIN")
    found = named or next((str(path) for path in beside if path.is_file()), None) or shutil.which("holdover")
    if not found:
        raise FileNotFoundError("no `holdover` binary: install the wheel again, or set HOLDOVER_BIN")
    return found


class Server:
    """A server that this process started, with folders for what its clients let out."""

    def __init__(self, *arguments: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="holdover-")
        folder = Path(self._folder.name)
        (folder / "exports").mkdir()
        command = [binary(), "serve", "--listen", "127.0.0.1:0", *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        start = line.find("http://")
        if start < 0:
            self.stop()
            raise RuntimeError(f"`holdover serve` did not start; it printed {line!r}")
        self.base_url = line[start:].split()[0].removesuffix("/v1")
        self._environment = {
            "HOLDOVER_BASE_URL": self.base_url,
            "HOLDOVER_EXPORT_DIR": str(folder / "exports"),
            "HOLDOVER_AUDIT_FILE": str(folder / "audit.jsonl"),
        }
        os.environ.update(self._environment)

    def stop(self) -> None:
        """Ends the server; what it still held is gone."""
        self._process.terminate()
        self._process.wait(timeout=LIMIT_S)
        if self._process.stdout is not None:
            self._process.stdout.close()
        for name in getattr(self, "_environment", {}):
            os.environ.pop(name, None)
        self._folder.cleanup()


@functools.cache
def places() -> list[dict[str, Any]]:
    """Lines of this folder whose form loses or leaks reasoning (`holdover scan`); they say where to look first."""
    try:
        done = subprocess.run([binary(), "scan", "--format", "json"], capture_output=True, timeout=LIMIT_S, check=False)
        return json.loads(done.stdout)["places"]
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return []


def call(method: str, path: str, body: Any = None) -> Any:
    """A call of one of Holdover's own routes; None when it answers that there is nothing of this name."""
    base = os.environ["HOLDOVER_BASE_URL"]
    data = None if body is None else json.dumps(body).encode("utf-8")
    headers = {"content-type": "application/json"}
    token = os.environ.get("HOLDOVER_TOKEN")
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(f"{base}/_holdover/{path}", data, headers, method=method)
    try:
        with _DIRECT.open(request, timeout=LIMIT_S) as response:
            text = response.read()
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise ValueError(f"holdover refused {method} {path}: {error.read().decode('utf-8', 'replace')}") from None
    return json.loads(text) if text else None
