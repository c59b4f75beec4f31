"""The pytest plugin: a session for each test, judged when the test is over; a finding fails that test.

Under `holdover test -- pytest` every test has a session without asking. Otherwise a test asks for the fixture
`holdover`, or `--holdover` (in `pytest.ini`: `holdover = true`) gives one to every test. Workers of pytest-xdist share
one server.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from typing import Any

import pytest

from holdover.server import OUTSIDE, Server
from holdover.session import Findings, Session

_SESSION = pytest.StashKey[Session]()
_SERVER = pytest.StashKey[Server]()
_MARKER = "holdover(replies, faults, profile, org, accounts, world, fail_on, expect): how the session of a test is set up"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--holdover`, and the same in a configuration file."""
    group = parser.getgroup("holdover")
    group.addoption("--holdover", action="store_true", help="give every test a session of Holdover and judge it")
    parser.addini("holdover", "give every test a session of Holdover and judge it", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Names the marker; under xdist the controller starts the server, so that its workers inherit the address."""
    config.addinivalue_line("markers", _MARKER)
    controls_workers = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if controls_workers and "HOLDOVER_BASE_URL" not in os.environ:
        config.stash[_SERVER] = Server()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the server that this process started."""
    server = config.stash.get(_SERVER, None)
    if server is not None:
        server.stop()


def _wanted(config: pytest.Config) -> bool:
    under_test = "HOLDOVER_SESSION" in os.environ
    return under_test or config.getoption("--holdover") or config.getini("holdover")


def _open(item: pytest.Item) -> Session:
    """The session of a test, made when it is first asked for."""
    session = item.stash.get(_SESSION, None)
    if session is None:
        if "HOLDOVER_BASE_URL" not in os.environ:
            item.config.stash[_SERVER] = Server()
        settings: dict[str, Any] = {}
        # The nearest marker wins, so the outermost comes first.
        for marker in reversed(list(item.iter_markers("holdover"))):
            settings.update(marker.kwargs)
        file, line, _ = item.location
        session = Session(item.nodeid, file=file, line=None if line is None else line + 1, **settings)
        item.stash[_SESSION] = session
    return session


@pytest.fixture
def holdover(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Session:
    """The session of this test: `base_url`, `api_key`, `export()`, `assert_carried()`. The variables that clients
    read point at it."""
    session = _open(request.node)
    for name in OUTSIDE:
        monkeypatch.delenv(name, raising=False)
    for name, value in session.environment().items():
        monkeypatch.setenv(name, value)
    return session


@pytest.fixture(autouse=True)
def _holdover_of_every_test(request: pytest.FixtureRequest) -> None:
    """Under `holdover test`, or where the configuration says so, no test has to ask."""
    if _wanted(request.config) or request.node.get_closest_marker("holdover"):
        request.getfixturevalue("holdover")


class _Kept(logging.Handler):
    """Keeps what the loggers let through: it is what would stand in a log file."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Judges while the test is still the one that can fail; a test that failed by itself keeps its own failure."""
    session = item.stash.get(_SESSION, None)
    if session is None:
        return (yield)
    kept = _Kept()
    logging.getLogger().addHandler(kept)
    failed = True
    try:
        result = yield
        failed = False
    finally:
        logging.getLogger().removeHandler(kept)
        if kept.lines:
            session.export("captured log", "\n".join(kept.lines))
        found = _judged(session)
        if found and failed:
            item.add_report_section("call", "holdover", found)
    if found:
        pytest.fail(found, pytrace=False)
    return result


def _judged(session: Session) -> str:
    """What fails the test; empty when nothing does."""
    try:
        session.check()
    except Findings as findings:
        return str(findings)
    return ""
