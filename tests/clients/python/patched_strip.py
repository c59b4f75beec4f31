"""Takes the strip function out of the SDK, to show that the checks notice when `omit` stops working.

    patched_strip.py agents_items.py            the table on item dicts: the omit rows flip to id_present
    patched_strip.py agents_policy.py row omit --unchecked
                                                the real runner: ids stay although the record says omit

Any program of this folder runs unchanged behind it.
"""

from __future__ import annotations

import contextlib
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents.run_internal import items as sdk_items


def keep_the_id(item: Any) -> Any:
    """What stands in for the SDK's function: identity."""
    return item


@contextlib.contextmanager
def patched() -> Iterator[None]:
    """Both places that strip (run items, and converted lists) look this one name up when they run."""
    original = sdk_items._without_reasoning_item_id
    sdk_items._without_reasoning_item_id = keep_the_id
    try:
        yield
    finally:
        sdk_items._without_reasoning_item_id = original


def main() -> None:
    """Runs another program of this folder with the patch in force."""
    program = Path(__file__).with_name(Path(sys.argv[1]).name)
    sys.argv = [str(program), *sys.argv[2:]]
    with patched():
        runpy.run_path(str(program), run_name="__main__")


if __name__ == "__main__":
    main()
