"""pydantic-ai: `all_messages()` of one run is the history of the next."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, Tool
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIResponsesModel, OpenAIResponsesModelSettings
from pydantic_ai.providers.openai import OpenAIProvider

from contract import Driver, serve


class Answer(BaseModel):
    """What `structured-output` asks for."""

    answer: str


class PydanticAi(Driver):
    """An agent, and a list of messages between its runs."""

    client = "pydantic-ai"
    package = "pydantic-ai-slim"
    states = ("client-replay", "server-chain", "conversation")
    has = ("schema", "omit")

    def begin(self) -> None:
        settings = self.settings
        # Encrypted content cannot be asked for by name: the library includes it by itself where it finds it right.
        given = OpenAIResponsesModelSettings(openai_reasoning_effort=settings.effort)  # type: ignore[typeddict-item]
        if settings.summary:
            given["openai_reasoning_summary"] = settings.summary  # type: ignore[typeddict-item]
        if settings.store is not None:
            given["openai_store"] = settings.store
        if settings.state == "server-chain":
            given["openai_previous_response_id"] = "auto"
        if settings.state == "conversation":
            given["openai_conversation_id"] = "auto"
        if settings.id_policy == "omit":
            given["openai_send_reasoning_ids"] = False
        provider = OpenAIProvider(base_url=settings.base_url, api_key=settings.api_key)
        self.agent: Agent[None, Any] = Agent(
            OpenAIResponsesModel(settings.model, provider=provider),
            instructions=settings.instructions,
            model_settings=given,
            tools=[self.function(tool) for tool in settings.tools],
            output_type=NativeOutput(Answer) if settings.output_schema else str,
        )
        self.history: list[ModelMessage] = []
        if settings.state == "conversation":
            from openai import OpenAI

            client = OpenAI(base_url=settings.base_url, api_key=settings.api_key)
            given["openai_conversation_id"] = client.conversations.create().id

    def function(self, tool: dict[str, Any]) -> Tool:
        """A tool that answers what the program said."""

        def answer(**_arguments: Any) -> str:
            return self.tool(tool["name"])

        return Tool.from_schema(answer, tool["name"], tool["description"], tool["parameters"])

    def user(self, text: str) -> str:
        if self.settings.stream:
            with_events = self.agent.run_stream_sync(text, message_history=self.history)
            for _piece in with_events.stream_text(delta=True):
                pass
            self.history = with_events.all_messages()
            return str(with_events.get_output())
        result = self.agent.run_sync(text, message_history=self.history)
        self.history = result.all_messages()
        return str(result.output)

    def save(self, file: str) -> None:
        with open(file, "wb") as out:
            out.write(ModelMessagesTypeAdapter.dump_json(self.history))

    def load(self, file: str) -> None:
        with open(file, "rb") as saved:
            self.history = ModelMessagesTypeAdapter.validate_json(saved.read())


if __name__ == "__main__":
    serve(PydanticAi)
