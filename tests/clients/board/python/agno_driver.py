"""agno: an agent whose database keeps the runs of its session."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

os.environ["AGNO_TELEMETRY"] = "false"

from agno.agent import Agent  # noqa: E402
from agno.db.sqlite import SqliteDb  # noqa: E402
from agno.models.openai import OpenAIResponses  # noqa: E402
from agno.tools import Function  # noqa: E402

from contract import Driver, serve  # noqa: E402


class Agno(Driver):
    """A session in a database."""

    client = "agno"
    package = "agno"
    states = ("client-replay", "server-chain")
    has = ("schema", "limit")

    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.open(str(Path(self.folder.name) / "sessions.db"))

    def open(self, file: str) -> None:
        """The agent over the sessions of a database."""
        settings = self.settings
        self.file = file
        given: dict[str, Any] = {"store": settings.store, "include": settings.include}
        model = OpenAIResponses(
            id=settings.model,
            base_url=settings.base_url,
            api_key=settings.api_key,
            reasoning_effort=settings.effort,  # type: ignore[arg-type]
            reasoning_summary=settings.summary,  # type: ignore[arg-type]
            use_previous_response_id=settings.state == "server-chain",
            **{name: value for name, value in given.items() if value is not None},
        )
        limit = {"num_history_messages": settings.history_limit} if settings.history_limit else {}
        self.agent = Agent(
            model=model,
            instructions=settings.instructions,
            db=SqliteDb(db_file=file),
            session_id="board",
            add_history_to_context=True,
            tools=[self.function(tool) for tool in settings.tools],
            output_schema=structured(settings.output_schema),
            telemetry=False,
            debug_mode=settings.log == "debug",
            **(limit or {"num_history_runs": 20}),
        )

    def function(self, tool: dict[str, Any]) -> Function:
        """A tool that answers what the program said."""

        def answer(**_arguments: Any) -> str:
            return self.tool(tool["name"])

        return Function(
            name=tool["name"],
            description=tool["description"],
            parameters=tool["parameters"],
            entrypoint=answer,
            skip_entrypoint_processing=True,
        )

    def user(self, text: str) -> str:
        if not self.settings.stream:
            return str(self.agent.run(text).content)
        pieces = [event.content for event in self.agent.run(text, stream=True) if hasattr(event, "content")]
        return "".join(str(piece) for piece in pieces if piece)

    def save(self, file: str) -> None:
        # The database may hold its newest rows in a file beside it.
        with sqlite3.connect(self.file) as database, sqlite3.connect(file) as copy:
            database.backup(copy)

    def load(self, file: str) -> None:
        self.open(file)


def structured(schema: dict[str, Any] | None) -> Any:
    """The model of the answer."""
    if schema is None:
        return None
    from pydantic import BaseModel

    class Answer(BaseModel):
        """What `structured-output` asks for."""

        answer: str

    return Answer


if __name__ == "__main__":
    serve(Agno)
