"""langchain-openai: a list of messages, the answer appended as it came."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages import messages_from_dict, messages_to_dict, trim_messages
from langchain_openai import ChatOpenAI

from contract import Driver, Settings, serve


def model(settings: Settings, **more: Any) -> ChatOpenAI:
    """The chat model with the settings of the program."""
    given: dict[str, Any] = {"store": settings.store, "include": settings.include}
    return ChatOpenAI(
        model=settings.model,
        base_url=settings.base_url,
        api_key=settings.api_key,  # type: ignore[arg-type]
        use_responses_api=True,
        reasoning=settings.reasoning,
        streaming=settings.stream,
        **{name: value for name, value in given.items() if value is not None},
        **more,
    )


def functions(settings: Settings) -> list[dict[str, Any]]:
    """The tools as `bind_tools` takes them."""
    return [{"type": "function", "function": tool} for tool in settings.tools]


class LangChain(Driver):
    """Messages in a list; the tool loop by hand."""

    client = "langchain-openai"
    package = "langchain-openai"
    states = ("client-replay", "server-chain")
    has = ("schema", "limit")

    def begin(self) -> None:
        settings = self.settings
        more = {"use_previous_response_id": True} if settings.state == "server-chain" else {}
        chat: Any = model(settings, **more)
        if settings.tools:
            chat = chat.bind_tools(functions(settings))
        if settings.output_schema:
            chat = chat.with_structured_output(settings.output_schema, include_raw=True)
        self.chat = chat
        self.history: list[BaseMessage] = []
        if settings.instructions:
            self.history.append(SystemMessage(settings.instructions))

    def ask(self) -> AIMessage:
        """One request."""
        messages = self.history
        if self.settings.history_limit is not None:
            messages = trim_messages(
                messages, max_tokens=self.settings.history_limit, token_counter=len, include_system=True
            )
        if self.settings.output_schema:
            return self.chat.invoke(messages)["raw"]
        if not self.settings.stream:
            return self.chat.invoke(messages)
        chunks = iter(self.chat.stream(messages))
        whole = next(chunks)
        for chunk in chunks:
            whole += chunk
        return whole

    def user(self, text: str) -> str:
        self.history.append(HumanMessage(text))
        answer = self.ask()
        self.history.append(answer)
        while answer.tool_calls:
            for call in answer.tool_calls:
                self.history.append(ToolMessage(self.tool(call["name"]), tool_call_id=call["id"]))
            answer = self.ask()
            self.history.append(answer)
        return answer.text

    def save(self, file: str) -> None:
        with open(file, "w", encoding="utf-8") as out:
            json.dump(messages_to_dict(self.history), out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.history = messages_from_dict(json.load(saved))


if __name__ == "__main__":
    serve(LangChain)
