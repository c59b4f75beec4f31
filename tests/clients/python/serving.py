"""`holdover serve` for tests that speak to it themselves, and its own routes."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Served:
    """A server that runs."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.root = base_url.removesuffix("/v1")

    def session(self, name: str, **setup: Any) -> str:
        """Opens a session, and gives its base URL."""
        return self._own("PUT", f"sessions/{name}", setup)["base_url"]

    def finish(self, name: str) -> dict[str, Any]:
        """The verdict about a session."""
        return self._own("POST", f"sessions/{name}/finish", {})

    def recording(self, name: str) -> list[dict[str, Any]]:
        """The exchanges of a session."""
        with urllib.request.urlopen(f"{self.root}/_holdover/recording?session={name}", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return [json.loads(line) for line in lines[1:]]

    def _own(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.root}/_holdover/{path}",
            data=json.dumps(body).encode(),
            headers={"content-type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


@contextlib.contextmanager
def serve(binary: Path, *options: str) -> Iterator[Served]:
    """Starts a server on a free port and stops it."""
    line = [str(binary), "serve", "--listen", "127.0.0.1:0", *options]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        found = re.search(r"http://\S+/v1", first)
        assert found, f"no base URL in {first!r}"
        yield Served(found.group())
    finally:
        process.terminate()
        process.wait(timeout=60)
