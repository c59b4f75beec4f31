"""boto3 from PyPI on Converse: a tool loop, then its end, the right way or a wrong one."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import boto3
from botocore.exceptions import ClientError

TOOLS = {
    "tools": [
        {
            "toolSpec": {
                "name": "lookup",
                "inputSchema": {
                    "json": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
                },
            }
        }
    ]
}
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 1024}}


def client() -> Any:
    """A client with a key that is none; `AWS_ENDPOINT_URL_BEDROCK_RUNTIME` names the server."""
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=os.environ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
        region_name="us-east-1",
        aws_access_key_id="holdover",
        aws_secret_access_key="holdover",
    )


def ask(bedrock: Any, way: str, model: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """One message of the model as the SDK gives it, whole or put together from its events."""
    request = {
        "modelId": model,
        "messages": messages,
        "toolConfig": TOOLS,
        "additionalModelRequestFields": THINKING if "claude" in model else {},
    }
    if way != "stream":
        return bedrock.converse(**request)["output"]["message"]
    blocks: dict[int, dict[str, Any]] = {}
    for event in bedrock.converse_stream(**request)["stream"]:
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            blocks[start["contentBlockIndex"]] = {"toolUse": {**start["start"]["toolUse"], "input": ""}}
        elif "contentBlockDelta" in event:
            add(blocks, event["contentBlockDelta"])
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"])
    return {"role": "assistant", "content": [blocks[index] for index in sorted(blocks)]}


def add(blocks: dict[int, dict[str, Any]], event: dict[str, Any]) -> None:
    """Takes one piece of a block."""
    index, delta = event["contentBlockIndex"], event["delta"]
    if "text" in delta:
        block = blocks.setdefault(index, {"text": ""})
        block["text"] += delta["text"]
    elif "toolUse" in delta:
        blocks[index]["toolUse"]["input"] += delta["toolUse"]["input"]
    else:
        inner = blocks.setdefault(index, {"reasoningContent": {"reasoningText": {"text": ""}}})
        inner = inner["reasoningContent"]["reasoningText"]
        piece = delta["reasoningContent"]
        inner["text"] += piece.get("text", "")
        if "signature" in piece:
            inner["signature"] = piece["signature"]


def kept(message: dict[str, Any], way: str) -> dict[str, Any]:
    """What the program puts into its history."""
    if way in ("right", "stream"):
        return message
    content = []
    for block in message["content"]:
        if "reasoningContent" not in block or way == "stripped":
            content += [] if "reasoningContent" in block else [block]
        elif way == "unsigned":
            text = block["reasoningContent"]["reasoningText"]["text"]
            content.append({"reasoningContent": {"reasoningText": {"text": text}}})
        else:
            raise SystemExit(f"no such way: {way}")
    return {"role": message["role"], "content": content}


def main(way: str, model: str) -> None:
    """A question with a tool behind it."""
    bedrock = client()
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"text": "Please lookup the key. holdover:recall"}]}
    ]
    try:
        answer = ask(bedrock, way, model, messages)
        messages.append(kept(answer, way))
        outputs = [
            {"toolResult": {"toolUseId": block["toolUse"]["toolUseId"], "content": [{"text": "42"}]}}
            for block in answer["content"]
            if "toolUse" in block
        ]
        messages.append({"role": "user", "content": outputs})
        answer = ask(bedrock, way, model, messages)
        print("".join(block.get("text", "") for block in answer["content"]))
    except ClientError as error:
        print(f"refused: {error.response['Error']['Code']} {error.response['Error']['Message']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
