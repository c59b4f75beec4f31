"""openai-python by hand, and the smallest Agents SDK program, judged by Holdover."""

import pytest

from openai_replay import RIGHT

WRONG = {
    "output-text": "text-only-rebuild",
    "stream-text": "text-only-rebuild",
    "role-text": "text-only-rebuild",
    "debug-log": "protected-data-in-export",
}


@pytest.mark.parametrize("variant", RIGHT)
def test_a_right_replay_is_clean_and_counts_up(holdover, variant):
    outcome = holdover.test("openai_replay.py", variant)
    assert outcome.code == 0, outcome.printed
    assert outcome.rules() == []


@pytest.mark.parametrize(("variant", "rule"), WRONG.items())
def test_a_wrong_replay_has_one_finding(holdover, variant, rule):
    outcome = holdover.test("openai_replay.py", variant)
    assert outcome.code == 4, outcome.printed
    assert outcome.rules() == [rule]


@pytest.mark.parametrize("options", [(), ("--stream",)])
def test_a_tool_loop_needs_no_scenario(holdover, options):
    outcome = holdover.test("tool_loop.py", *options, options=("--auto-tools", "any"))
    assert outcome.code == 0, outcome.printed
