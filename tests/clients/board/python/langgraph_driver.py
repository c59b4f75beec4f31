"""langgraph: the ready-made agent with a checkpointer, which keeps the thread in a database."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from langchain_core.tools import StructuredTool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.prebuilt import create_react_agent

from contract import Driver, serve
from langchain_openai_driver import model


class LangGraph(Driver):
    """A thread of a checkpointer."""

    client = "langgraph"
    package = "langgraph"
    states = ("client-replay", "server-chain")
    has = ("schema",)

    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.open(str(Path(self.folder.name) / "threads.db"))

    def open(self, file: str) -> None:
        """The agent over the threads of a database."""
        settings = self.settings
        more = {"use_previous_response_id": True} if settings.state == "server-chain" else {}
        self.database = sqlite3.connect(file, check_same_thread=False)
        options: dict[str, Any] = {"response_format": settings.output_schema} if settings.output_schema else {}
        self.graph = create_react_agent(
            model(settings, **more),
            [self.function(tool) for tool in settings.tools],
            prompt=settings.instructions,
            checkpointer=SqliteSaver(self.database),
            **options,
        )

    def function(self, tool: dict[str, Any]) -> StructuredTool:
        """A tool that answers what the program said."""

        def answer(**_arguments: Any) -> str:
            return self.tool(tool["name"])

        return StructuredTool.from_function(
            answer, name=tool["name"], description=tool["description"], args_schema=tool["parameters"]
        )

    def user(self, text: str) -> str:
        given: Any = {"messages": [("user", text)]}
        thread: Any = {"configurable": {"thread_id": "board"}}
        if self.settings.stream:
            for _piece in self.graph.stream(given, thread, stream_mode="messages"):
                pass
            state = self.graph.get_state(thread).values
        else:
            state = self.graph.invoke(given, thread)
        return state["messages"][-1].text

    def save(self, file: str) -> None:
        with sqlite3.connect(file) as copy:
            self.database.backup(copy)

    def load(self, file: str) -> None:
        self.open(file)


if __name__ == "__main__":
    serve(LangGraph)
