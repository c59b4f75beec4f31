"""A second reading of the board: follows issued and carried items field by field, and knows nothing of the judge.

    follow.py FOLDER [--show]      FOLDER holds a folder for each client: cells.json, recordings/, printed/

For each cell it says which facts are bad (state is lost, changed, doubled, mixed, refused, or leaked), and compares
"something is bad" with the board's verdict. A difference must stand in `differences.toml` beside this file with its
explanation, and an entry there that is no difference any more fails, too.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import follow_wires
from follow_programs import RESETS, TRIMS

# Members that an item may have beside those that were issued: of its type, or of newer versions of the API.
MEMBERS = {"type", "id", "role", "status", "content", "phase", "name", "arguments", "call_id", "summary"}
MEMBERS |= {"encrypted_content", "caller", "namespace", "async", "created_by", "agent"}
ANCHORS = ("previous_response_id", "conversation")


def output(response: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The items that a response issued, as they were when they were done."""
    if not response or response["status"] >= 400:
        return []
    if response.get("body"):
        return response["body"].get("output", [])
    done = [event["item"] for event in response.get("events") or [] if event["type"] == "response.output_item.done"]
    return done


def tokens(response: dict[str, Any] | None) -> dict[str, set[str]]:
    """Every full token that a response gave to an item: the one of `added` is not full."""
    found: dict[str, set[str]] = {}
    if not response:
        return found
    events = [event for event in response.get("events") or [] if event["type"] != "response.output_item.added"]

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if value.get("type") == "reasoning" and value.get("encrypted_content"):
                found.setdefault(value["id"], set()).add(value["encrypted_content"])
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(response.get("body"))
    walk(events)
    return found


def text(item: dict[str, Any]) -> str:
    """The text of a message."""
    content = item.get("content")
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


def identity(response: dict[str, Any] | None) -> str:
    """The id of a streamed response."""
    events = (response or {}).get("events") or []
    return next((event["response"]["id"] for event in events if "response" in event), "")


def is_create(exchange: dict[str, Any]) -> bool:
    """Whether an exchange is a request for a response."""
    request = exchange["request"]
    path = request["path"].split("?")[0].rstrip("/")
    return path.endswith("/responses") and (request["method"] == "POST" or exchange["transport"] == "ws")


