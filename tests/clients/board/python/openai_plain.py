"""openai-python by hand: `response.output` goes back as it came."""

from __future__ import annotations

import json
from typing import Any

from openai import OpenAI
from pydantic import BaseModel

from contract import Driver, serve


class Answer(BaseModel):
    """What `structured-output` asks for."""

    answer: str


class Plain(Driver):
    """The history is a list of items, or the server's."""

    client = "openai-python"
    package = "openai"
    states = ("client-replay", "server-chain", "conversation")
    has = ("schema",)

    def begin(self) -> None:
        self.openai = OpenAI(base_url=self.settings.base_url, api_key=self.settings.api_key)
        self.history: list[Any] = []
        self.anchor: dict[str, Any] = {}
        if self.settings.state == "conversation":
            self.anchor = {"conversation": self.openai.conversations.create().id}

    def request(self) -> dict[str, Any]:
        """What every request has beside its input."""
        settings = self.settings
        request: dict[str, Any] = {"model": settings.model, "reasoning": settings.reasoning}
        if settings.instructions is not None:
            request["instructions"] = settings.instructions
        if settings.store is not None:
            request["store"] = settings.store
        if settings.include is not None:
            request["include"] = settings.include
        if settings.tools:
            request["tools"] = [{"type": "function", "strict": True, **tool} for tool in settings.tools]
        return request | self.anchor

    def ask(self, items: list[Any]) -> Any:
        """One request, and what it leaves behind."""
        replays = self.settings.state == "client-replay"
        self.history.extend(items)
        response = self.answer(self.history if replays else items)
        self.history.extend(response.output)
        if self.settings.state == "server-chain":
            self.anchor = {"previous_response_id": response.id}
        return response

    def answer(self, items: list[Any]) -> Any:
        """One request in the way that the program asks for."""
        schema = {"text_format": Answer} if self.settings.output_schema else {}
        if self.settings.stream:
            with self.openai.responses.stream(input=items, **schema, **self.request()) as stream:
                return stream.get_final_response()
        if schema:
            return self.openai.responses.parse(input=items, **schema, **self.request())
        return self.openai.responses.create(input=items, **self.request())

    def user(self, text: str) -> str:
        response = self.ask([{"role": "user", "content": text}])
        while calls := [item for item in response.output if item.type == "function_call"]:
            outputs = [
                {"type": "function_call_output", "call_id": call.call_id, "output": self.tool(call.name)}
                for call in calls
            ]
            response = self.ask(outputs)
        return response.output_text

    def save(self, file: str) -> None:
        items = [item if isinstance(item, dict) else item.to_dict() for item in self.history]
        with open(file, "w", encoding="utf-8") as out:
            json.dump(items, out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.history = json.load(saved)


if __name__ == "__main__":
    serve(Plain)
