"""openai-python, driven by hand: streams, and the history kept by the program."""

from __future__ import annotations

from typing import Any

from openai import OpenAI

REASONING: dict[str, Any] = {"effort": "medium", "summary": "auto"}


class Talk:
    """One cell: a client of its own, and what the program remembers."""

    def __init__(self, base_url: str, mode: str, timeout_s: float) -> None:
        self.client = OpenAI(base_url=base_url, api_key="sk-holdover-faults", timeout=timeout_s)
        self.mode = mode
        self.history: list[Any] = []
        # Questions that the server has not taken yet.
        self.pending: list[Any] = []
        self.anchor: str | None = None
        self.conversation: str | None = None

    def turn(self, question: str) -> str:
        """One turn; it raises whatever the client raises."""
        return getattr(self, f"_{self.mode}")({"role": "user", "content": question})

    def _stream(self, **request: Any) -> Any:
        with self.client.responses.stream(model="gpt-5.6", reasoning=REASONING, **request) as stream:
            return stream.get_final_response()

    def _replay(self, question: Any) -> str:
        self.history.append(question)
        response = self._stream(input=self.history, store=False, include=["reasoning.encrypted_content"])
        self.history += response.output
        return response.output_text

    def _compacted(self, question: Any) -> str:
        if len(self.history) == 3:
            compacted = self.client.responses.compact(model="gpt-5.6", input=self.history)
            self.history = list(compacted.output)
        return self._replay(question)

    def _chain(self, question: Any) -> str:
        more = {"previous_response_id": self.anchor} if self.anchor else {}
        self.pending.append(question)
        response = self._stream(input=self.pending, store=True, **more)
        self.anchor, self.pending = response.id, []
        return response.output_text

    def _conversation(self, question: Any) -> str:
        if self.conversation is None:
            self.conversation = self.client.conversations.create().id
        self.pending.append(question)
        response = self._stream(input=self.pending, store=True, conversation=self.conversation)
        self.pending = []
        return response.output_text
