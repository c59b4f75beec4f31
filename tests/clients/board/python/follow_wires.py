"""The second reading on the wires of other providers: which signatures and thoughts were issued, and which came back.

It knows nothing of the judge, and nothing of what an endpoint can do without: whatever was issued must come back once,
in order, unchanged, with the call that it stood on.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from follow_programs import RESETS, TRIMS


@dataclass
class Said:
    """One message of the assistant, or one answer."""

    text: str = ""
    # Signatures in order, wherever they stood.
    signatures: list[str] = field(default_factory=list)
    # Thoughts in plain text that nothing signs.
    thoughts: list[str] = field(default_factory=list)
    # Name, arguments and signature of each call.
    calls: list[tuple[str, str, str]] = field(default_factory=list)


def call(name: str, arguments: Any, signature: str = "") -> tuple[str, str, str]:
    """A call, its arguments in one spelling."""
    value = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    return name, json.dumps(value, sort_keys=True), signature


def anthropic(content: Any) -> Said:
    """A content of Anthropic Messages."""
    said = Said()
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks:
        said.text += block.get("text", "") if block["type"] == "text" else ""
        if block["type"] in ("thinking", "redacted_thinking"):
            said.signatures.append(block.get("signature") or block.get("data") or "")
        if block["type"] == "tool_use":
            said.calls.append(call(block["name"], block["input"]))
    return said


def gemini(parts: list[dict[str, Any]]) -> Said:
    """Parts of `generateContent`; those with `thought` are for display."""
    said = Said()
    for part in parts:
        signature = part.get("thoughtSignature") or part.get("thought_signature") or ""
        said.text += "" if part.get("thought") else part.get("text", "")
        if signature:
            said.signatures.append(signature)
        if "functionCall" in part or "function_call" in part:
            made = part.get("functionCall") or part["function_call"]
            said.calls.append(call(made["name"], made.get("args") or {}, signature))
    return said


def chat(message: dict[str, Any]) -> Said:
    """A message of chat completions."""
    content = message.get("content") or ""
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    calls = [call(made["function"]["name"], made["function"]["arguments"]) for made in message.get("tool_calls") or []]
    thoughts = [message["reasoning_content"]] if message.get("reasoning_content") else []
    return Said(text=text, thoughts=thoughts, calls=calls)


def anthropic_streamed(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks that the events of a message make."""
    blocks: dict[int, dict[str, Any]] = {}
    texts = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
    inputs: Counter[int] = Counter()
    pieces: dict[int, str] = {}
    for event in events:
        index = event.get("index", 0)
        if event["type"] == "content_block_start":
            blocks[index] = dict(event["content_block"])
        elif event["type"] == "content_block_delta" and event["delta"]["type"] in texts:
            name = texts[event["delta"]["type"]]
            blocks[index][name] = (blocks[index].get(name) or "") + event["delta"][name]
        elif event["type"] == "content_block_delta":
            inputs[index] += 1
            pieces[index] = pieces.get(index, "") + event["delta"]["partial_json"]
    for index in inputs:
        blocks[index]["input"] = json.loads(pieces[index] or "{}")
    return [blocks[index] for index in sorted(blocks)]


