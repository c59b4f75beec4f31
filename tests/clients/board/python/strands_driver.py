"""Strands Agents over its Responses model."""

from __future__ import annotations

import json
from typing import Any

from strands import Agent
from strands.agent.conversation_manager import SlidingWindowConversationManager
from strands.models.openai_responses import OpenAIResponsesModel
from strands.tools.tools import PythonAgentTool

from contract import Driver, serve


class Strands(Driver):
    """An agent that holds its messages, or names the server's."""

    client = "strands-agents"
    package = "strands-agents"
    states = ("client-replay", "server-chain")
    has = ("limit",)
    streams = "always"

    def begin(self) -> None:
        settings = self.settings
        params: dict[str, Any] = {"reasoning": settings.reasoning}
        if settings.store is not None:
            params["store"] = settings.store
        if settings.include is not None:
            params["include"] = settings.include
        self.model = OpenAIResponsesModel(
            client_args={"base_url": settings.base_url, "api_key": settings.api_key},
            model_id=settings.model,
            params=params,
            stateful=settings.state == "server-chain",
        )
        self.make([])

    def make(self, messages: list[Any]) -> None:
        """The agent with these messages."""
        settings = self.settings
        options: dict[str, Any] = {}
        if settings.history_limit is not None:
            options["conversation_manager"] = SlidingWindowConversationManager(window_size=settings.history_limit)
        self.agent = Agent(
            model=self.model,
            system_prompt=settings.instructions,
            tools=[self.function(tool) for tool in settings.tools],
            messages=messages,
            callback_handler=None,
            **options,
        )

    def function(self, tool: dict[str, Any]) -> PythonAgentTool:
        """A tool that answers what the program said."""

        def answer(use: Any, **_more: Any) -> Any:
            text = self.tool(tool["name"])
            return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": text}]}

        spec = {"name": tool["name"], "description": tool["description"], "inputSchema": {"json": tool["parameters"]}}
        return PythonAgentTool(tool["name"], spec, answer)  # type: ignore[arg-type]

    def user(self, text: str) -> str:
        return str(self.agent(text))

    def save(self, file: str) -> None:
        with open(file, "w", encoding="utf-8") as out:
            json.dump(self.agent.messages, out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.make(json.load(saved))


if __name__ == "__main__":
    serve(Strands)
