"""The example of the README, with the real client: what it shows is what comes out."""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parents[3] / "README.md"
# The README shows the beginning of an id; which id it is changes with the fake.
ID = re.compile(r"\b(rs|msg)_[0-9a-f]+…?")


def block(language: str, opening: str) -> str:
    """The fenced block of this language that begins with these words."""
    found = re.findall(rf"```{language}\n({re.escape(opening)}.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 1, f"{len(found)} blocks begin with {opening!r}"
    return found[0]


def test_the_example_gives_the_finding_that_the_readme_shows(holdover, tmp_path):
    program = tmp_path / "agent.py"
    program.write_text(block("python", "from openai"), encoding="utf-8")
    outcome = holdover.command("test", "--", sys.executable, program)
    shown = block("text", "$ holdover test -- python").splitlines()[1:]
    finding = "\n".join(shown[: shown.index("…")])
    assert ID.sub(r"\1_…", finding) in ID.sub(r"\1_…", outcome.printed)
    assert outcome.code == 4
    assert shown[-2:] == ["$ echo $?", "4"]
