"""An old code base in small: sessions `s01`, `s02`, … each rebuild the assistant's message from text, but for those
whose numbers are given as fixed. Standard library only, so that fifty sessions take a moment.

    old_code_base.py COUNT [FIXED…]
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from typing import Any

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def create(session: str, history: list[Any]) -> dict[str, Any]:
    """One stateless turn."""
    body = {"model": "gpt-5.6", "store": False, "include": ["reasoning.encrypted_content"], "input": history}
    request = urllib.request.Request(
        f"{os.environ['HOLDOVER_BASE_URL']}/s/{session}/v1/responses",
        json.dumps(body).encode("utf-8"),
        {"content-type": "application/json", "authorization": "Bearer sk-any"},
    )
    with DIRECT.open(request, timeout=60) as response:
        return json.load(response)


def talk(session: str, *, fixed: bool) -> None:
    """Two turns of one conversation."""
    history: list[Any] = [{"role": "user", "content": "Plan the migration."}]
    first = create(session, history)
    if fixed:
        history += first["output"]
    else:
        message = next(item for item in first["output"] if item["type"] == "message")
        history.append({"role": "assistant", "content": message["content"][0]["text"]})
    create(session, [*history, {"role": "user", "content": "And the rollback?"}])


if __name__ == "__main__":
    count, *fixed = (int(argument) for argument in sys.argv[1:])
    for number in range(1, count + 1):
        talk(f"s{number:02}", fixed=number in fixed)
