"""openai-agents: a streamed run for each turn, the history in the SDK's own session."""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Agent, ModelSettings, OpenAIResponsesModel, Runner, SQLiteSession, set_tracing_disabled
from agents.memory import OpenAIResponsesCompactionSession
from openai import AsyncOpenAI
from openai.types.shared import Reasoning

set_tracing_disabled(True)


class Talk:
    """One cell: an agent with a client and a session of its own, in an event loop of its own."""

    def __init__(self, base_url: str, mode: str, timeout_s: float) -> None:
        self.client = AsyncOpenAI(base_url=base_url, api_key="sk-holdover-faults", timeout=timeout_s)
        self.mode = mode
        stores = mode in ("chain", "conversation")
        settings = ModelSettings(
            store=stores,
            reasoning=Reasoning(effort="medium", summary="auto"),
            response_include=[] if stores else ["reasoning.encrypted_content"],
        )
        model = OpenAIResponsesModel(model="gpt-5.6", openai_client=self.client)
        self.agent = Agent(name="Planner", model=model, model_settings=settings)
        self.session = SQLiteSession("cell")
        self.anchor: str | None = None
        self.conversation: str | None = None
        self.turns = 0
        self.loop = asyncio.new_event_loop()

    def turn(self, question: str) -> str:
        """One turn; it raises whatever the client raises."""
        self.turns += 1
        return self.loop.run_until_complete(self._turn(question))

    async def _turn(self, question: str) -> str:
        result = Runner.run_streamed(self.agent, question, **await self._state())
        async for _ in result.stream_events():
            pass
        self.anchor = result.last_response_id
        return str(result.final_output)

    async def _state(self) -> dict[str, Any]:
        if self.mode == "chain":
            return {"previous_response_id": self.anchor} if self.anchor else {}
        if self.mode == "conversation":
            if self.conversation is None:
                self.conversation = (await self.client.conversations.create()).id
            return {"conversation_id": self.conversation}
        if self.mode == "compacted" and self.turns == 2:
            compacting = OpenAIResponsesCompactionSession(
                session_id="cell",
                underlying_session=self.session,
                client=self.client,
                model="gpt-5.6",
                compaction_mode="input",
            )
            await compacting.run_compaction({"force": True, "compaction_mode": "input"})
        return {"session": self.session}
