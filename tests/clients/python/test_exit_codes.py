"""The exit codes of `holdover test`, each with the smallest client that deserves it."""

import pytest

CODES = {
    "clean": 0,
    "lossy": 4,
    "leaking": 4,
    "failing": 6,
    "lossy-failing": 4,
    "no-reasoning": 5,
    "silent": 3,
    "silent-failing": 6,
}


@pytest.mark.parametrize(("kind", "code"), CODES.items())
def test_the_exit_code(holdover, kind, code):
    outcome = holdover.test("trivial_client.py", kind)
    assert outcome.code == code, outcome.printed


def test_a_hanging_client_is_ended(holdover):
    outcome = holdover.test("trivial_client.py", "hanging", options=("--timeout", "3"))
    assert outcome.code == 3, outcome.printed


def test_a_command_that_does_not_exist_could_not_be_run(holdover):
    outcome = holdover.command("test", "--", "holdover-no-such-command")
    assert outcome.code == 3, outcome.printed


def test_the_exit_code_of_the_command_is_always_printed(holdover):
    assert "7" in holdover.test("trivial_client.py", "failing").printed


def test_no_reasoning_is_named_as_the_reason(holdover):
    assert "none" in holdover.test("trivial_client.py", "no-reasoning").printed


def test_unjudged_may_be_allowed(holdover):
    outcome = holdover.test("trivial_client.py", "no-reasoning", options=("--allow-unjudged",))
    assert outcome.code == 0, outcome.printed
