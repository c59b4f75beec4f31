"""The image of the Dockerfile, built by buildah and started with the command it names."""

from __future__ import annotations

import json
import secrets
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from openai import OpenAI

ROOT = Path(__file__).parents[3]
BASE = "http://127.0.0.1:8790"
# One of this run: a server that another run left behind does not know it.
TOKEN = secrets.token_hex(16)


def buildah(*arguments: str) -> str:
    """Without a daemon, without layers of the kernel, and without a name space that a container may not make."""
    command = ["buildah", "--storage-driver", "vfs", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def image():
    buildah("build", "--isolation", "chroot", "--tag", "holdover-check", ".")
    yield "holdover-check"
    buildah("rmi", "--force", "holdover-check")


@pytest.fixture(scope="module")
def settings(image) -> dict:
    return json.loads(buildah("inspect", "--type", "image", image))["OCIv1"]["config"]


@pytest.fixture(scope="module")
def container(image, settings):
    if status("/_holdover/health") is not None:
        pytest.fail("something answers on port 8790 already")
    name = buildah("from", image)
    try:
        with started(name, settings):
            yield
    finally:
        buildah("rm", name)


@contextmanager
def started(name: str, settings: dict) -> Iterator[None]:
    """The command of the image, running and answering."""
    command = settings["Entrypoint"] + settings["Cmd"]
    run = ["buildah", "--storage-driver", "vfs", "run", "--isolation", "chroot", "--env", f"HOLDOVER_TOKEN={TOKEN}"]
    server = subprocess.Popen([*run, name, "--", *command], cwd=ROOT)
    try:
        for _ in range(100):
            if server.poll() is not None:
                pytest.fail(f"the image ended with {server.returncode}")
            if status("/_holdover/health") == 200:
                break
            time.sleep(0.1)
        else:
            pytest.fail("the image does not answer on port 8790 within 10 s")
        # What answered is what was started only if that still runs.
        time.sleep(0.2)
        if server.poll() is not None:
            pytest.fail(f"something else answers on port 8790: the image ended with {server.returncode}")
        yield
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(10)


def status(path: str, **headers: str) -> int | None:
    try:
        return urllib.request.urlopen(urllib.request.Request(BASE + path, headers=headers), timeout=5).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def test_it_holds_the_program_and_nothing_runs_as_root(settings):
    assert settings["Entrypoint"] == ["/holdover"]
    assert settings["Cmd"] == ["serve", "--listen", "0.0.0.0:8790", "--closed"]
    assert settings["User"] == "65534:65534"
    assert list(settings["ExposedPorts"]) in (["8790"], ["8790/tcp"])


def test_the_api_is_open_and_our_own_routes_want_the_token(container):
    answer = OpenAI(base_url=f"{BASE}/v1", api_key="sk-holdover-image").responses.create(model="gpt-5.6", input="Hello")
    assert answer.status == "completed"
    assert status("/_holdover/sessions") == 401
    assert status("/_holdover/sessions", Authorization=f"Bearer {TOKEN}") == 200
