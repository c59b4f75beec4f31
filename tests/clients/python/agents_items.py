"""The policy table on a list of item dicts: no runner, no server, only the SDK's own functions (level a of P17).

    agents_items.py                  prints the seven rows as CSV

The planted items carry tenant-shaped ids, as the source of the table has them.
"""

from __future__ import annotations

import asyncio
import copy
import csv
import json
import re
import sys
from typing import Any

from agents import SQLiteSession
from agents.run_internal.items import apply_reasoning_item_id_policy
from agents.run_internal.session_persistence import prepare_input_with_session

import holdover_audit
from policy_faults import merge_by_id

# Export-side pattern of a confirmed id shape (P4).
TENANT_ID = re.compile(r"rs_tenant[A-Z]+_trace_")
CHECKPOINT = "rs_tenantA_trace_001"
FOLLOW_UP = {"role": "user", "content": "And the way back?"}


def planted(name: str, token: str) -> dict[str, Any]:
    """A reasoning item as the SDK replays it."""
    return {"id": name, "summary": [], "type": "reasoning", "content": [], "encrypted_content": token}


HISTORY: list[dict[str, Any]] = [
    {"content": "Plan the migration.", "role": "user"},
    planted(CHECKPOINT, "gAAAAABplanted-one"),
    {
        "arguments": '{"key":"owner"}',
        "call_id": "call_1",
        "name": "lookup",
        "type": "function_call",
        "id": "fc_1",
        "status": "completed",
    },
    {"call_id": "call_1", "output": "team blue", "type": "function_call_output"},
    planted("rs_tenantA_trace_002", "gAAAAABplanted-two"),
    {
        "id": "msg_1",
        "content": [{"annotations": [], "text": "Team blue moves first.", "type": "output_text"}],
        "role": "assistant",
        "status": "completed",
        "type": "message",
    },
]
FIRST_COLUMNS = ["case", "policy", "result", "ids_present", "frag_hash"]
COLUMNS = [*FIRST_COLUMNS, "exported", "resume_key_type", "callback_dedupe_key"]


def next_turn(policy: str | None) -> list[dict[str, Any]]:
    """The input of the next turn when the history is kept as a list."""
    return [*apply_reasoning_item_id_policy(copy.deepcopy(HISTORY), policy), FOLLOW_UP]


async def next_turn_from_session(
    policy: str | None, new: list[dict[str, Any]], callback: Any = None
) -> list[dict[str, Any]]:
    """The input of the next turn when the history comes from a session store."""
    session = SQLiteSession("items")
    await session.add_items(copy.deepcopy(apply_reasoning_item_id_policy(HISTORY, policy)))
    prepared, _ = await prepare_input_with_session(new, session, callback, reasoning_item_id_policy=policy)
    session.close()
    return prepared


def row(
    case: str, policy: Any, items: list[dict[str, Any]], result: str | None = None, **members: Any
) -> dict[str, Any]:
    """One row; without a result of its own it says what became of the ids."""
    options = {"exported": "no", "resume_key_type": "business_key", **members}
    record = holdover_audit.make_record({"input": items}, run_id=f"{case}-items", policy=policy, **options)
    kept = "id_present" if record["ids_present"] else "id_stripped"
    return {
        **record,
        "case": case,
        "policy": record.get("reasoning_item_id_policy", ""),
        "ids_present": str(record["ids_present"]).lower(),
        "result": result or kept,
    }


def leak_row() -> dict[str, Any]:
    """F1: the fragment is written to a log."""
    items = next_turn("preserve")
    fragment = holdover_audit.reasoning_items({"input": items})
    log = json.dumps([{"type": item["type"], "id": item.get("id")} for item in fragment])
    result = "leak" if TENANT_ID.search(log) else None
    return row("F1_preserve_leak", "preserve", items, result, exported="raw")


def resume_row() -> dict[str, Any]:
    """F2: a resume looks for the checkpoint by its id."""
    items = next_turn("omit")
    found = any(item.get("id") == CHECKPOINT for item in items)
    return row("F2_omit_resume_miss", "omit", items, None if found else "resume_miss", resume_key_type="reasoning_id")


def unauditable_row() -> dict[str, Any]:
    """F3: the record says nothing about the policy."""
    made = row("F3_no_policy_snapshot", holdover_audit.NOT_RECORDED, next_turn("omit"))
    return {**made, "result": made["result"] if made["policy"] else "unauditable"}


async def dedupe_row() -> dict[str, Any]:
    """F4: history comes in twice, and the callback merges it by id."""
    items = await next_turn_from_session("omit", next_turn("omit"), merge_by_id)
    tokens = [item["encrypted_content"] for item in holdover_audit.reasoning_items({"input": items})]
    result = "dedupe_miss" if len(tokens) > len(set(tokens)) else None
    return row("F4_callback_id_dedupe_miss", "omit", items, result, callback_dedupe_key="id")


async def rows() -> list[dict[str, Any]]:
    """The seven rows, in the order of the table."""
    return [
        row("baseline_None", None, next_turn(None)),
        row("preserve", "preserve", next_turn("preserve")),
        row("omit", "omit", next_turn("omit")),
        leak_row(),
        resume_row(),
        unauditable_row(),
        await dedupe_row(),
    ]


def main() -> None:
    """Prints the table."""
    writer = csv.DictWriter(sys.stdout, COLUMNS, extrasaction="ignore", restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(asyncio.run(rows()))


if __name__ == "__main__":
    main()
