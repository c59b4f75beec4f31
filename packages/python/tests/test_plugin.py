"""What a team sees: the plugin in a pytest of its own, with the real client and the real binary."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdover.server import binary
from holdover.session import session_name

# A conversation of two turns; LINE is the one line that decides.
AGENT = """
from openai import OpenAI

def talk():
    client = OpenAI()
    request = {"model": "gpt-5.6", "store": False, "include": ["reasoning.encrypted_content"]}
    history = [{"role": "user", "content": "Plan the migration."}]
    first = client.responses.create(input=history, **request)
    LINE
    history.append({"role": "user", "content": "And the rollback?"})
    return client.responses.create(input=history, **request)
"""
WRONG = 'history.append({"role": "assistant", "content": first.output_text})'
RIGHT = "history += first.output"


@pytest.fixture(autouse=True)
def _apart(monkeypatch):
    """The inner pytest is no child of the outer one's Holdover."""
    for name in [name for name in os.environ if name.startswith("HOLDOVER_") and name != "HOLDOVER_BIN"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")


@pytest.fixture
def project(pytester):
    """A project with an agent and its tests."""

    def make(line: str, tests: str):
        pytester.makepyfile(agent=AGENT.replace("LINE", line), test_agent=f"from agent import talk\nimport pytest\n{tests}")
        return pytester

    return make


def test_a_finding_fails_the_test_with_place_sent_and_expected(project):
    result = project(WRONG, "\ndef test_it(holdover):\n    talk()\n").runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*test_agent.py:4: error[[]text-only-rebuild[]]: *",
        "*at: exchange 2, /input/1",
        "*sent: *role, content*",
        "*expected: *rs_*",
        "*help: *history += response.output*",
        "look at agent.py:8: history.append(*first.output_text*",
    ])


def test_a_right_agent_passes_and_says_that_it_carried(project):
    result = project(RIGHT, "\ndef test_it(holdover):\n    talk()\n    holdover.assert_carried()\n").runpytest_subprocess()
    result.assert_outcomes(passed=1)


def test_asserting_without_a_second_turn_fails(project):
    tests = """
from openai import OpenAI
def test_it(holdover):
    OpenAI().responses.create(model="gpt-5.6", input="Hello")
    holdover.assert_carried()
"""
    result = project(RIGHT, tests).runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*0 reasoning items were carried, at least 1 expected (1 turns, 1 reasoning*"])


def test_no_session_without_being_asked(project):
    result = project(WRONG, "\ndef test_it():\n    import os\n    assert 'OPENAI_BASE_URL' not in os.environ\n")
    result.runpytest_subprocess().assert_outcomes(passed=1)
    result.runpytest_subprocess("--holdover").assert_outcomes(failed=1)


def test_markers_set_the_session_up(project):
    tests = """
from openai import OpenAI, RateLimitError
@pytest.mark.holdover(replies=[["reasoning", {"message": "Freeze first."}]])
def test_reply(holdover):
    assert OpenAI().responses.create(model="gpt-5.6", input="Hello").output_text == "Freeze first."
@pytest.mark.holdover(faults=["rate-limit:call=1"])
def test_fault():
    with pytest.raises(RateLimitError):
        OpenAI(max_retries=0).responses.create(model="gpt-5.6", input="Hello")
@pytest.mark.holdover(expect=["text-only-rebuild"])
def test_expected():
    talk()
@pytest.mark.holdover(expect=["text-only-rebuild"])
def test_expected_and_missing():
    OpenAI().responses.create(model="gpt-5.6", input="Hello")
@pytest.mark.holdover(profil="openai")
def test_unknown_setting():
    pass
"""
    result = project(WRONG, tests).runpytest_subprocess()
    result.assert_outcomes(passed=3, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*no member `profil`*"])
    result.stdout.fnmatch_lines(["*expected finding `text-only-rebuild` did not come"])


def test_a_leak_in_the_log_is_found(project):
    tests = """
import logging
def test_it(holdover):
    answer = talk()
    logging.getLogger("app").warning("answer: %s", answer.model_dump_json())
"""
    result = project(RIGHT, tests).runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*error[[]protected-data-in-export[]]*", "*at: captured log:*"])


def test_a_test_that_fails_by_itself_keeps_its_failure(project):
    result = project(WRONG, "\ndef test_it(holdover):\n    talk()\n    assert 1 == 2\n").runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *assert 1 == 2", "*Captured holdover call*", "*text-only-rebuild*"])


def test_under_holdover_test_every_test_is_a_session(project):
    folder = project(WRONG, "\ndef test_a():\n    talk()\ndef test_b():\n    pass\n").path
    command = [binary(), "test", "--out", "out", "--", sys.executable, "-m", "pytest", "-q"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "session `test_agent.py.test_a." in done.stdout
    assert "test_b" not in (Path(folder) / "out" / "junit.xml").read_text(encoding="utf-8")


def test_names_of_sessions_are_in_the_grammar_and_apart():
    assert session_name("a-b_c.1") == "a-b_c.1"
    names = {session_name(f"tests/test_a.py::test_x[{n}{'x' * 90}]") for n in range(50)}
    assert len(names) == 50
    assert all(len(name) <= 64 and set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_.-") for name in names)


def test_what_the_baseline_knows_fails_no_test(project):
    folder = project(WRONG, "\ndef test_old():\n    talk()\n").path

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [binary(), "test", "--baseline", "known.json", *options, "--", sys.executable, "-m", "pytest", "-q"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)

    assert run("--update-baseline").returncode == 0
    green = run()
    assert green.returncode == 0, green.stdout + green.stderr
    assert "1 passed" in green.stdout
