"""Every fault against every client, and the table of it in docs/faults.md.

    matrix.py CLIENT=COMMAND…            compares the table with the committed one
    HOLDOVER_BLESS=1 matrix.py …         writes it

A CLIENT is `openai-python`, `openai-agents` or `openai-node`, its COMMAND the program that plays cells. The binary is
`HOLDOVER_BIN`. Each cell is a session of its own with its fault planted by `PUT /_holdover/sessions/NAME`; what came of
it is read off the client's own results, the recording and the judge's verdict.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import programs

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "faults.md"
BEGIN = "<!-- From here to the catalogue: written by `HOLDOVER_BLESS=1 cargo xtask test fault-clients`. -->"
END = "<!-- From here on: written by `cargo xtask bless`. -->"
# Far above what one client needs for all cells.
LIMIT_S = 900
COUNTED = re.compile(r"(priorProtected=|I carry )\d+")

Turns = list[dict[str, Any]]
Exchange = dict[str, Any]


class Server:
    """`holdover serve` on a free port."""

    def __init__(self) -> None:
        line = [os.environ["HOLDOVER_BIN"], "serve", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        ready = self.process.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", ready)
        if not found:
            raise SystemExit(f"serve did not come up: {ready!r}")
        self.port = found[1]

    def call(self, method: str, path: str, body: Any = None) -> str:
        """One call of Holdover's own routes."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/_holdover/{path}", data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()

    def recording(self, session: str) -> list[Exchange]:
        """The exchanges of a session."""
        return [json.loads(line) for line in self.call("GET", f"recording?session={session}").splitlines()[1:]]

    def findings(self, session: str) -> tuple[list[str], list[str]]:
        """The rules of the judge's findings above `note`, and those of its notes, in order, each once."""
        verdict = json.loads(self.call("POST", f"sessions/{session}/finish", {}))
        split: tuple[list[str], list[str]] = ([], [])
        for finding in verdict["findings"]:
            split[finding["severity"] == "note"].append(finding["rule"])
        return list(dict.fromkeys(split[0])), list(dict.fromkeys(split[1]))


def session_name(client: str, fault: str) -> str:
    return f"{client}.{fault}"


