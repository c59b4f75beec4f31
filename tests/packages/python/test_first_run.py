"""The first minute of a Python user: an agent of three lines, `holdover test -- pytest`, a verdict, the fix, green.

Runs in the environment that holds the wheel; the binary is the wheel's own script.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

# How long a user waits for the first verdict.
LIMIT_S = 60
WRONG = '    history.append({"role": "assistant", "content": answer.output_text})'
RIGHT = "    history.extend(answer.output)"
AGENT = """from openai import OpenAI

def turn(history, question):
    history.append({"role": "user", "content": question})
    answer = OpenAI().responses.create(model="gpt-5.6", input=history, store=False, include=["reasoning.encrypted_content"])
LINE
"""
TESTS = """from agent import turn

def test_two_turns():
    history = []
    turn(history, "Plan the migration.")
    turn(history, "And the rollback?")
"""


def holdover(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The wheel's own script, as a shell would find it, with this environment's pytest on the PATH."""
    scripts = Path(sysconfig.get_path("scripts"))
    command = [str(scripts / "holdover"), *arguments]
    environment = {"PATH": f"{scripts}:/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )


@pytest.fixture
def project(tmp_path):
    """A folder with the agent and its test."""
    (tmp_path / "agent.py").write_text(AGENT.replace("LINE", WRONG), encoding="utf-8")
    (tmp_path / "test_agent.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


def test_the_first_verdict_names_the_line_and_its_fix_is_green(project):
    begun = time.monotonic()
    first = holdover(project, "test", "--", "pytest", "-q")
    assert time.monotonic() - begun < LIMIT_S
    assert first.returncode == 4, first.stdout + first.stderr
    # The test fails, and its message names the line to change.
    assert "FAILED test_agent.py::test_two_turns" in first.stdout
    assert "test_agent.py:3: error[text-only-rebuild]" in first.stdout
    number = 1 + AGENT.splitlines().index("LINE")
    assert f"look at agent.py:{number}: {WRONG.strip()}" in first.stdout
    # So does Holdover itself, for those who have no plugin.
    assert f"agent.py:{number}:" in first.stdout.split("look at, by the form of the code:")[1]

    agent = (project / "agent.py").read_text(encoding="utf-8").splitlines()
    agent[number - 1] = RIGHT
    (project / "agent.py").write_text("\n".join(agent) + "\n", encoding="utf-8")
    second = holdover(project, "test", "--", "pytest", "-q")
    assert second.returncode == 0, second.stdout + second.stderr
    assert "1 passed" in second.stdout
    assert "verdict: clean" in second.stdout


def test_without_the_plugin_the_verdict_names_the_line_too(project):
    done = holdover(project, "test", "--", "pytest", "-q", "-p", "no:holdover")
    assert done.returncode == 4, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "agent.py:6:" in done.stdout.split("look at, by the form of the code:")[1]


def test_the_module_is_the_binary_too(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "holdover", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("holdover ")
