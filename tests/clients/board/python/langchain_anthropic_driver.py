"""langchain-anthropic: a list of messages, the answer appended as it came."""

from __future__ import annotations

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import BaseMessage, SystemMessage

from contract import serve
from langchain_openai_driver import LangChain, functions


class LangChainAnthropic(LangChain):
    """The same, with another model."""

    client = "langchain-anthropic"
    package = "langchain-anthropic"
    wire = "anthropic-messages"
    states = ("client-replay",)

    def begin(self) -> None:
        settings = self.settings
        chat = ChatAnthropic(
            model=settings.model,
            base_url=settings.root_url,
            api_key=settings.api_key,  # type: ignore[arg-type]
            thinking={"type": "adaptive"},
            effort=settings.effort,
            max_tokens=4096,
            max_retries=0,
            streaming=settings.stream,
        )
        if settings.tools:
            chat = chat.bind_tools(functions(settings))
        if settings.output_schema:
            chat = chat.with_structured_output(settings.output_schema, include_raw=True, method="json_schema")
        self.chat = chat
        self.history: list[BaseMessage] = []
        if settings.instructions:
            self.history.append(SystemMessage(settings.instructions))


if __name__ == "__main__":
    serve(LangChainAnthropic)
