"""Clients for the exit codes of `holdover test`, on the standard library alone (any Python 3.9 or newer runs them).

    trivial_client.py clean          three right turns                           0
    trivial_client.py lossy          rebuilds the history from text              4
    trivial_client.py leaking        logs the whole response                     4
    trivial_client.py failing        three right turns, then exits with 7        6
    trivial_client.py lossy-failing  loses the reasoning and exits with 7        4
    trivial_client.py no-reasoning   asks with effort `none`                     5
    trivial_client.py silent         asks nothing and exits with 0               3
    trivial_client.py silent-failing asks nothing and exits with 7               6
    trivial_client.py hanging        one turn, then never ends (use --timeout)   3
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.request
from pathlib import Path

QUESTIONS = ("Plan the migration.", "What is the next step?", "And after that?")


def ask(history: list, effort: str = "low") -> dict:
    """One request and its answer."""
    body = {
        "model": "gpt-5.6",
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": effort},
        "input": history,
    }
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/responses",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def text_of(response: dict) -> str:
    """The visible text of an answer."""
    parts = (part for item in response["output"] if item["type"] == "message" for part in item["content"])
    return "".join(part.get("text", "") for part in parts)


def converse(keep, turns: int = 3, effort: str = "low") -> None:
    """Some turns; `keep` says what of an answer goes back."""
    history: list = []
    for question in QUESTIONS[:turns]:
        history.append({"role": "user", "content": question})
        response = ask(history, effort)
        print(text_of(response))
        history.extend(keep(response))


def everything(response: dict) -> list:
    """Right: every output item."""
    return response["output"]


def text_only(response: dict) -> list:
    """Wrong: the visible text."""
    return [{"role": "assistant", "content": text_of(response)}]


def logged(response: dict) -> list:
    """Wrong: right history, but the answer goes to a log as it is."""
    folder = Path(os.environ.get("HOLDOVER_EXPORT_DIR", ".")) / os.environ.get("HOLDOVER_SESSION", "default")
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "client.log", "a", encoding="utf-8") as log:
        log.write(json.dumps(response) + "\n")
    return response["output"]


def hang() -> None:
    """Says something, then waits for ever."""
    converse(everything, turns=1)
    sys.stdout.flush()
    while True:
        time.sleep(60)


def main() -> int:
    """Plays one client; the exit code is its own."""
    kind = sys.argv[1]
    if kind in ("clean", "failing"):
        converse(everything)
    elif kind in ("lossy", "lossy-failing"):
        converse(text_only)
    elif kind == "leaking":
        converse(logged)
    elif kind == "no-reasoning":
        converse(everything, effort="none")
    elif kind == "hanging":
        hang()
    elif kind not in ("silent", "silent-failing"):
        sys.exit(f"unknown kind {kind}")
    return 7 if kind.endswith("failing") else 0


if __name__ == "__main__":
    sys.exit(main())
