"""Haystack's `OpenAIResponsesChatGenerator`: a list of chat messages, the reply appended as it came."""

from __future__ import annotations

import json
from typing import Any

from haystack.components.generators.chat import OpenAIResponsesChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.utils import Secret

from contract import Driver, serve


class Haystack(Driver):
    """Messages in a list; the tool loop by hand."""

    client = "haystack"
    package = "haystack-ai"
    states = ("client-replay", "server-chain")
    has = ("schema",)

    def begin(self) -> None:
        settings = self.settings
        given: dict[str, Any] = {"reasoning": settings.reasoning}
        if settings.store is not None:
            given["store"] = settings.store
        if settings.include is not None:
            given["include"] = settings.include
        if settings.output_schema:
            schema = {"type": "json_schema", "name": "answer", "schema": settings.output_schema, "strict": True}
            given["text"] = {"format": schema}
        self.generator = OpenAIResponsesChatGenerator(
            api_key=Secret.from_token(settings.api_key),
            model=settings.model,
            api_base_url=settings.base_url,
            generation_kwargs=given,
            streaming_callback=(lambda _chunk: None) if settings.stream else None,
            tools=[self.function(tool) for tool in settings.tools] or None,
        )
        self.history: list[ChatMessage] = []
        self.anchor: dict[str, Any] = {}
        if settings.instructions:
            self.history.append(ChatMessage.from_system(settings.instructions))

    def function(self, tool: dict[str, Any]) -> Tool:
        """A tool that answers what the program said."""

        def answer(**_arguments: Any) -> str:
            return self.tool(tool["name"])

        return Tool(tool["name"], tool["description"], tool["parameters"], answer)

    def ask(self, new: list[ChatMessage]) -> ChatMessage:
        """One request, and the reply that it leaves behind."""
        self.history.extend(new)
        chained = self.settings.state == "server-chain"
        given = new if chained and self.anchor else self.history
        reply = self.generator.run(given, generation_kwargs=self.anchor or None)["replies"][0]
        self.history.append(reply)
        if chained:
            self.anchor = {"previous_response_id": reply.meta["id"]}
        return reply

    def user(self, text: str) -> str:
        reply = self.ask([ChatMessage.from_user(text)])
        while reply.tool_calls:
            results = [ChatMessage.from_tool(self.tool(call.tool_name), origin=call) for call in reply.tool_calls]
            reply = self.ask(results)
        return reply.text or ""

    def save(self, file: str) -> None:
        with open(file, "w", encoding="utf-8") as out:
            json.dump([message.to_dict() for message in self.history], out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.history = [ChatMessage.from_dict(message) for message in json.load(saved)]


if __name__ == "__main__":
    serve(Haystack)
