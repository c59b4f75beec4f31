"""The application under test: a planner with one tool, on the OpenAI Agents SDK, in stateless mode.

The conversation is that of the policy scenarios: "Plan the migration." makes the model reason and call `lookup`; the
tool names a team; the model reasons and answers; then the user asks for the way back. Everything here is right; the
mistakes live in `policy_faults.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agents import (
    Agent,
    ModelSettings,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    RunState,
    Session,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from openai.types.shared import Reasoning

import holdover_audit
import holdover_session

MODEL = "gpt-5.6"
INSTRUCTIONS = "You plan migrations. Look facts up before you decide."
FIRST_MESSAGE = "Plan the migration."
FOLLOW_UP = "And the way back?"

set_tracing_disabled(True)


@function_tool
def lookup(key: str) -> str:
    """Look a fact up by its key."""
    return "team blue"


@function_tool(name_override="lookup", needs_approval=True)
def lookup_with_approval(key: str) -> str:
    """Look a fact up by its key."""
    return "team blue"


@dataclass
class App:
    """One client process: its agent, its policy, and what it reports about its runs."""

    case: str | None
    policy: str | None
    stream: bool = False
    approval: bool = False
    # What the audit record says; NOT_RECORDED leaves the snapshot out.
    recorded_policy: Any = "as run"
    exported: str = "no"
    resume_key_type: str = "business_key"
    audit_extra: dict[str, Any] = field(default_factory=dict)
    hooks: Any = None
    session_input_callback: Callable[..., Any] | None = None
    # Runs that earlier processes of this case made; keeps run ids apart.
    runs_before: int = 0
    tap: holdover_audit.WireTap = field(default_factory=holdover_audit.WireTap)

    def __post_init__(self) -> None:
        self.client = AsyncOpenAI(
            base_url=holdover_session.base_url(self.case),
            api_key=holdover_session.api_key(),
            http_client=DefaultAsyncHttpxClient(event_hooks={"request": [self.tap.async_hook]}),
        )
        self.agent = Agent(
            name="planner",
            instructions=INSTRUCTIONS,
            tools=[lookup_with_approval if self.approval else lookup],
            model=OpenAIResponsesModel(model=MODEL, openai_client=self.client),
            model_settings=ModelSettings(
                store=False,
                reasoning=Reasoning(effort="low"),
                response_include=["reasoning.encrypted_content"],
            ),
        )
        self.runs = self.runs_before

    def run_config(self) -> RunConfig:
        """None leaves the member unset, as most programs do."""
        return RunConfig(
            reasoning_item_id_policy=self.policy,
            session_input_callback=self.session_input_callback,
        )

    async def run(
        self,
        start: str | list[Any] | RunState,
        *,
        session: Session | None = None,
        resume_key_type: str | None = None,
    ) -> Any:
        """One run to its end or its next interruption, and its audit record."""
        options = {"run_config": self.run_config(), "session": session, "hooks": self.hooks}
        if self.stream:
            result = Runner.run_streamed(self.agent, start, **options)
            async for _ in result.stream_events():
                pass
        else:
            result = await Runner.run(self.agent, start, **options)
        self.write_audit(resume_key_type or self.resume_key_type)
        return result

    def write_audit(self, resume_key_type: str) -> None:
        """The record of the run that just ended, read off the last request that left."""
        self.runs += 1
        name = holdover_session.session_name(self.case)
        recorded = self.policy if self.recorded_policy == "as run" else self.recorded_policy
        holdover_audit.write_record(
            self.tap.last_body(),
            session=name,
            run_id=f"{name}-run-{self.runs}",
            policy=recorded,
            exported=self.exported,
            resume_key_type=resume_key_type,
            **self.audit_extra,
        )
