"""Runs the programs of this folder under the real `holdover test`, and reads what it wrote."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]
# Far above what any program of this folder needs; a hanging one must not hang the suite.
LIMIT_S = 600


@dataclass
class Outcome:
    """What one `holdover` command left."""

    code: int
    printed: str
    out: Path

    def table(self, name: str) -> list[dict[str, str]]:
        """The rows of a CSV file."""
        with open(self.out / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def rules(self, case: str | None = None, above: tuple[str, ...] = ("error", "warning")) -> list[str]:
        """The rules that fired, in order, each once; of one case or of all."""
        rows = [row for row in self.table("findings.csv") if row["severity"] in above]
        return list(dict.fromkeys(row["rule"] for row in rows if case in (None, row["case"])))

    def recording(self, session: str) -> list[dict[str, Any]]:
        """The exchanges of one session."""
        text = (self.out / "recordings" / f"{session}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()[1:]]


def binary() -> Path:
    """The `holdover` under test. A missing one is a failure, not a reason to skip."""
    named = os.environ.get("HOLDOVER_BIN")
    candidates = [Path(named)] if named else [ROOT / "target" / kind / "holdover" for kind in ("release", "debug")]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    pytest.fail(f"no holdover binary at {candidates}: `cargo build --package holdover`, or set HOLDOVER_BIN")


class Holdover:
    """The binary with an output folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def command(self, *arguments: str | Path) -> Outcome:
        """One command that writes tables."""
        self.count += 1
        out = self.folder / f"out-{self.count}"
        name, *rest = arguments
        line = [binary(), name, "--out", out, *rest]
        done = subprocess.run(
            [str(part) for part in line], check=False, capture_output=True, text=True, timeout=LIMIT_S, cwd=self.folder
        )
        return Outcome(done.returncode, done.stdout + done.stderr, out)

    def test(
        self, program: str, *arguments: str, scenario: str | None = None, options: tuple[str, ...] = ()
    ) -> Outcome:
        """A program of this folder under `holdover test`."""
        chosen = [FOLDER / scenario] if scenario else []
        return self.command("test", *chosen, *options, "--", sys.executable, FOLDER / program, *arguments)


@pytest.fixture(scope="session")
def holdover(tmp_path_factory: pytest.TempPathFactory) -> Holdover:
    """One binary for the whole run; each command has an output folder of its own."""
    return Holdover(tmp_path_factory.mktemp("holdover"))
