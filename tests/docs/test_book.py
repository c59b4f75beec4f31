"""The book: every page stands in its summary, the tour plays as it is printed, and every command in it is one that the
binary takes. (That links lead somewhere is held by `xtask/tests/house/links.rs`.)"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "docs"
PAGES = sorted(BOOK.rglob("*.md")) + [ROOT / "packages" / name / "README.md" for name in ("python", "npm")]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BINARY = Path(os.environ.get("HOLDOVER_BIN") or ROOT / "target" / "release" / "holdover")
# What shows a form and is no command to type.
FORMS = {"architecture.md"}


def holdover(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """The binary in a folder, with its Python first on the PATH."""
    environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}", NO_COLOR="1")
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        environment.pop(name, None)
    return subprocess.run(
        [BINARY, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_every_page_stands_in_the_summary():
    linked = set(re.findall(r"\]\(([^)]+)\)", (BOOK / "SUMMARY.md").read_text(encoding="utf-8")))
    pages = {page.relative_to(BOOK).as_posix() for page in BOOK.rglob("*.md")} - {"SUMMARY.md"}
    assert linked == pages


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the shown lines are the printed ones; `…` alone is any lines, inside a line any text."""
    if not shown:
        return not printed
    head, *rest = shown
    if head == "…":
        return any(matches(rest, printed[at:]) for at in range(len(printed) + 1))
    pattern = ".*".join(map(re.escape, head.split("…")))
    return bool(printed) and re.fullmatch(pattern, printed[0]) is not None and matches(rest, printed[1:])


def test_the_tour_plays_as_it_is_printed(tmp_path):
    text = (BOOK / "tour.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^`agent\.py`:\n\n```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "agent.py").write_text(program, encoding="utf-8")
    wrong = 'history.append({"role": "assistant", "content": text_of(first)})'
    assert program.count(wrong) == 1
    (tmp_path / "fixed.py").write_text(program.replace(wrong, 'history += first["output"]'), encoding="utf-8")
    commands = 0
    for language, block in FENCE.findall(text):
        if language != "console":
            continue
        for part in block.removeprefix("$ ").split("\n$ "):
            command, *shown = part.rstrip("\n").split("\n")
            done = holdover(shlex.split(command)[1:], tmp_path)
            printed = done.stdout.rstrip("\n").split("\n")
            assert matches(shown, printed), f"{command}\n{done.stdout}\n{done.stderr}"
            commands += 1
    assert commands == 8


def commands() -> list[tuple[str, str]]:
    """Every `holdover …` that a page tells its reader to type, with its page."""
    found = []
    for page in PAGES:
        if page.name in FORMS:
            continue
        for language, block in FENCE.findall(page.read_text(encoding="utf-8")):
            if language not in {"sh", "yaml", "console"}:
                continue
            for line in block.split("\n"):
                typed = re.search(r"(?:^|\s|\$ |&& )(?:npx )?(holdover (?:[a-z]+) .*|holdover init)$", line)
                if typed and not line.lstrip().startswith("#"):
                    found.append((page.relative_to(ROOT).as_posix(), typed[1].split("  #")[0].strip()))
    return found


def test_the_book_tells_its_reader_to_type_something():
    assert len(commands()) > 15


@pytest.mark.parametrize(("page", "command"), commands())
def test_the_binary_takes_every_command(page, command, tmp_path):
    words = shlex.split(command)[1:]
    if words[0] in {"serve"}:
        # A server would run until it is stopped: with a scenario that is not there it stops at once, and its other
        # options have been read before.
        words.insert(1, "no-such-scenario.toml")
    if "--" in words:
        words = [*words[: words.index("--") + 1], sys.executable, "-c", "pass"]
    if "--baseline" in words and "--update-baseline" not in words:
        known = '{"baseline": "holdover.baseline/1", "findings": []}'
        (tmp_path / words[words.index("--baseline") + 1]).write_text(known, encoding="utf-8")
    done = holdover(words, tmp_path)
    said = done.stdout + done.stderr
    assert "unexpected argument" not in said and "unrecognized subcommand" not in said, said
    assert "invalid value" not in said and "no option" not in said, said
    # What is missing here is what the reader has: a recording, a folder with code, a scenario, a key.
    if done.returncode == 2:
        missing = ("cannot read", "nothing is known of", "No such file", "holds no key")
        assert any(words in said for words in missing), said