class Reading:
    """One recording, request by request."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.bad: list[str] = []
        self.issued: list[dict[str, Any]] = []
        self.tokens: dict[str, set[str]] = {}
        self.stored: dict[str, bool] = {}
        # What the server holds under an anchor.
        self.held: set[int] = set()
        # What warm-ups of a socket brought, by the ids of their responses.
        self.warm: dict[str, list[dict[str, Any]]] = {}

    def say(self, number: int, fact: str) -> None:
        """A bad fact."""
        self.bad.append(f"request {number}: {fact}")

    def exchange(self, number: int, exchange: dict[str, Any]) -> None:
        """One request against all that was issued before it, then its response."""
        body, response = exchange["request"]["body"] or {}, exchange["response"]
        given = body.get("input")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given or []
        anchored = [name for name in ANCHORS if body.get(name)]
        if body.get("previous_response_id") in self.warm:
            # Nothing was answered there: it is the beginning of this very request.
            items, anchored = [*self.warm[body["previous_response_id"]], *items], []
        if body.get("generate") is False:
            self.warm[identity(response)] = items
            return
        last = next((text(item) for item in reversed(items) if item.get("role") == "user"), "")
        if last == RESETS.get(self.program) and not any(item.get("type") == "function_call_output" for item in items):
            self.issued = []
        if len(anchored) > 1:
            self.say(number, "both anchors")
        if anchored:
            self.beside_anchor(number, items)
        else:
            self.replayed(number, items)
        if response and response["status"] >= 400:
            self.say(number, f"refused with {response['status']}")
        for item in output(response):
            self.issued.append(item)
            self.stored[item.get("id", "")] = body.get("store") is not False
        for name, values in tokens(response).items():
            self.tokens.setdefault(name, set()).update(values)

    def beside_anchor(self, number: int, items: list[dict[str, Any]]) -> None:
        """The server holds the history: what comes with it is doubled."""
        ids = {item.get("id") for item in self.issued}
        calls = {item["call_id"] for item in self.issued if item["type"] == "function_call"}
        for item in items:
            is_call = item.get("type") == "function_call" and item.get("call_id") in calls
            if is_call or (item.get("id") in ids and item.get("type") in ("reasoning", "message")):
                self.say(number, f"{item['type']} beside an anchor that holds it")

    def replayed(self, number: int, items: list[dict[str, Any]]) -> None:
        """The client holds the history: everything issued must be there, once, unchanged, in order."""
        places = [self.place(item, items) for item in self.issued]
        groups = self.groups()
        for group in groups:
            followers = [index for index in group if self.issued[index]["type"] != "reasoning"]
            for index in group:
                item, place = self.issued[index], places[index]
                if item["type"] == "reasoning":
                    gone = place is None and all(places[follower] is None for follower in followers)
                    if place is None and not (gone and self.program in TRIMS):
                        self.say(number, f"reasoning {index} is not there")
                    elif place is not None:
                        self.reasoning(number, index, items[place])
                elif place is None and self.program not in TRIMS:
                    self.say(number, f"{item['type']} {index} is not there")
        for item, place in zip(self.issued, places, strict=True):
            if place is not None and items[place].get("type") != "item_reference":
                added = set(items[place]) - set(item) - MEMBERS
                if added:
                    self.say(number, f"{item['type']} with members that were never issued: {sorted(added)}")
        there = [place for place in places if place is not None]
        if there != sorted(there):
            self.say(number, "the order is another")
        carried = Counter(item["encrypted_content"] for item in items if item.get("encrypted_content"))
        if any(count > 1 for count in carried.values()):
            self.say(number, "a token twice")
        self.strangers(number, items)

    def groups(self) -> list[list[int]]:
        """Indexes of what was issued: a reasoning item and what it led to."""
        groups: list[list[int]] = []
        for index, item in enumerate(self.issued):
            if item["type"] == "reasoning" or not groups:
                groups.append([])
            groups[-1].append(index)
        return groups

    def place(self, item: dict[str, Any], items: list[dict[str, Any]]) -> int | None:
        """Where an issued item came back."""
        for index, sent in enumerate(items):
            if sent.get("type") == "item_reference":
                same = sent["id"] == item["id"] and self.stored[item["id"]]
            elif item["type"] == "reasoning":
                same = sent.get("type") == "reasoning" and self.same_reasoning(item, sent)
            elif item["type"] == "function_call":
                same = sent.get("type") == "function_call" and sent.get("call_id") == item["call_id"]
                same = same and sent.get("name") == item["name"]
                same = same and json.loads(sent.get("arguments") or "{}") == json.loads(item["arguments"])
            else:
                same = sent.get("role") == "assistant" and text(sent) == text(item)
            if same:
                return index
        return None

    def same_reasoning(self, item: dict[str, Any], sent: dict[str, Any]) -> bool:
        """By id, or by token where the id is gone."""
        if sent.get("id"):
            return sent["id"] == item["id"]
        return sent.get("encrypted_content") in self.tokens.get(item["id"], set())

    def reasoning(self, number: int, index: int, sent: dict[str, Any]) -> None:
        """A reasoning item that came back: is it whole?"""
        item = self.issued[index]
        if sent.get("type") == "item_reference":
            return
        full = self.tokens.get(item["id"], set())
        token = sent.get("encrypted_content")
        if token and token not in full:
            self.say(number, f"reasoning {index} has another token than it was issued with")
        if not token and not self.stored[item["id"]]:
            self.say(number, f"reasoning {index} has no token, and the server stored nothing")
        if not token and not sent.get("id"):
            self.say(number, f"reasoning {index} has neither id nor token")

    def strangers(self, number: int, items: list[dict[str, Any]]) -> None:
        """What the client made: calls that nobody made, calls without output, reasoning as text."""
        calls = {item["call_id"] for item in self.issued if item["type"] == "function_call"}
        outputs = {item.get("call_id") for item in items if item.get("type") == "function_call_output"}
        sent = {item.get("call_id") for item in items if item.get("type") == "function_call"}
        if sent - calls:
            self.say(number, "a call that was never issued")
        if sent - outputs:
            self.say(number, "a call without its output")
        if outputs - sent:
            self.say(number, "an output without its call")
        known = {item.get("id") for item in self.issued}
        if any(item.get("type") == "reasoning" and item.get("id") and item["id"] not in known for item in items):
            self.say(number, "reasoning under an id that was never issued")
        summaries = [part["text"] for item in self.issued for part in item.get("summary") or []]
        said = [text(item) for item in items if item.get("role") == "assistant"]
        if any(summary in message for summary in summaries for message in said):
            self.say(number, "a summary as text of a message")

    def printed(self, output: str) -> None:
        """What a debug log shows."""
        for name, values in self.tokens.items():
            if any(value[:64] in output for value in values):
                self.bad.append("a token in the log")
                return
            if name in output:
                self.bad.append("the id of a reasoning item in the log")
                return


def read(folder: Path, program: str) -> list[str]:
    """The bad facts of one cell."""
    lines = (folder / "recordings" / f"{program}.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    exchanges = [json.loads(line) for line in lines]
    creates = [exchange for exchange in exchanges if is_create(exchange)]
    foreign = [exchange for exchange in exchanges if follow_wires.wire(exchange)]
    reading = follow_wires.WireReading(program) if foreign else Reading(program)
    for number, exchange in enumerate(foreign or creates, start=1):
        reading.exchange(number, exchange)
    log = folder / "printed" / f"{program}.txt"
    if program == "debug-log" and log.exists():
        reading.printed(log.read_text(encoding="utf-8", errors="replace"))
    return reading.bad


def main() -> None:
    """The command line."""
    board, show = Path(sys.argv[1]), "--show" in sys.argv
    with open(Path(__file__).with_name("differences.toml"), "rb") as file:
        explained = {(entry["client"], entry["program"]) for entry in tomllib.load(file)["difference"]}
    different, cells, wrong = set(), 0, []
    for folder in sorted(path for path in board.iterdir() if (path / "cells.json").exists()):
        for cell in json.loads((folder / "cells.json").read_text(encoding="utf-8")):
            if cell["verdict"] == "not-applicable":
                continue
            cells += 1
            bad = read(folder, cell["program"])
            if show:
                print(folder.name, cell["program"], cell["verdict"], bad[:3])
            if bool(bad) != (cell["verdict"] != "clean"):
                different.add((folder.name, cell["program"]))
                if (folder.name, cell["program"]) not in explained:
                    wrong.append(f"{folder.name} {cell['program']}: the board says {cell['verdict']}, the script {bad[:3]}")
    stale = explained - different
    wrong += [f"{client} {program}: explained, and no difference" for client, program in sorted(stale)]
    print(f"second reading: {cells} cells, {len(different)} different from the board, {len(explained)} explained")
    if wrong or cells == 0:
        sys.exit("\n".join(wrong) or "there was no cell to read")


if __name__ == "__main__":
    main()
