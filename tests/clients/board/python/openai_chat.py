"""openai-python on chat completions of another provider: the message of an answer is appended as it came."""

from __future__ import annotations

from typing import Any

from openai import OpenAI

from contract import serve
from messages import Messages


class Chat(Messages):
    """Messages in a list."""

    client = "openai-python on chat completions"
    package = "openai"
    wire = "chat-completions"

    def begin(self) -> None:
        super().begin()
        self.openai = OpenAI(base_url=self.settings.base_url, api_key=self.settings.api_key, max_retries=0)

    def request(self) -> dict[str, Any]:
        """What every request has beside its messages."""
        return {"model": self.settings.model, "reasoning_effort": self.settings.effort, **self.declared()}

    def answered(self) -> Any:
        if self.settings.stream:
            with self.openai.chat.completions.stream(messages=self.history, **self.request()) as stream:
                return stream.get_final_completion()
        return self.openai.chat.completions.create(messages=self.history, **self.request())

    def written(self, message: Any) -> dict[str, Any]:
        return message.to_dict()


if __name__ == "__main__":
    serve(Chat)
