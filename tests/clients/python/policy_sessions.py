"""The ways a program keeps its history between turns, each with a tool loop and a follow-up turn.

`list`    the result's `to_input_list()` plus the new message
`sqlite`  a `SQLiteSession`; the second turn reads the history from the file
`state`   the tool needs approval: the `RunState` is saved, another process loads it, approves and goes on

A fourth one, `conversations`, keeps the history in the Conversations API. The SDK exempts it from the policy: the ids
stay in the store, and come back with the history, whatever the policy says (P12).
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from agents import OpenAIConversationsSession, RunState, SQLiteSession

from policy_app import FIRST_MESSAGE, FOLLOW_UP, App

KINDS = ("list", "sqlite", "state")
EXEMPT_KIND = "conversations"


async def play(app: App, kind: str) -> None:
    """Plays the whole conversation with one kind of session."""
    if kind == "list":
        await play_list(app)
    elif kind == "sqlite":
        await play_sqlite(app)
    elif kind == EXEMPT_KIND:
        await play_conversations(app)
    else:
        await play_state(app)


async def play_list(app: App) -> None:
    first = await app.run(FIRST_MESSAGE)
    await app.run([*first.to_input_list(), user(FOLLOW_UP)])


async def play_sqlite(app: App) -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = SQLiteSession("planner", Path(folder) / "history.db")
        await app.run(FIRST_MESSAGE, session=session)
        await app.run(FOLLOW_UP, session=session)
        session.close()


async def play_conversations(app: App) -> None:
    session = OpenAIConversationsSession(openai_client=app.client)
    await app.run(FIRST_MESSAGE, session=session)
    await app.run(FOLLOW_UP, session=session)


async def play_state(app: App) -> None:
    """The first process: stops at the approval, saves, and hands over to a new process."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "state.json"
        interrupted = await app.run(FIRST_MESSAGE, resume_key_type="run_state")
        assert interrupted.interruptions, "the tool call must wait for approval"
        file.write_text(json.dumps(interrupted.to_state().to_json()), encoding="utf-8")
        command = [sys.executable, *sys.argv[:1], "resume", str(file), *resume_arguments(app)]
        sys.stdout.flush()
        await asyncio.to_thread(subprocess.run, command, check=True)


def resume_arguments(app: App) -> list[str]:
    """What the second process needs besides the state. Not the policy: that travels in the state."""
    name = ["--name", app.case] if app.case else []
    return [*name, "--runs-before", str(app.runs), *(["--stream"] if app.stream else [])]


async def resume_state(app: App, file: Path) -> str | None:
    """The second process: loads, approves, finishes the tool loop, and takes the follow-up turn. Returns the policy."""
    saved = json.loads(file.read_text(encoding="utf-8"))
    state = await RunState.from_json(app.agent, saved)
    for interruption in state.get_interruptions():
        state.approve(interruption)
    policy = saved["reasoning_item_id_policy"]
    # The run itself takes the policy from the state; only what the record says has to be told.
    app.recorded_policy = policy
    finished = await app.run(state, resume_key_type="run_state")
    # A fresh run inherits nothing, so the program sets the policy again.
    app.policy = policy
    await app.run([*finished.to_input_list(), user(FOLLOW_UP)], resume_key_type="run_state")
    return policy


def user(text: str) -> dict[str, Any]:
    """A user message as an input item."""
    return {"role": "user", "content": text}
