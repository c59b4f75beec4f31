"""Conversations that pytest-xdist spreads over its workers, each in a session named by its test id.

`test_workers.py` runs this file and then looks at what the server holds. Every tenth conversation keeps only the text, so that a
finding that strays into a neighbour shows.
"""

from __future__ import annotations

import os

import pytest
from openai import OpenAI

COUNT = 400
LOSSY_EVERY = 10


def session(test_id: str) -> str:
    """The session of a test: the id without the characters that a name may not have."""
    return test_id.replace("[", ".").replace("]", "")


@pytest.mark.parametrize("number", range(COUNT))
def test_conversation(number: int, request: pytest.FixtureRequest) -> None:
    """Three turns; the answers count what came back."""
    name = session(request.node.name)
    client = OpenAI(base_url=f"{os.environ['BOARD_SERVER']}/s/{name}/v1", api_key="sk-any")
    history: list = []
    for turn in range(3):
        history.append({"role": "user", "content": f"{name}, turn {turn}"})
        response = client.responses.create(
            model="gpt-5.6", input=history, store=False, include=["reasoning.encrypted_content"]
        )
        if number % LOSSY_EVERY == 0:
            history.append({"role": "assistant", "content": response.output_text})
        else:
            history.extend(response.output)
            assert f"priorProtected={turn}" in response.output_text
