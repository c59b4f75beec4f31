"""A repository with fifty old findings takes Holdover up: the baseline makes it green, a new finding makes it red, one
that is gone is said; `holdover.toml` is checked, and what it suppresses ends on its day."""

from __future__ import annotations

import json
import subprocess

import pytest
from conftest import Holdover, binary

BASELINE = ("--baseline", "baseline.json")


@pytest.fixture
def repository(tmp_path):
    """A folder of its own in which the commands run: what stands in its `holdover.toml` is for nobody else."""
    return Holdover(tmp_path)


def test_fifty_old_findings_one_new_one_gone(repository):
    def run(*numbers: str, options: tuple[str, ...] = BASELINE):
        return repository.test("old_code_base.py", *numbers, options=options)

    without = run("50", options=())
    assert without.code == 4
    missing = run("50")
    assert missing.code == 2
    assert "there is no baseline `baseline.json`" in missing.printed

    written = run("50", options=(*BASELINE, "--update-baseline"))
    assert written.code == 0, written.printed
    assert "baseline: 50 findings written to `baseline.json`" in written.printed
    entries = json.loads((repository.folder / "baseline.json").read_text(encoding="utf-8"))["findings"]
    assert entries[0] == {"session": "s01", "rule": "text-only-rebuild", "count": 1}
    assert len(entries) == 50

    green = run("50")
    assert green.code == 0, green.printed
    assert "baseline: 50 known findings, 0 new, 0 gone" in green.printed
    assert "known: in the baseline" in green.printed

    red = run("51")
    assert red.code == 4
    assert "baseline: 50 known findings, 1 new, 0 gone" in red.printed
    assert [row["case"] for row in red.table("findings.csv") if row["severity"] == "error"] == ["s51"]

    gone = run("50", "7")
    assert gone.code == 0, gone.printed
    assert "baseline: 49 known findings, 0 new, 1 gone" in gone.printed
    assert "gone: `text-only-rebuild` in session `s07`" in gone.printed

    again = run("50", "7", options=(*BASELINE, "--update-baseline"))
    assert "baseline: 49 findings written" in again.printed
    # It may not come back unseen.
    assert run("50").code == 4


def test_a_file_that_is_no_baseline_is_left_alone(repository):
    file = repository.folder / "baseline.json"
    file.write_text('{"name": "not ours"}', encoding="utf-8")
    outcome = repository.test("old_code_base.py", "1", options=(*BASELINE, "--update-baseline"))
    assert outcome.code == 2
    assert "is no baseline of holdover" in outcome.printed
    assert file.read_text(encoding="utf-8") == '{"name": "not ours"}'


def test_a_suppression_holds_until_its_day_and_says_why(repository):
    def run(until: str):
        (repository.folder / "holdover.toml").write_text(
            '[[suppress]]\nrule = "text-only-rebuild"\nsession = "s0*"\nreason = "ticket 12"\n' + until,
            encoding="utf-8",
        )
        return repository.test("old_code_base.py", "2")

    held = run('until = "2999-12-31"\n')
    assert held.code == 0, held.printed
    assert "known: suppressed: ticket 12" in held.printed
    ended = run('until = "2020-01-01"\n')
    assert ended.code == 4
    assert "note: the suppression of `text-only-rebuild` ended on 2020-01-01 (ticket 12)" in ended.printed


def test_the_file_gives_what_the_command_line_leaves_open(repository):
    config = repository.folder / "holdover.toml"
    config.write_text('profile = "azure"\nfail-on = "note"\nbaseline = "baseline.json"\n', encoding="utf-8")
    outcome = repository.test("old_code_base.py", "1", options=("--update-baseline",))
    assert outcome.code == 0, outcome.printed
    assert json.loads((outcome.out / "summary.json").read_text(encoding="utf-8"))["profile"] == "azure"
    overruled = repository.test("old_code_base.py", "1", options=("--profile", "openai"))
    assert json.loads((overruled.out / "summary.json").read_text(encoding="utf-8"))["profile"] == "openai"


def test_what_is_wrong_with_the_file_is_said_with_its_place(repository):
    (repository.folder / "holdover.toml").write_text(
        'profil = "azure"\nfail-on = "warnings"\n[[suppress]]\nrule = "text-only-rebuilt"\nreason = "x"\nuntil = "soon"\n',
        encoding="utf-8",
    )
    outcome = repository.test("old_code_base.py", "1")
    assert outcome.code == 2
    for said in (
        "did you mean `profile`?",
        "did you mean `warning`?",
        "did you mean `text-only-rebuild`?",
        "`until` does not take `soon`",
        "holdover.toml:4:8",
        "4 problems; nothing was run",
    ):
        assert said in outcome.printed, outcome.printed


def test_init_looks_at_the_repository_and_writes_what_check_takes(holdover, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[dependency-groups]\ntest = ['pytest']\n", encoding="utf-8")
    (tmp_path / "logs").mkdir()
    (tmp_path / "agent.py").write_text('client.responses.create(model="house/model-3", input=x)\n', encoding="utf-8")
    written = subprocess.run([binary(), "init", tmp_path], capture_output=True, text=True, check=False)
    assert written.returncode == 0, written.stderr
    assert "next: holdover test -- pytest" in written.stdout
    text = (tmp_path / "holdover.toml").read_text(encoding="utf-8")
    assert '"house/model-3" = "reasoning"' in text
    assert 'scan = ["logs/**/*.log"]' in text
    checked = subprocess.run([binary(), "check", tmp_path / "holdover.toml"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    again = subprocess.run([binary(), "init", tmp_path], capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert "is there already and is left alone" in again.stderr
