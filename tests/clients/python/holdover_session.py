"""How a test program names its Holdover session, and where it puts what it lets out.

One `holdover test` run can hold many sessions. A program that plays several cases gives each its own base URL,
`<base>/s/<case>/v1`; a program that plays one case uses OPENAI_BASE_URL as it is.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit


def session_name(case: str | None) -> str:
    """The case, else the session that Holdover chose for this process."""
    return case or os.environ.get("HOLDOVER_SESSION") or "default"


def base_url(case: str | None) -> str:
    """Base URL of a case; OPENAI_BASE_URL itself when the program plays only one."""
    url = os.environ["OPENAI_BASE_URL"]
    if case is None:
        return url
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/s/{case}/v1"


def api_key() -> str:
    """The key Holdover gave; any text will do for a server started by hand."""
    return os.environ.get("OPENAI_API_KEY") or "sk-holdover-default"


def export_file(case: str | None, name: str) -> Path | None:
    """A file in the session's part of HOLDOVER_EXPORT_DIR; None when Holdover scans nothing."""
    root = os.environ.get("HOLDOVER_EXPORT_DIR")
    if not root:
        return None
    folder = Path(root) / session_name(case)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name
