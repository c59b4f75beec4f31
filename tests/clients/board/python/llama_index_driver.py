"""LlamaIndex: a function agent with its memory, over the Responses model."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.openai import OpenAIResponses
from pydantic import create_model

from contract import Driver, not_applicable, serve


class LlamaIndex(Driver):
    """An agent, and the memory between its runs."""

    client = "llama-index"
    package = "llama-index-llms-openai"

    def begin(self) -> None:
        settings = self.settings
        self.loop = asyncio.new_event_loop()
        given: dict[str, Any] = {"store": settings.store, "include": settings.include}
        self.llm = OpenAIResponses(
            model=settings.model,
            api_base=settings.base_url,
            api_key=settings.api_key,
            reasoning_options=settings.reasoning,
            context_window=400_000,
            **{name: value for name, value in given.items() if value is not None},
        )
        self.agent = FunctionAgent(
            llm=self.llm,
            system_prompt=settings.instructions,
            tools=[self.function(tool) for tool in settings.tools],
            streaming=settings.stream,
        )
        self.memory = ChatMemoryBuffer.from_defaults(token_limit=100_000)

    def function(self, tool: dict[str, Any]) -> FunctionTool:
        """A tool that answers what the program said."""

        def answer(**_arguments: Any) -> str:
            return self.tool(tool["name"])

        fields: Any = {name: (str, ...) for name in tool["parameters"]["properties"]}
        metadata = ToolMetadata(
            name=tool["name"], description=tool["description"], fn_schema=create_model(tool["name"], **fields)
        )
        return FunctionTool(answer, metadata)

    def user(self, text: str) -> str:
        return self.loop.run_until_complete(self.run(text))

    async def run(self, text: str) -> str:
        """One run of the agent."""
        return str(await self.agent.run(user_msg=text, memory=self.memory))

    def save(self, file: str) -> None:
        # `to_string` and `to_dict` of the memory raise in this version, whatever it holds, and so does `persist` of its store.
        not_applicable("the client's memory cannot be written in this version")


if __name__ == "__main__":
    serve(LlamaIndex)
