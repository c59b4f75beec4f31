"""The steps of the composite action, run here as GitHub runs them: bash with its flags, inputs as variables."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from test_reports import AGENT, TESTS, WRONG

ROOT = Path(__file__).parents[3]
ACTION = ROOT / "action.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"


def steps() -> list[tuple[dict[str, str], str]]:
    """The environment and the script of each step, in order. The file is of our own hand: fixed indents are enough."""
    text = ACTION.read_text(encoding="utf-8").split("  steps:\n")[1]
    found = []
    for block in text.split("    - name: ")[1:]:
        environment = dict(re.findall(r"^        (\w+): (.+)$", block.split("      run: |")[0], re.MULTILINE))
        script = "\n".join(line[8:] for line in block.split("      run: |\n")[1].splitlines())
        found.append((environment, script))
    return found


def wheel() -> Path:
    """The wheel that this environment was made from."""
    (found,) = (ROOT / "target" / "packages" / "wheel").glob("*.whl")
    return found


@pytest.mark.parametrize(("line", "code"), [(WRONG, 4), ("    history.extend(answer.output)", 0)])
def test_the_steps_run_and_say_what_came(tmp_path, line, code):
    repository = tmp_path / "repository"
    temporary = tmp_path / "temp"
    for folder in (repository / ".git", temporary):
        folder.mkdir(parents=True)
    (repository / "agent.py").write_text(AGENT.replace(WRONG, line), encoding="utf-8")
    (repository / "test_agent.py").write_text(TESTS.split("\ndef test_one")[0], encoding="utf-8")
    inputs = {"command": "pytest -q", "arguments": "", "version": "", "install": str(wheel())}
    environment = {
        "PATH": f"{sysconfig.get_path('scripts')}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(temporary / "output"),
        "GITHUB_STEP_SUMMARY": str(temporary / "summary"),
        "RUNNER_TEMP": str(temporary),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    codes, printed = [], ""
    assert len(steps()) == 2
    for own, script in steps():
        values = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], value)
            for name, value in own.items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=repository,
            env=environment | values,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        codes.append(done.returncode)
        printed += done.stdout + done.stderr
    assert codes == [0, code], printed
    output = dict(line.split("=", 1) for line in (temporary / "output").read_text(encoding="utf-8").splitlines())
    assert os.path.isfile(output["sarif"]) and os.path.isfile(output["junit"])
    assert "# Holdover" in (temporary / "summary").read_text(encoding="utf-8")
    assert ("::error file=agent.py," in printed) == (code == 4)


def test_the_hooks_start_commands_that_there_are(tmp_path):
    entries = re.findall(r"^  entry: holdover (.+)$", HOOKS.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(entries) == 2
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "holdover.toml").write_text('profile = "openai"\n', encoding="utf-8")
    binary = Path(sysconfig.get_path("scripts")) / "holdover"
    for entry, file, code in ((entries[0], "agent.py", 4), (entries[1], "holdover.toml", 0)):
        done = subprocess.run([binary, *entry.split(), file], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
