"""The OpenAI Agents SDK through its runner."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    ModelSettings,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    SQLiteSession,
    SessionSettings,
)
from openai import AsyncOpenAI
from openai.types.shared import Reasoning
from pydantic import BaseModel

from contract import Driver, serve


class Answer(BaseModel):
    """What `structured-output` asks for."""

    answer: str


class Agents(Driver):
    """`to_input_list()` between runs; a session where the program saves or trims."""

    client = "openai-agents"
    package = "openai-agents"
    states = ("client-replay", "server-chain", "conversation")
    has = ("schema", "limit", "omit", "handoff")

    def begin(self) -> None:
        settings = self.settings
        if settings.log:
            # The SDK keeps model data out of its debug log unless it is told not to.
            logging.getLogger("openai.agents").setLevel(logging.DEBUG)
        self.loop = asyncio.new_event_loop()
        self.openai = AsyncOpenAI(base_url=settings.base_url, api_key=settings.api_key)
        self.history: list[Any] = []
        self.session: SQLiteSession | None = None
        self.anchor: dict[str, Any] = {}
        if settings.history_limit is not None:
            self.session = SQLiteSession("board", session_settings=SessionSettings(limit=settings.history_limit))
        if settings.state == "conversation":
            created = self.loop.run_until_complete(self.openai.conversations.create())
            self.anchor = {"conversation_id": created.id}
        self.agent = self.make("planner", settings.instructions)
        if settings.handoff:
            second = self.make(settings.handoff["name"], settings.handoff["instructions"])
            self.agent.handoffs = [second]

    def make(self, name: str, instructions: str | None) -> Agent:
        """An agent with the settings of the program."""
        settings = self.settings
        model_settings = ModelSettings(
            store=settings.store,
            reasoning=Reasoning(**settings.reasoning),
            response_include=settings.include,
        )
        return Agent(
            name=name,
            instructions=instructions,
            model=OpenAIResponsesModel(settings.model, self.openai),
            model_settings=model_settings,
            tools=[self.function(tool) for tool in settings.tools],
            output_type=Answer if settings.output_schema else None,
        )

    def function(self, tool: dict[str, Any]) -> FunctionTool:
        """A tool that answers what the program said."""

        async def invoke(_context: Any, _arguments: str) -> str:
            return self.tool(tool["name"])

        return FunctionTool(
            name=tool["name"],
            description=tool["description"],
            params_json_schema=tool["parameters"],
            on_invoke_tool=invoke,
        )

    def user(self, text: str) -> str:
        return self.loop.run_until_complete(self.run(text))

    async def run(self, text: str) -> str:
        """One run of the SDK."""
        message = {"role": "user", "content": text}
        replays = self.settings.state == "client-replay" and self.session is None
        given: Any = [*self.history, message] if replays else text
        config = RunConfig(tracing_disabled=True, reasoning_item_id_policy=self.settings.id_policy)
        options: dict[str, Any] = {"run_config": config, **self.anchor}
        if self.session is not None:
            options["session"] = self.session
        if self.settings.stream:
            result: Any = Runner.run_streamed(self.agent, given, **options)
            async for _event in result.stream_events():
                pass
        else:
            result = await Runner.run(self.agent, given, **options)
        self.agent = result.last_agent
        if replays:
            self.history = result.to_input_list()
        if self.settings.state == "server-chain":
            self.anchor = {"previous_response_id": result.last_response_id}
        return str(result.final_output)

    def save(self, file: str) -> None:
        session = SQLiteSession("board", file)
        self.loop.run_until_complete(session.add_items(self.history))

    def load(self, file: str) -> None:
        self.session = SQLiteSession("board", file)


if __name__ == "__main__":
    serve(Agents)
