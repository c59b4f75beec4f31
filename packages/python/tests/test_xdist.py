"""pytest-xdist: eight workers, two hundred tests, one server; every test gets its own verdict in any order."""

from __future__ import annotations

import re

from test_plugin import AGENT, RIGHT, WRONG

# Every fourth test loses its reasoning; the others do not. All of them say the same words, so that a verdict that
# went astray could not be told by its text.
TESTS = """
import os
import pytest
import right, wrong

@pytest.mark.parametrize("n", range(200))
def test_it(holdover, n):
    print("server", os.environ["HOLDOVER_BASE_URL"])
    (wrong if n % 4 == 0 else right).talk()
    if n % 4:
        holdover.assert_carried()
"""
SHUFFLE = """
import os, random
def pytest_collection_modifyitems(items):
    random.Random(os.environ["ORDER"]).shuffle(items)
"""
OUTCOME = re.compile(r"(PASSED|FAILED) test_many\.py::test_it\[(\d+)\]")


def outcomes(pytester) -> dict[int, str]:
    """Outcome by number of the test."""
    result = pytester.runpytest_subprocess("-rA", "-p", "no:cacheprovider", "-n", "8", timeout=300)
    found = {int(number): outcome for outcome, number in OUTCOME.findall(result.stdout.str())}
    assert len(found) == 200, result.stdout.str()[-2000:]
    assert len(set(re.findall(r"^server (\S+)$", result.stdout.str(), re.MULTILINE))) == 1
    return found


def test_eight_workers_and_two_hundred_tests_on_one_server(pytester, monkeypatch):
    for name in ("HOLDOVER_BASE_URL", "HOLDOVER_SESSION"):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(right=AGENT.replace("LINE", RIGHT), wrong=AGENT.replace("LINE", WRONG), test_many=TESTS)
    pytester.makeconftest(SHUFFLE)
    expected = {number: "PASSED" if number % 4 else "FAILED" for number in range(200)}
    for order in ("1", "2"):
        monkeypatch.setenv("ORDER", order)
        assert outcomes(pytester) == expected
