"""Plays cells in a Python client; one JSON line a turn on stdout.

    python_cells.py MODULE PORT    with lines `fault mode session` on stdin

Cells run side by side, each in a thread; a turn that does not end in time is `hung`, and its cell stops there.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import sys
import threading
from typing import Any

import programs

# What the client itself is told, and what is hung for the matrix.
TIMEOUT_S = 5.0
HUNG_S = 30.0
SIDE_BY_SIDE = 6

lock = threading.Lock()


def say(**line: Any) -> None:
    """One line of the answer."""
    with lock:
        print(json.dumps(line), flush=True)


def played(talk: Any, question: str) -> dict[str, Any]:
    """How one turn ended."""
    box: queue.Queue[dict[str, Any]] = queue.Queue()

    def run() -> None:
        try:
            box.put({"text": talk.turn(question)})
        except Exception as error:  # noqa: BLE001: what the client raises is what is measured
            box.put({"error": type(error).__name__, "message": str(error)[:300]})

    threading.Thread(target=run, daemon=True).start()
    try:
        return box.get(timeout=HUNG_S)
    except queue.Empty:
        return {"hung": True}


def cell(module: Any, port: str, fault: str, mode: str, session: str) -> None:
    """All turns of one cell."""
    talk = module.Talk(f"http://127.0.0.1:{port}/s/{session}/v1", mode, TIMEOUT_S)
    for number, question in enumerate(programs.QUESTIONS, 1):
        ended = played(talk, question)
        say(fault=fault, turn=number, **ended)
        if "hung" in ended:
            return


def worker(module: Any, port: str, cells: queue.Queue[str]) -> None:
    """Takes cells until there is none."""
    while True:
        try:
            line = cells.get_nowait()
        except queue.Empty:
            return
        cell(module, port, *line.split())


def main() -> None:
    module = importlib.import_module(sys.argv[1])
    cells: queue.Queue[str] = queue.Queue()
    for line in sys.stdin:
        cells.put(line)
    workers = [
        threading.Thread(target=worker, args=(module, sys.argv[2], cells), daemon=True) for _ in range(SIDE_BY_SIDE)
    ]
    for thread in workers:
        thread.start()
    for thread in workers:
        thread.join()
    sys.stdout.flush()
    # A turn that hangs must not keep the process alive.
    os._exit(0)


if __name__ == "__main__":
    main()
