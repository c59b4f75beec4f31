"""anthropic from PyPI, unchanged, on Anthropic Messages and on an endpoint that speaks the same wire; judged by Holdover.

What must happen is in `tests/facts/providers.md`: sections 1.3, 1.4 and 2.4.
"""

import anthropic
import pytest

from conftest import binary
from serving import serve

AUTO = ("--auto-tools", "named")
# Manual thinking, adaptive thinking whose text is omitted, and thinking that is bound to everything before it.
MODELS = ["claude-opus-4-5", "claude-sonnet-5", "claude-opus-5-5"]


@pytest.mark.parametrize("way", ["right", "stream"])
@pytest.mark.parametrize("model", MODELS)
def test_a_right_replay_is_clean_and_shown_to_the_model(holdover, way, model):
    outcome = holdover.test("anthropic_replay.py", way, model, options=AUTO)
    assert outcome.code == 0, outcome.printed
    assert outcome.rules() == []
    assert "nonce-" in outcome.printed, outcome.printed


def test_a_stripped_tool_loop_is_refused_and_found(holdover):
    outcome = holdover.test("anthropic_replay.py", "stripped", "claude-opus-4-5", options=AUTO)
    assert outcome.code == 4, outcome.printed
    assert outcome.rules() == ["required-reasoning-missing"]
    text = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."
    assert text in outcome.printed, outcome.printed


def test_a_stripped_adaptive_loop_is_silent_and_recalls_nothing(holdover):
    outcome = holdover.test("anthropic_replay.py", "stripped", "claude-sonnet-5", options=AUTO)
    assert "refused" not in outcome.printed, outcome.printed
    assert "nonce-" not in outcome.printed, outcome.printed
    assert "unknown" in outcome.printed, outcome.printed


def test_an_empty_block_is_not_nothing(holdover):
    """Where the text is omitted, a client that drops empty blocks drops the thinking: 200, and a loss."""
    outcome = holdover.test("anthropic_replay.py", "falsy", "claude-opus-4-7", options=AUTO)
    assert "refused" not in outcome.printed, outcome.printed
    assert outcome.rules() == ["required-reasoning-missing"]
    assert "nonce-" not in outcome.printed, outcome.printed


@pytest.mark.parametrize("model", MODELS)
def test_a_trimmed_signature_is_invalid(holdover, model):
    outcome = holdover.test("anthropic_replay.py", "trimmed", model, options=AUTO)
    assert outcome.code == 4, outcome.printed
    assert "messages.1.content.0: Invalid `signature` in `thinking` block" in outcome.printed, outcome.printed
    assert outcome.rules() == ["signature-altered"]


def test_an_endpoint_that_speaks_the_same_wire():
    with serve(binary()) as served:
        client = anthropic.Anthropic(base_url=f"{served.root}/anthropic", api_key="sk-holdover-same", max_retries=0)
        message = {"role": "user", "content": "Hi"}
        answer = client.messages.create(model="deepseek-v4-pro", max_tokens=64, messages=[message])
        # Its signature is the id of the message.
        assert answer.content[0].type == "thinking"
        assert answer.content[0].signature == answer.id
        call = {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {}}
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}
        history = [message, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        with pytest.raises(anthropic.BadRequestError) as refused:
            client.messages.create(model="deepseek-v4-pro", max_tokens=64, messages=history)
        assert refused.value.body["error"]["code"] == "invalid_request_error"
        assert [exchange["request"]["path"] for exchange in served.recording("same")] == ["/anthropic/v1/messages"] * 2


def test_an_error_has_the_id_of_its_request():
    with serve(binary()) as served:
        client = anthropic.Anthropic(base_url=served.root, api_key="sk-holdover-id", max_retries=0)
        manual = {"type": "enabled", "budget_tokens": 1024}
        with pytest.raises(anthropic.BadRequestError) as refused:
            client.messages.create(
                model="claude-sonnet-5", max_tokens=4096, thinking=manual, messages=[{"role": "user", "content": "Hi"}]
            )
        assert refused.value.request_id == refused.value.body["request_id"]
        assert refused.value.request_id.startswith("req_")


def test_a_summary_stands_for_its_messages_and_is_signed():
    """`compaction` of the SDK: rows 30 of the matrix; what a changed summary is answered with, a switch decides."""
    with serve(binary(), "--switch", "probe=refuse") as served:
        client = anthropic.Anthropic(base_url=served.root, api_key="sk-holdover-summary", max_retries=0)
        request = {"model": "claude-sonnet-5", "max_tokens": 4096}
        asked = {"role": "user", "content": "Hi"}
        said = client.beta.messages.create(messages=[asked], **request)
        messages = [asked, {"role": "assistant", "content": said.content}]
        summary = client.beta.messages.create(messages=messages, compaction={"type": "summarize"}, **request)
        assert summary.stop_reason == "compaction"
        [block] = summary.content
        assert block.type == "compaction" and block.signature
        again = {"role": "user", "content": "holdover:recall"}
        answer = client.beta.messages.create(
            messages=[{"role": "assistant", "content": [block]}, again], **request
        )
        assert answer.content[-1].text.startswith("nonce-")
        block.content = "Another summary."
        with pytest.raises(anthropic.BadRequestError) as refused:
            client.beta.messages.create(messages=[{"role": "assistant", "content": [block]}, again], **request)
        assert refused.value.body["error"]["details"]["error_code"] == "compaction_content_mismatch"
