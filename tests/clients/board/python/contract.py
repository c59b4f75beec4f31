"""The adapter's side of `holdover conformance`: one JSON line a step on standard input, one for each answer.

A driver is a subclass of `Driver` with a `main` that gives it to `serve`. Whatever a library prints goes to standard
error, so that the answers stay alone on standard output.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import os
import sys
import traceback
from typing import Any, NoReturn


# Programs about what other wires have not.
RESPONSES_ALONE = {
    "two-summary-parts": "the wire has no parts of summaries",
    "two-summary-parts-stream": "the wire has no parts of summaries",
    "store-default": "the wire stores nothing",
    "tool-loop-store-default": "the wire stores nothing",
    "store-false-alone": "the wire stores nothing",
}


class NotApplicable(Exception):
    """The client has nothing of the kind."""


def not_applicable(why: str) -> NoReturn:
    """Says so."""
    raise NotApplicable(why)


class Settings:
    """The members of the `start` line, as attributes."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.program: str = members["program"]
        self.session: str = members["session"]
        self.base_url: str = members["base_url"]
        self.api_key: str = members["api_key"]
        self.model: str = members["model"]
        self.instructions: str | None = members["instructions"]
        self.effort: str | None = members["effort"]
        self.summary: str | None = members["summary"]
        self.state: str = members["state"]
        self.stream: bool = members["stream"]
        self.store: bool | None = members["store"]
        self.include: list[str] | None = members["include"]
        self.tools: list[dict[str, Any]] = members["tools"]
        self.history_limit: int | None = members["history_limit"]
        self.id_policy: str | None = members["reasoning_item_id_policy"]
        self.output_schema: dict[str, Any] | None = members["output_schema"]
        self.log: str | None = members["log"]
        self.handoff: dict[str, Any] | None = members["handoff"]

    @property
    def root_url(self) -> str:
        """The base URL of a client that knows its own version of the API."""
        return self.base_url.removesuffix("/v1")

    @property
    def reasoning(self) -> dict[str, str]:
        """`reasoning` of a request."""
        both = {"effort": self.effort, "summary": self.summary}
        return {name: value for name, value in both.items() if value is not None}

    @property
    def wants_encrypted(self) -> bool:
        """Whether the program asks for encrypted content by name."""
        return bool(self.include)


class Driver:
    """What a driver does at each step. It says `not_applicable` where its client has nothing of the kind."""

    #: Name on the board.
    client = ""
    #: Distribution whose version the board shows.
    package = ""
    #: States that the client has, of `client-replay`, `server-chain`, `conversation`.
    states: tuple[str, ...] = ("client-replay",)
    #: What the client has beside the plain case, of `limit`, `omit`, `schema`, `handoff`.
    has: tuple[str, ...] = ()
    #: Whether the client streams as it is told (`both`), `always`, or `never`.
    streams = "both"
    #: Whether the client can be given tools.
    has_tools = True
    #: The wire that the client speaks.
    wire = "responses"
    #: Name of the tool that hands over, where it is not `transfer_to_reviewer`.
    handoff_tool: str | None = None

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.outputs: dict[str, str] = {}
        self.begin()

    @classmethod
    def version(cls) -> str:
        """The version that the board shows."""
        return importlib.metadata.version(cls.package)

    def begin(self) -> None:
        """Makes the client."""
        raise NotImplementedError

    def user(self, text: str) -> str:
        """One turn of the user, with all that the client does by itself; gives the text that it would show."""
        raise NotImplementedError

    def save(self, file: str) -> None:
        """Writes the conversation as a program of this client would."""
        not_applicable("the client has no way to save a conversation")

    def load(self, file: str) -> None:
        """Reads what `save` wrote."""
        not_applicable("the client has no way to load a conversation")

    def reset(self) -> None:
        """Begins a new conversation."""
        self.begin()

    def tool(self, name: str) -> str:
        """What a tool answers."""
        return self.outputs[name]


def check(driver: type[Driver], settings: Settings) -> None:
    """Turns away what the driver does not list."""
    if settings.state not in driver.states:
        not_applicable(f"the client has no {settings.state}")
    if driver.wire != "responses" and settings.program in RESPONSES_ALONE:
        not_applicable(RESPONSES_ALONE[settings.program])
    if settings.program.endswith("-stream") and driver.streams != "both":
        not_applicable(f"the client {driver.streams} streams; the program without `-stream` shows it")
    if settings.tools and not driver.has_tools:
        not_applicable("the client takes no functions of the program")
    asked = {
        "limit": settings.history_limit is not None,
        "omit": settings.id_policy is not None,
        "schema": settings.output_schema is not None,
        "handoff": settings.handoff is not None,
    }
    for name, wanted in asked.items():
        if wanted and name not in driver.has:
            not_applicable(f"the client has no setting of this kind: {name}")


def serve(driver: type[Driver]) -> None:
    """Answers every line until there is none."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    running: Driver | None = None
    for line in sys.stdin:
        step = json.loads(line)
        try:
            if step["step"] == "start":
                settings = Settings(step)
                check(driver, settings)
                if settings.log == "debug":
                    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, force=True)
                running = driver(settings)
                answer = {"client": driver.client, "version": driver.version(), "again": True}
                if driver.handoff_tool:
                    answer["handoff_tool"] = driver.handoff_tool
            else:
                assert running is not None, "the first step is the start"
                answer = one(running, step)
        except NotApplicable as why:
            answer = {"not_applicable": str(why)}
        except Exception as error:  # The client's own error is an answer.
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def one(driver: Driver, step: dict[str, Any]) -> dict[str, Any]:
    """One step behind the start."""
    name = step["step"]
    if name == "user":
        return {"text": driver.user(step["text"])}
    if name == "tool-output":
        driver.outputs[step["tool"]] = step["output"]
    elif name == "save":
        driver.save(step["file"])
    elif name == "load":
        driver.load(step["file"])
    elif name == "reset":
        driver.reset()
    else:
        raise ValueError(f"unknown step {name}")
    return {}
