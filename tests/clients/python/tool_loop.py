"""The smallest Agents SDK program: one agent, one tool, one question. Needs no scenario: `serve --auto-tools any`.

    tool_loop.py [--stream]

It sets nothing about state, so it runs as most programs do (`store` unset, history inside the run), and it must finish
the loop.
"""

from __future__ import annotations

import argparse
import asyncio

from agents import Agent, ModelSettings, Runner, function_tool, set_tracing_disabled
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
    model_settings=ModelSettings(reasoning=Reasoning(effort="low")),
)


async def answer(question: str, stream: bool) -> str:
    """The agent's final output."""
    if not stream:
        return (await Runner.run(AGENT, question)).final_output
    result = Runner.run_streamed(AGENT, question)
    async for _ in result.stream_events():
        pass
    return result.final_output


def main() -> None:
    """Fails when the loop did not go through the tool exactly once."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--stream", action="store_true")
    text = asyncio.run(answer("Plan the migration.", parser.parse_args().stream))
    print(text)
    assert len(CALLS) == 1, f"the tool was called {len(CALLS)} times"
    assert text, "there is no final answer"


if __name__ == "__main__":
    main()
