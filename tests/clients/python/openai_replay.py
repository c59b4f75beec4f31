"""Drives the real openai-python client by hand: three turns in stateless mode, the history kept by the program.

    openai_replay.py json           right: `response.output` goes back as it came
    openai_replay.py stream         right: the same from `responses.stream(…)` and `get_final_response()`
    openai_replay.py events         right: the items of `response.output_item.done`, collected from the raw stream
    openai_replay.py output-text    wrong: the assistant's turn is rebuilt from `output_text`
    openai_replay.py stream-text    wrong: only the text pieces of the stream are kept
    openai_replay.py role-text      wrong: the store is a JSON file of role and text
    openai_replay.py debug-log      wrong: right history, but the whole response goes to a debug log
    openai_replay.py all            each in a session of its own, `openai.<variant>`

A right variant also checks itself: the fake must count 0, 1, 2 protected items in the three answers.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openai import OpenAI

import holdover_session

QUESTIONS = ("Plan the migration.", "What is the next step?", "And after that?")
REQUEST: dict[str, Any] = {
    "model": "gpt-5.6",
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "reasoning": {"effort": "low"},
    "instructions": "You plan migrations.",
}
COUNT = re.compile(r"priorProtected=(\d+)")

# A turn takes the client and the history with the new question; it gives the answer's text and what the program keeps.
Turn = Callable[[OpenAI, list[Any]], tuple[str, list[Any]]]


def ask(client: OpenAI, history: list[Any]) -> Any:
    """One request and its JSON answer."""
    return client.responses.create(input=history, **REQUEST)


def keep_output(client: OpenAI, history: list[Any]) -> tuple[str, list[Any]]:
    """Right: every output item goes back."""
    response = ask(client, history)
    return response.output_text, list(response.output)


def keep_final_response(client: OpenAI, history: list[Any]) -> tuple[str, list[Any]]:
    """Right: the stream's final response holds every output item."""
    with client.responses.stream(input=history, **REQUEST) as stream:
        response = stream.get_final_response()
    return response.output_text, list(response.output)


def keep_done_items(client: OpenAI, history: list[Any]) -> tuple[str, list[Any]]:
    """Right: each finished item is kept when it arrives."""
    text, items = "", []
    for event in client.responses.create(input=history, stream=True, **REQUEST):
        if event.type == "response.output_text.delta":
            text += event.delta
        elif event.type == "response.output_item.done":
            items.append(event.item)
    return text, items


def keep_output_text(client: OpenAI, history: list[Any]) -> tuple[str, list[Any]]:
    """Wrong: what was shown to the user is taken for the turn."""
    response = ask(client, history)
    return response.output_text, [{"role": "assistant", "content": response.output_text}]


def keep_stream_text(client: OpenAI, history: list[Any]) -> tuple[str, list[Any]]:
    """Wrong: the text is joined, the reasoning that came in other events is not."""
    text = "".join(
        event.delta
        for event in client.responses.create(input=history, stream=True, **REQUEST)
        if event.type == "response.output_text.delta"
    )
    return text, [{"role": "assistant", "content": text}]


def with_debug_log(case: str | None) -> Turn:
    """Wrong: the history is right, but the whole response goes to a log."""
    file = holdover_session.export_file(case, "debug.log")
    log = logging.getLogger("client")
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(logging.FileHandler(file, encoding="utf-8") if file else logging.NullHandler())

    def turn(client: OpenAI, history: list[Any]) -> tuple[str, list[Any]]:
        response = ask(client, history)
        log.debug("response %s", response.model_dump_json())
        return response.output_text, list(response.output)

    return turn


def converse(client: OpenAI, turn: Turn) -> list[str]:
    """Three turns with the history in memory; gives the three answers."""
    history: list[Any] = []
    answers = []
    for question in QUESTIONS:
        history.append({"role": "user", "content": question})
        text, kept = turn(client, history)
        history.extend(kept)
        answers.append(text)
    return answers


def converse_through_records(client: OpenAI) -> list[str]:
    """Wrong: between turns the conversation lives in a JSON file that has room for role and text only."""
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "conversation.json"
        store.write_text("[]", encoding="utf-8")
        for question in QUESTIONS:
            records = [*json.loads(store.read_text(encoding="utf-8")), {"role": "user", "content": question}]
            text = ask(client, records).output_text
            store.write_text(json.dumps([*records, {"role": "assistant", "content": text}]), encoding="utf-8")
            answers.append(text)
    return answers


RIGHT: dict[str, Turn] = {"json": keep_output, "stream": keep_final_response, "events": keep_done_items}
WRONG: dict[str, Turn] = {"output-text": keep_output_text, "stream-text": keep_stream_text}
VARIANTS = (*RIGHT, *WRONG, "role-text", "debug-log")


def play(variant: str, case: str | None) -> None:
    """One variant in one session."""
    client = OpenAI(base_url=holdover_session.base_url(case), api_key=holdover_session.api_key())
    if variant == "role-text":
        answers = converse_through_records(client)
    elif variant == "debug-log":
        answers = converse(client, with_debug_log(case))
    else:
        answers = converse(client, (RIGHT | WRONG)[variant])
    for number, answer in enumerate(answers, start=1):
        print(f"{variant} turn {number}: {answer}")
    if variant in RIGHT:
        counts = [int(found) for answer in answers for found in COUNT.findall(answer)]
        assert counts == [0, 1, 2], f"{variant}: the answers count {counts}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("variant", choices=[*VARIANTS, "all"])
    parser.add_argument("--name", help="session of its own; without it, the session Holdover chose")
    options = parser.parse_args()
    if options.variant == "all":
        for variant in VARIANTS:
            play(variant, f"openai.{variant}")
    else:
        play(options.variant, options.name)


if __name__ == "__main__":
    main()
