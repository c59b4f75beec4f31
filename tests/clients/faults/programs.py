"""What every client plays in every cell: four turns, of which the second meets the fault.

A cell is one fault in one client. How state travels is chosen by the fault: most of them concern a history that the
client replays, some a chain of responses, a conversation, or a compacted history.
"""

from __future__ import annotations

QUESTIONS = (
    "Plan the move to the new office.",
    "And what does it cost?",
    "And which risks do we take?",
    "And who decides?",
)

# Waits are a fraction of what they are in life, so that the whole matrix takes minutes.
OPTIONS: dict[str, str] = {
    "first-byte": "ms=50",
    "pause": "ms=10",
    "jitter": "ms=10",
    "trickle": "size=256,ms=1",
    "bandwidth": "bytes-per-second=20000",
    "rate-limit": "seconds=1",
    "rate-limit-ms": "ms=100",
    "rate-limit-text": "ms=100",
}

# Where state is kept on the server; everywhere else the client replays it under `store: false`.
MODES: dict[str, str] = {
    "chain-expired": "chain",
    "zdr-chain": "chain",
    "not-visible": "chain",
    "other-backend": "chain",
    "conversation-locked": "conversation",
    "compaction-undecodable": "compacted",
}

# Faults under which the service says something else than it would have: a right history differs from that of the run
# without the fault.
ANSWERS_DIFFER = frozenset(
    """item-unknown incomplete summary-empty summary-two-parts reasoning-twice reasoning-twice-refused reasoning-only
    reasoning-only-incomplete token-absent token-empty token-null""".split()
)


def planted(fault: str) -> list[str]:
    """The faults of a cell, as `PUT sessions/NAME` takes them."""
    options = OPTIONS.get(fault)
    flag = f"{fault}:{options},turn=2" if options else f"{fault}:turn=2"
    # A renamed code needs a refusal to rename.
    return ["verify-fail:turn=2", flag] if fault == "error-renamed" else [flag]


def mode(fault: str) -> str:
    """How the client keeps its state in this cell."""
    return MODES.get(fault, "replay")
