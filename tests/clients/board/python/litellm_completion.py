"""litellm's `completion()` over its bridge to the Responses API: the answer's message is appended as it came."""

from __future__ import annotations

import os
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm  # noqa: E402

from contract import serve  # noqa: E402
from messages import Messages  # noqa: E402


class LiteLlmCompletion(Messages):
    """Messages in a list, in the shape of chat completions."""

    client = "litellm completion()"
    package = "litellm"

    def request(self) -> dict[str, Any]:
        """What every request has beside its messages."""
        settings = self.settings
        request: dict[str, Any] = {
            "model": f"openai/responses/{settings.model}",
            "api_base": settings.base_url,
            "api_key": settings.api_key,
            "stream": settings.stream,
            "reasoning_effort": settings.reasoning if settings.summary else settings.effort,
        }
        if settings.store is not None:
            request["store"] = settings.store
        if settings.include is not None:
            request["include"] = settings.include
        return {**request, **self.declared()}

    def answered(self) -> Any:
        answer = litellm.completion(messages=self.history, **self.request())
        if self.settings.stream:
            return litellm.stream_chunk_builder(list(answer), messages=self.history)
        return answer

    def written(self, message: Any) -> dict[str, Any]:
        return message.model_dump()


if __name__ == "__main__":
    serve(LiteLlmCompletion)
