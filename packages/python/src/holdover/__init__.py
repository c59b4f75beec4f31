"""Holdover for Python: the binary, the sessions of a running fake, and what helps a client to pass.

| module | what is there |
|---|---|
| `server` | the binary, and one server for a whole test run |
| `session` | one session: opened, finished, judged |
| `pytest_plugin` | the fixture `holdover`, its markers, xdist |
| `audit` | audit records, read off the request that left the client |
| `redact` | a logging filter that takes ids and tokens out |
"""

from holdover.session import Findings, Session

__all__ = ["Findings", "Session"]