def chat_streamed(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The message that the chunks make."""
    message: dict[str, Any] = {"content": "", "reasoning_content": "", "tool_calls": []}
    for delta in (event["choices"][0]["delta"] for event in events if event.get("choices")):
        for name in ("content", "reasoning_content"):
            message[name] += delta.get(name) or ""
        for piece in delta.get("tool_calls") or []:
            function = piece.get("function") or {}
            if piece.get("id"):
                message["tool_calls"].append({"function": {"name": "", "arguments": ""}})
            made = message["tool_calls"][-1]["function"]
            made["name"] += function.get("name") or ""
            made["arguments"] += function.get("arguments") or ""
    return message


def wire(exchange: dict[str, Any]) -> str:
    """The wire of an exchange; empty for the Responses API and for what is no turn."""
    path = exchange["request"]["path"].split("?")[0]
    ends = {"/messages": "anthropic", "enerateContent": "gemini", "/chat/completions": "chat"}
    return next((name for end, name in ends.items() if path.endswith(end)), "")


def answered(name: str, response: dict[str, Any] | None) -> Said | None:
    """What an answer said."""
    if not response or response["status"] >= 400:
        return None
    body, events = response.get("body"), response.get("events") or []
    if name == "anthropic":
        return anthropic(body["content"] if body else anthropic_streamed(events))
    if name == "gemini":
        documents = [body] if body else events
        return gemini([part for one in documents for part in one["candidates"][0]["content"].get("parts", [])])
    return chat(body["choices"][0]["message"] if body else chat_streamed(events))


def sent(name: str, body: dict[str, Any]) -> tuple[list[Said], int, str]:
    """The messages of the assistant in a request, how many outputs of tools it has, and what the user said last."""
    if name == "gemini":
        contents = body["contents"]
        parts = [part for one in contents for part in one["parts"]]
        outputs = sum("functionResponse" in part or "function_response" in part for part in parts)
        last = gemini(contents[-1]["parts"]).text
        return [gemini(one["parts"]) for one in contents if one.get("role") == "model"], outputs, last
    messages = body["messages"]
    if name == "chat":
        outputs = sum(message["role"] == "tool" for message in messages)
        last = chat(messages[-1]).text
        return [chat(message) for message in messages if message["role"] == "assistant"], outputs, last
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    outputs = sum(block["type"] == "tool_result" for block in blocks)
    last = anthropic(messages[-1]["content"]).text
    return [anthropic(message["content"]) for message in messages if message["role"] == "assistant"], outputs, last


class WireReading:
    """One recording, request by request."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.bad: list[str] = []
        self.issued: list[Said] = []
        self.ever: list[Said] = []

    def say(self, number: int, fact: str) -> None:
        """A bad fact."""
        self.bad.append(f"request {number}: {fact}")

    def exchange(self, number: int, exchange: dict[str, Any]) -> None:
        """One request against all that was issued before it, then its answer."""
        name, response = wire(exchange), exchange["response"]
        messages, outputs, last = sent(name, exchange["request"]["body"])
        if last == RESETS.get(self.program):
            self.issued = []
        self.compare(number, messages, outputs)
        if response and response["status"] >= 400:
            self.say(number, f"refused with {response['status']}")
        said = answered(name, response)
        if said:
            self.issued.append(said)
            self.ever.append(said)

    def compare(self, number: int, messages: list[Said], outputs: int) -> None:
        """What was issued, against what is there."""
        text = "".join(message.text for message in messages)
        signatures = [signature for message in messages for signature in message.signatures]
        thoughts = [thought for message in messages for thought in message.thoughts]
        calls = [made for message in messages for made in message.calls]
        wanted: list[str] = []
        for place, said in enumerate(self.issued):
            named = [made[:2] for made in calls]
            there = said.text in text and all(made[:2] in named for made in said.calls)
            if not there and self.program in TRIMS:
                continue
            if not there:
                self.say(number, f"answer {place} is not there")
            if any(made not in calls for made in said.calls):
                self.say(number, f"a call of answer {place} has not the signature that it had")
            if any(signature not in signatures for signature in said.signatures):
                self.say(number, f"a signature of answer {place} is not there")
            if any(thought not in thoughts for thought in said.thoughts):
                self.say(number, f"a thought of answer {place} is not there")
            wanted += said.signatures + said.thoughts
        carried = signatures + thoughts
        if [one for one in carried if one in wanted] != [one for one in wanted if one in carried]:
            self.say(number, "another order, or something twice")
        if set(carried) - set(wanted):
            self.say(number, "reasoning that was not issued")
        if {made[:2] for made in calls} - {made[:2] for said in self.issued for made in said.calls}:
            self.say(number, "a call that was never issued")
        if len(calls) != outputs:
            self.say(number, "calls and outputs do not pair")

    def printed(self, output: str) -> None:
        """What a debug log shows."""
        for said in self.ever:
            if any(signature[:64] in output for signature in said.signatures):
                self.bad.append("a signature in the log")
                return
            if any(thought[:64] in output for thought in said.thoughts):
                self.bad.append("a thought in the log")
                return
