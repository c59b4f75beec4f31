"""One session of a running Holdover: one test, judged when it is finished."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from holdover import server

_SEVERITIES = ("note", "warning", "error")


class Findings(AssertionError):
    """The judge found something, or found nothing to judge where something was asserted."""


def session_name(test: str) -> str:
    """A session's name for the id of a test: the id itself where the grammar takes it, else shortened with a hash."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", ".", test).strip(".")
    if plain == test and len(test) <= 64:
        return test
    return f"{plain[-51:]}.{hashlib.sha256(test.encode('utf-8')).hexdigest()[:12]}"


class Session:
    """A session that is open until it is finished; `base_url` and `api_key` point a client at it."""

    def __init__(
        self,
        test: str,
        *,
        file: str | None = None,
        line: int | None = None,
        fail_on: str = "error",
        expect: list[str] | None = None,
        **settings: Any,
    ) -> None:
        if fail_on not in _SEVERITIES:
            raise ValueError(f"fail_on is one of {', '.join(_SEVERITIES)}, not {fail_on!r}")
        self.name = session_name(test)
        self.api_key = f"sk-holdover-{self.name}"
        self.verdict: dict[str, Any] | None = None
        self._place = f"{file}:{line}" if file and line else file or test
        self._fail_on = _SEVERITIES.index(fail_on)
        self._expect = set(expect or ())
        self._exports: list[dict[str, str]] = []
        meta = {"test": test, "file": file, "line": line}
        meta = {name: value for name, value in meta.items() if value is not None}
        opened = server.call("PUT", f"sessions/{self.name}", {"meta": meta, **settings})
        base = opened.get("base_url") or f"{os.environ['HOLDOVER_BASE_URL']}/s/{self.name}"
        self.base_url = base if base.endswith("/v1") else f"{base}/v1"

    def environment(self) -> dict[str, str]:
        """The variables that point a client at this session."""
        return {
            "OPENAI_BASE_URL": self.base_url,
            "OPENAI_API_BASE": self.base_url,
            "OPENAI_API_KEY": self.api_key,
            "HOLDOVER_SESSION": self.name,
            "NO_PROXY": server.LOOPBACK,
            "no_proxy": server.LOOPBACK,
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
        }

    def export(self, file: str, text: str) -> None:
        """Text that the client lets out (a log, a dump): it is scanned for ids, payloads and reasoning."""
        self._exports.append({"file": file, "text": text})

    def finish(self) -> dict[str, Any]:
        """Ends the session and gives the verdict; the same verdict when it is called again."""
        if self.verdict is None:
            evidence = {"exports": self._exports + self._exported_files(), "audit": self._audit_records()}
            self.verdict = server.call("POST", f"sessions/{self.name}/finish", evidence)
            if self.verdict is None:
                raise Findings(f"holdover: session {self.name} is gone: somebody else deleted it")
            if not self.verdict["exchanges"]:
                # Nothing spoke in it: it would only be noise in the reports.
                server.call("DELETE", f"sessions/{self.name}")
        return self.verdict

    def findings(self) -> list[dict[str, Any]]:
        """The findings that fail a test: those at or above `fail_on` that are not expected."""
        return [
            finding
            for finding in self.finish()["findings"]
            if _SEVERITIES.index(finding["severity"]) >= self._fail_on and finding["rule"] not in self._expect
        ]

    def check(self) -> None:
        """Raises `Findings` when there is a finding, or an expected one did not come."""
        found = self.findings()
        fired = {finding["rule"] for finding in self.finish()["findings"]}
        missing = sorted(self._expect - fired)
        if found or missing:
            blocks = [self._block(finding) for finding in found]
            blocks += _look_at({finding["rule"] for finding in found})
            blocks += [f"{self._place}: expected finding `{rule}` did not come" for rule in missing]
            raise Findings("\n".join([f"holdover: session {self.name}", *blocks]))

    def assert_carried(self, at_least: int = 1) -> None:
        """Asserts that the client brought reasoning back, whole and unchanged. Ends the session: call it last."""
        self.check()
        coverage = self.finish()["coverage"]
        carried = coverage["reasoning_carried"]
        if carried < at_least:
            raise Findings(
                f"{self._place}: {carried} reasoning items were carried, at least {at_least} expected "
                f"({coverage['turns']} turns, {coverage['reasoning_issued']} reasoning items issued)\n"
                "  help: the fake must see a second request of the same conversation, on a reasoning model"
            )

    def _block(self, finding: dict[str, Any]) -> str:
        where = f"exchange {finding['exchange']}" if finding.get("exchange") else finding.get("place") or "the exports"
        if finding.get("pointer"):
            where += f", {finding['pointer']}"
        lines = [f"{self._place}: {finding['severity']}[{finding['rule']}]: {finding['message']}", f"  at: {where}"]
        members = ("item", "sent", "expected", "help")
        lines += [f"  {name}: {finding[name]}" for name in members if finding.get(name)]
        return "\n".join(lines)

    def _exported_files(self) -> list[dict[str, str]]:
        folder = Path(os.environ.get("HOLDOVER_EXPORT_DIR", "")) / self.name
        if not os.environ.get("HOLDOVER_EXPORT_DIR") or not folder.is_dir():
            return []
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        named = ((f"{self.name}/{path.relative_to(folder).as_posix()}", path) for path in files)
        return [{"file": name, "text": path.read_text("utf-8", "replace")} for name, path in named]

    def _audit_records(self) -> list[dict[str, Any]]:
        file = os.environ.get("HOLDOVER_AUDIT_FILE")
        if not file or not Path(file).is_file():
            return []
        lines = Path(file).read_text("utf-8").splitlines()
        records = [json.loads(line) for line in lines if line.strip()]
        return [record for record in records if record.get("session") == self.name]


def _look_at(rules: set[str]) -> list[str]:
    """The first lines of the code whose form does what these rules found."""
    places = [place for place in server.places() if place["rule"] in rules]
    return [f"look at {place['file']}:{place['line']}: {place['text']}" for place in places[:5]]
