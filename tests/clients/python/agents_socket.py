"""The Agents SDK over its WebSocket transport: a tool loop and a second turn on one connection.

    agents_socket.py              keeps the items
    agents_socket.py text-only    rebuilds the history from the answer's text
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from agents import Agent, ModelSettings, OpenAIProvider, RunConfig, Runner, function_tool, set_tracing_disabled
from openai.types.shared import Reasoning

set_tracing_disabled(True)
CALLS: list[str] = []


@function_tool
def lookup(key: str) -> str:
    """Look a fact up by its key."""
    CALLS.append(key)
    return "42"


AGENT = Agent(
    name="planner",
    instructions="You plan migrations. Look facts up before you decide.",
    tools=[lookup],
    model="gpt-5.6",
    model_settings=ModelSettings(
        reasoning=Reasoning(effort="low"), store=False, response_include=["reasoning.encrypted_content"]
    ),
)


async def main(variant: str) -> None:
    """Two turns; the first goes through the tool."""
    provider = OpenAIProvider(
        api_key=os.environ["OPENAI_API_KEY"], base_url=os.environ["OPENAI_BASE_URL"], use_responses_websocket=True
    )
    config = RunConfig(model_provider=provider)
    first = await Runner.run(AGENT, "Plan the migration.", run_config=config)
    assert CALLS, "the tool was never called"
    history: list[Any] = first.to_input_list()
    if variant == "text-only":
        history = [
            {"role": "user", "content": "Plan the migration."},
            {"role": "assistant", "content": first.final_output},
        ]
    second = await Runner.run(AGENT, [*history, {"role": "user", "content": "And the way back?"}], run_config=config)
    print(second.final_output)
    await provider.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "whole"))
