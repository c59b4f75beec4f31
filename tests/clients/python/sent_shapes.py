"""Shows what a client really sent: the members of every request and of every input item, in wire order.

    sent_shapes.py RECORDING…        recordings of `holdover serve --record` or `out/recordings/*.jsonl`

Tokens and texts are not shown, so the output can be pasted anywhere. The `agents-sdk` preset is compared with it.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def item_shape(item: Any) -> str:
    """`reasoning{id,summary,type,…}`, with the members of content and summary parts."""
    if not isinstance(item, dict):
        return type(item).__name__
    members = [member_shape(key, value) for key, value in item.items()]
    return f"{item.get('type') or item.get('role')}{{{','.join(members)}}}"


def member_shape(key: str, value: Any) -> str:
    """The name; for a list of parts also the members of the first part."""
    if isinstance(value, list):
        parts = ",".join(value[0]) if value and isinstance(value[0], dict) else ""
        return f"{key}[{parts}]"
    return f"{key}=null" if value is None else key


def show(path: str) -> None:
    """All create requests of one recording."""
    with open(path, encoding="utf-8") as file:
        head, *lines = [json.loads(line) for line in file if line.strip()]
    print(f"session {head['session']}")
    for exchange in lines:
        body = exchange["request"].get("body")
        if not isinstance(body, dict):
            continue
        status = (exchange.get("response") or {}).get("status")
        print(f"  {exchange['exchange']} {exchange['transport']} {status} body {','.join(body)}")
        items = body.get("input")
        for item in items if isinstance(items, list) else [items]:
            print(f"      {item_shape(item)}")


if __name__ == "__main__":
    for recording in sys.argv[1:]:
        show(recording)
