"""Microsoft's Agent Framework: an agent and its session."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agent_framework import AgentSession, FunctionTool
from agent_framework.openai import OpenAIChatClient
from pydantic import BaseModel

from contract import Driver, serve


class Answer(BaseModel):
    """What `structured-output` asks for."""

    answer: str


class AgentFramework(Driver):
    """A session that holds the history, or names the server's."""

    client = "agent-framework"
    package = "agent-framework-openai"
    states = ("client-replay", "server-chain")
    has = ("schema",)

    def begin(self) -> None:
        settings = self.settings
        self.loop = asyncio.new_event_loop()
        client = OpenAIChatClient(settings.model, api_key=settings.api_key, base_url=settings.base_url)
        options: dict[str, Any] = {"reasoning": settings.reasoning}
        if settings.store is not None:
            options["store"] = settings.store
        if settings.include is not None:
            options["include"] = settings.include
        if settings.output_schema:
            options["response_format"] = Answer
        self.agent = client.as_agent(
            instructions=settings.instructions,
            default_options=options,
            tools=[self.function(tool) for tool in settings.tools],
        )
        self.session = self.agent.create_session()

    def function(self, tool: dict[str, Any]) -> FunctionTool:
        """A tool that answers what the program said."""

        def answer(**_arguments: Any) -> str:
            return self.tool(tool["name"])

        return FunctionTool(
            name=tool["name"], description=tool["description"], func=answer, input_model=tool["parameters"]
        )

    def user(self, text: str) -> str:
        return self.loop.run_until_complete(self.run(text))

    async def run(self, text: str) -> str:
        """One run of the agent."""
        if self.settings.stream:
            stream = self.agent.run(text, session=self.session, stream=True)
            async for _update in stream:
                pass
            return (await stream.get_final_response()).text
        return (await self.agent.run(text, session=self.session)).text

    def save(self, file: str) -> None:
        with open(file, "w", encoding="utf-8") as out:
            json.dump(self.session.to_dict(), out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.session = AgentSession.from_dict(json.load(saved))


if __name__ == "__main__":
    serve(AgentFramework)
