"""litellm's `completion()` to another provider, which is its argument: the answer's message is appended as it came."""

from __future__ import annotations

import sys
from typing import Any

from contract import not_applicable, serve
from litellm_completion import LiteLlmCompletion

PROVIDER = sys.argv[1]
# The wire of each, and whether its base URL ends in the version of the API.
WIRES = {"anthropic": "anthropic-messages", "gemini": "gemini-generate", "deepseek": "chat-completions"}


class LiteLlmProvider(LiteLlmCompletion):
    """The same, with another model."""

    client = f"litellm completion() to {PROVIDER}"
    wire = WIRES[PROVIDER]

    def begin(self) -> None:
        if PROVIDER == "anthropic" and self.settings.program == "unknown-model":
            # It raises UnsupportedParamsError before it sends anything.
            not_applicable("the client takes an effort for models that it knows, and for no other")
        super().begin()

    def request(self) -> dict[str, Any]:
        settings = self.settings
        bases = {"anthropic": settings.root_url, "gemini": f"{settings.root_url}/v1beta", "deepseek": settings.base_url}
        request = super().request()
        request["model"] = f"{PROVIDER}/{settings.model}"
        request["api_base"] = bases[PROVIDER]
        for name in ("store", "include"):
            request.pop(name, None)
        return request


if __name__ == "__main__":
    serve(LiteLlmProvider)
