"""The emitter of the wheel is the file that the repository's own clients copy, and its vectors are tested there."""

from __future__ import annotations

from pathlib import Path

from holdover import audit

ORIGINAL = Path(__file__).parents[3] / "tests" / "clients" / "python" / "holdover_audit.py"


def test_the_wheel_has_the_emitter_of_the_repository():
    assert Path(audit.__file__).read_bytes() == ORIGINAL.read_bytes()