def play(server: Server, client: str, command: str, faults: list[str]) -> dict[str, Turns]:
    """All cells of one client: what came of each turn, by fault. `none.MODE` are the runs without a fault."""
    lines = []
    for fault in faults:
        session = session_name(client, fault)
        is_free = fault.startswith("none.")
        mode = fault.removeprefix("none.") if is_free else programs.mode(fault)
        planted = [] if is_free else programs.planted(fault)
        server.call("PUT", f"sessions/{session}", {"world": "faults", "faults": planted})
        lines.append(f"{fault} {mode} {session}\n")
    done = subprocess.run(
        [*shlex.split(command), server.port],
        input="".join(lines),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    turns: dict[str, Turns] = {fault: [] for fault in faults}
    for line in done.stdout.splitlines():
        ended = json.loads(line)
        turns[ended["fault"]].append(ended)
    short = [fault for fault, ended in turns.items() if len(ended) < 4 and "hung" not in (ended or [{}])[-1]]
    if done.returncode or short:
        raise SystemExit(f"{client} did not play {short}\n{done.stderr[-3000:]}")
    return turns


def bare(item: dict[str, Any]) -> str:
    """An item without what differs from attempt to attempt; that a token is there counts."""
    kept = {key: value for key, value in item.items() if key not in ("id", "status", "type")}
    if "encrypted_content" in kept:
        kept["encrypted_content"] = bool(kept["encrypted_content"])
    if isinstance(kept.get("content"), str):
        kept["content"] = [{"type": "input_text", "text": kept["content"]}]
    # openai-node adds it to what it parses, and leaves it out where it did not parse.
    kept["content"] = [{key: part[key] for key in part if key != "parsed"} for part in kept.get("content") or []]
    return COUNTED.sub(r"\1", json.dumps(kept, sort_keys=True))


def creates(exchanges: list[Exchange]) -> list[Exchange]:
    return [exchange for exchange in exchanges if exchange["request"]["path"].endswith("/responses")]


def answer(exchange: Exchange) -> dict[str, Any] | None:
    """The response object of an exchange that was answered."""
    response = exchange.get("response") or {}
    events = response.get("events") or []
    objects = [event["response"] for event in events if "response" in event and event["type"] == "response.completed"]
    body = response.get("body")
    if response.get("status") == 200 and isinstance(body, dict) and body.get("object") == "response":
        objects.append(body)
    return objects[-1] if objects else None


def history(exchanges: list[Exchange]) -> list[str]:
    """What the model would have before it in the next turn."""
    by_anchor: dict[str, list[str]] = {}
    last: list[str] = []
    for exchange in creates(exchanges):
        body = exchange["request"]["body"]
        anchor = body.get("previous_response_id") or body.get("conversation")
        lines = list(by_anchor.get(anchor, []) if anchor else []) + [bare(item) for item in body["input"]]
        said = answer(exchange)
        if said:
            lines += [bare(item) for item in said["output"]]
            by_anchor[said["id"]] = lines
            if body.get("conversation"):
                by_anchor[body["conversation"]] = lines
        last = lines
    return last


def was_hit(exchanges: list[Exchange]) -> bool:
    """Whether the fault happened at all."""
    return any("x-holdover-fault" in (exchange.get("response") or {}).get("headers", {}) for exchange in exchanges)


def verdict(fault: str, turns: Turns, exchanges: list[Exchange], free: list[Exchange], found: tuple[list[str], list[str]]) -> str:
    """The cell: `recovered`, an error, silently wrong, or hung."""
    errors = [ended for ended in turns if "error" in ended]
    rules, notes = (", ".join(f"`{rule}`" for rule in part) for part in found)
    if any("hung" in ended for ended in turns):
        return "**hung**"
    if not was_hit(exchanges):
        return "not met"
    if errors:
        names = ", ".join(dict.fromkeys(f"`{ended['error']}`" for ended in errors))
        numbers = ", ".join(str(ended["turn"]) for ended in errors)
        return f"error in turn {numbers}: {names}" + (f"; then {rules}" if rules else "")
    if rules:
        return f"**silently wrong**: {rules}"
    if fault not in programs.ANSWERS_DIFFER and history(exchanges) != history(free):
        # The judge sees only what an outsider sees, but it must see something.
        assert notes, f"{fault}: silently wrong, and the judge found nothing"
        return f"**silently wrong**: {notes} (note)"
    return "recovered"


def cells(server: Server, client: str, command: str, faults: list[str]) -> dict[str, str]:
    """The column of one client."""
    free_runs = [f"none.{mode}" for mode in ("replay", "chain", "conversation", "compacted")]
    turns = play(server, client, command, free_runs + faults)
    recorded = {fault: server.recording(session_name(client, fault)) for fault in free_runs + faults}
    rules = {fault: server.findings(session_name(client, fault)) for fault in free_runs + faults}
    for name in free_runs:
        if rules[name][0] or any("text" not in ended for ended in turns[name]):
            raise SystemExit(f"{client} is not right without a fault: {name} {rules[name]} {turns[name]}")
    column = {}
    for fault in faults:
        free = recorded[f"none.{programs.mode(fault)}"]
        column[fault] = verdict(fault, turns[fault], recorded[fault], free, rules[fault])
    return column


def version(client: str, exchanges: list[Exchange]) -> str:
    """Version of a client as it names it itself on the wire."""
    for exchange in creates(exchanges):
        headers = exchange["request"]["headers"]
        agent = headers.get("user-agent", "")
        if client == "openai-agents":
            return agent.removeprefix("Agents/Python ")
        return headers.get("x-stainless-package-version") or agent.rsplit(" ", 1)[-1]
    raise SystemExit(f"{client} sent nothing")


KINDS = ("recovered", "error", "silently wrong", "hung", "not met")


def kind(cell: str) -> str:
    """Which of the kinds a cell is."""
    return next(name for name in KINDS if cell.replace("**", "").startswith(name))


def table(faults: list[str], columns: dict[str, dict[str, str]], versions: dict[str, str]) -> str:
    """The generated part of the page."""
    heads = [f"{client} {versions[client]}" for client in columns]
    counts = []
    for client, column in columns.items():
        kinds = [kind(cell) for cell in column.values()]
        counts.append(f"- {client}: " + ", ".join(f"{kinds.count(name)} {name}" for name in KINDS if name in kinds))
    lines = [
        f"| fault | {' | '.join(heads)} |",
        f"|---|{'---|' * len(heads)}",
        *(f"| `{fault}` | {' | '.join(column[fault] for column in columns.values())} |" for fault in faults),
    ]
    return "\n".join(["", *counts, "", *lines, "", ""])


def compare(text: str) -> None:
    """Compares the page, or writes it."""
    page = PAGE.read_text(encoding="utf-8")
    head, rest = page.split(BEGIN, 1)
    committed, tail = rest.split(END, 1)
    generated = f"\n{text}"
    if os.environ.get("HOLDOVER_BLESS"):
        PAGE.write_text(head + BEGIN + generated + END + tail, encoding="utf-8")
        return
    if committed != generated:
        lines = difflib.unified_diff(committed.splitlines(), generated.splitlines(), "docs/faults.md", "now", "", "", 0)
        raise SystemExit(
            "\n".join(lines) + "\nthe table of docs/faults.md is out of date: "
            "`HOLDOVER_BLESS=1 cargo xtask test fault-clients` writes it"
        )


def main() -> None:
    clients = dict(argument.split("=", 1) for argument in sys.argv[1:])
    server = Server()
    try:
        listed = json.loads(server.call("GET", "faults"))
        faults = [entry["name"] for entry in listed["faults"]]
        with ThreadPoolExecutor(len(clients)) as pool:
            played = {
                client: pool.submit(cells, server, client, command, faults) for client, command in clients.items()
            }
            columns = {client: future.result() for client, future in played.items()}
        versions = {client: version(client, server.recording(session_name(client, "none.replay"))) for client in clients}
        compare(table(faults, columns, versions))
    finally:
        server.process.terminate()
        server.process.wait()


if __name__ == "__main__":
    main()
