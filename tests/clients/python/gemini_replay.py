"""google-genai from PyPI: a tool loop, then a question, the right way or a wrong one."""

from __future__ import annotations

import sys

from google import genai
from google.genai import errors, types

LOOKUP = types.FunctionDeclaration(
    name="lookup",
    parameters_json_schema={"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
)
CONFIG = types.GenerateContentConfig(
    tools=[types.Tool(function_declarations=[LOOKUP])],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)


def ask(client: genai.Client, way: str, model: str, contents: list[types.Content]) -> types.Content:
    """One answer as the SDK gives it, whole or all parts of its chunks."""
    if way != "stream":
        answer = client.models.generate_content(model=model, contents=contents, config=CONFIG)
        return answer.candidates[0].content
    parts = []
    for chunk in client.models.generate_content_stream(model=model, contents=contents, config=CONFIG):
        parts += chunk.candidates[0].content.parts
    return types.Content(role="model", parts=parts)


def kept(content: types.Content, way: str) -> types.Content:
    """What the program puts into its history."""
    if way in ("right", "stream"):
        return content
    changes = {
        "stripped": None,
        "dummy": b"skip_thought_signature_validator",
        "trimmed": b"trimmed",
    }
    if way not in changes:
        raise SystemExit(f"no such way: {way}")
    parts = [
        part.model_copy(update={"thought_signature": changes[way]}) if part.thought_signature else part
        for part in content.parts
    ]
    return types.Content(role="model", parts=parts)


def main(way: str, model: str) -> None:
    """A question with a tool behind it."""
    client = genai.Client()
    contents = [types.Content(role="user", parts=[types.Part(text="Please lookup the key. holdover:recall")])]
    try:
        answer = ask(client, way, model, contents)
        contents.append(kept(answer, way))
        outputs = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=part.function_call.id, name=part.function_call.name, response={"value": 42}
                )
            )
            for part in answer.parts
            if part.function_call
        ]
        contents.append(types.Content(role="user", parts=outputs))
        answer = ask(client, way, model, contents)
        print("".join(part.text or "" for part in answer.parts))
    except errors.ClientError as error:
        print(f"refused: {error.code} {error.status} {error.message}")


if __name__ == "__main__":
    main(*sys.argv[1:])
