"""The four planted mistakes around `reasoning_item_id_policy`, written the way programs really make them.

None of them is visible in the model's answers: the run succeeds, and the damage shows elsewhere.
"""

from __future__ import annotations

import json
import logging
import tempfile
from pathlib import Path
from typing import Any

from agents import RunHooks, SQLiteSession

import holdover_audit
import holdover_session
from policy_app import FIRST_MESSAGE, FOLLOW_UP, App
from policy_sessions import play_sqlite, user


class FragmentLog(RunHooks):
    """F1: logs what is about to be replayed. The payload is left out with care; the ids are not."""

    def __init__(self, log: logging.Logger) -> None:
        self.log = log

    async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: list[Any]) -> None:
        fragment = [
            {"type": item.get("type"), "id": item.get("id"), "summary_parts": len(item.get("summary") or [])}
            for item in input_items
            if item.get("type") == "reasoning"
        ]
        if fragment:
            self.log.info("replaying %s", json.dumps(fragment))


def logger_into(file: Path | None) -> logging.Logger:
    """A logger that writes one file and nothing else; without a file it swallows what it gets."""
    log = logging.getLogger("planner")
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(logging.FileHandler(file, encoding="utf-8") if file else logging.NullHandler())
    return log


async def preserve_leak(case: str | None, stream: bool) -> App:
    """F1: ids are preserved, and the fragment goes to a log file."""
    log = logger_into(holdover_session.export_file(case, "planner.log"))
    app = App(case, "preserve", stream, exported="raw", hooks=FragmentLog(log))
    await play_sqlite(app)
    for handler in log.handlers:
        handler.close()
    return app


async def omit_resume_miss(case: str | None, stream: bool) -> App:
    """F2: the program notes the id of the last reasoning item as its checkpoint, then looks for it in the history."""
    app = App(case, "omit", stream, resume_key_type="reasoning_id")
    with tempfile.TemporaryDirectory() as folder:
        session = SQLiteSession("planner", Path(folder) / "history.db")
        first = await app.run(FIRST_MESSAGE, session=session)
        # The run item still shows its id; the stored history no longer has it.
        checkpoint = [item.raw_item.id for item in first.new_items if item.type == "reasoning_item"][-1]
        stored = await session.get_items()
        found = [position for position, item in enumerate(stored) if item.get("id") == checkpoint]
        assert not found, "omit must have taken the id out of the store"
        print("resume: the checkpoint is not in the history; starting from the whole of it")
        await app.run(FOLLOW_UP, session=session)
        session.close()
    return app


async def no_policy_snapshot(case: str | None, stream: bool) -> App:
    """F3: all is right on the wire, but the audit record does not say which policy was in force."""
    app = App(case, "omit", stream, recorded_policy=holdover_audit.NOT_RECORDED)
    await play_sqlite(app)
    return app


def merge_by_id(history: list[Any], new: list[Any]) -> list[Any]:
    """F4's callback: what is already known by its id is not taken again. Items without an id are always new."""
    known = {key(item) for item in history}
    return history + [item for item in new if key(item) is None or key(item) not in known]


def key(item: dict[str, Any]) -> str | None:
    """The id; tool outputs have a call id, and user messages are told apart by their text."""
    if item.get("role") == "user":
        return json.dumps(item.get("content"))
    if item.get("type") == "function_call_output":
        return f"output:{item.get('call_id')}"
    return item.get("id")


async def callback_id_dedupe_miss(case: str | None, stream: bool) -> App:
    """F4: the front end sends the whole history again, and the callback is to merge it with the stored one."""
    app = App(
        case,
        "omit",
        stream,
        session_input_callback=merge_by_id,
        audit_extra={"callback_dedupe_key": "id"},
    )
    with tempfile.TemporaryDirectory() as folder:
        session = SQLiteSession("planner", Path(folder) / "history.db")
        first = await app.run(FIRST_MESSAGE, session=session)
        await app.run([*first.to_input_list(), user(FOLLOW_UP)], session=session)
        session.close()
    return app
