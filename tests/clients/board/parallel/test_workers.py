"""Eight workers against one server: no session sees anything of another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from conversations import COUNT, LOSSY_EVERY

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[3]
WORKERS = 8


@pytest.fixture
def server() -> Iterator[str]:
    """The base URL of a running `holdover serve`."""
    binary = os.environ.get("HOLDOVER_BIN", str(ROOT / "target" / "release" / "holdover"))
    command = [binary, "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield line.strip().partition("OPENAI_BASE_URL=")[2].removesuffix("/v1")
        process.terminate()


def call(method: str, url: str) -> bytes:
    """One of the server's own routes."""
    with urllib.request.urlopen(urllib.request.Request(url, method=method)) as answer:
        return answer.read()


def test_eight_workers_mix_nothing(server: str) -> None:
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(WORKERS), "conversations.py"]
    done = subprocess.run(
        run, cwd=FOLDER, env=dict(os.environ, BOARD_SERVER=server), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert f"{COUNT} passed" in done.stdout

    sessions = json.loads(call("GET", f"{server}/_holdover/sessions"))["open"]
    assert len(sessions) == COUNT
    owner: dict[str, str] = {}
    for number in range(COUNT):
        name = f"test_conversation.{number}"
        lines = call("GET", f"{server}/_holdover/recording?session={name}").decode().splitlines()[1:]
        exchanges = [json.loads(line) for line in lines]
        assert len(exchanges) == 3, name
        for exchange in exchanges:
            said = [item["content"] for item in exchange["request"]["body"]["input"] if item.get("role") == "user"]
            assert all(text.startswith(f"{name}, turn ") for text in said), name
            for item in exchange["response"]["body"]["output"]:
                assert owner.setdefault(item["id"], name) == name, "two sessions got the same id"
        verdict = json.loads(call("POST", f"{server}/_holdover/sessions/{name}/finish"))
        rules = {finding["rule"] for finding in verdict["findings"] if finding["severity"] != "note"}
        assert rules == ({"text-only-rebuild"} if number % LOSSY_EVERY == 0 else set()), name
