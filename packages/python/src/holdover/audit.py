"""Writes Holdover's audit record: one JSON line for each run of an agent, appended to HOLDOVER_AUDIT_FILE.

What the record says about the fragment (`ids_present`, `frag_hash`) is read off the request body that left the
client, not off what the program believes it sent: give `WireTap` to the HTTP client.

    tap = WireTap()
    client = AsyncOpenAI(http_client=DefaultAsyncHttpxClient(event_hooks={"request": [tap.async_hook]}))
    ...
    write_record(tap.last_body(), session="my-test", run_id="run-1", policy="omit", exported="no",
                 resume_key_type="business_key")

Standard library only, so it can be copied into a project as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

AUDIT_FILE = "HOLDOVER_AUDIT_FILE"

# Stands for "this client does not record its policy"; `None` is the policy `none`.
NOT_RECORDED = object()


class WireTap:
    """Keeps the bodies of the create requests that a client sent, in order."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []

    def hook(self, request: Any) -> None:
        """Request hook of a synchronous HTTP client."""
        if request.method == "POST" and request.url.path.endswith("/responses"):
            self.bodies.append(json.loads(request.content))

    async def async_hook(self, request: Any) -> None:
        """Request hook of an asynchronous HTTP client."""
        self.hook(request)

    def last_body(self) -> dict[str, Any]:
        """The newest body; fails when nothing was sent, since there is nothing to record then."""
        if not self.bodies:
            raise LookupError("no create request was sent")
        return self.bodies[-1]


def reasoning_items(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The reasoning items of a request's input, in order."""
    items = body.get("input")
    if not isinstance(items, list):
        return []
    return [item for item in items if isinstance(item, dict) and item.get("type") == "reasoning"]


def ids_present(body: dict[str, Any]) -> bool | None:
    """Whether at least one reasoning item has an id; None when there is no reasoning item."""
    items = reasoning_items(body)
    return any(isinstance(item.get("id"), str) for item in items) if items else None


def frag_hash(body: dict[str, Any]) -> str | None:
    """SHA-256 of the reasoning items as one compact JSON array, members in the order they were sent."""
    items = reasoning_items(body)
    if not items:
        return None
    text = json.dumps(items, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def instructions_hash(body: dict[str, Any]) -> str | None:
    """SHA-256 of the instructions of a request; None when it carries none."""
    instructions = body.get("instructions")
    if not isinstance(instructions, str):
        return None
    return hashlib.sha256(instructions.encode("utf-8")).hexdigest()


def make_record(
    body: dict[str, Any],
    *,
    run_id: str,
    policy: Any,
    exported: str,
    resume_key_type: str,
    session: str | None = None,
    **optional: Any,
) -> dict[str, Any]:
    """The record as a dict. `policy` is None, "preserve", "omit" or NOT_RECORDED; members without a value are left out.

    `optional` takes callback_dedupe_key, compaction_policy, export_policy and handover.
    """
    record = {
        "session": session,
        "run_id": run_id,
        "reasoning_item_id_policy": None if policy is NOT_RECORDED else policy or "none",
        "ids_present": ids_present(body),
        "frag_hash": frag_hash(body),
        "exported": exported,
        "resume_key_type": resume_key_type,
        "instructions_hash": instructions_hash(body),
        **optional,
    }
    return {key: value for key, value in record.items() if value is not None}


def write_record(body: dict[str, Any], **members: Any) -> None:
    """Appends one record; does nothing when nobody asked for audit records."""
    path = os.environ.get(AUDIT_FILE)
    if not path:
        return
    line = json.dumps(make_record(body, **members), ensure_ascii=False, separators=(",", ":"))
    with open(path, "a", encoding="utf-8") as file:
        file.write(line + "\n")
