"""openai-python with the base URL of another provider: its chat wire, judged by Holdover.

What must happen is in `tests/facts/providers.md`: section 2 (DeepSeek V3.2 and V4), 5 (Kimi), 7 (GLM).
"""

import subprocess

import pytest
from openai import OpenAI

from conftest import binary
from serving import serve

AUTO = ("--auto-tools", "named")


@pytest.mark.parametrize("way", ["right", "stream"])
@pytest.mark.parametrize("model", ["deepseek-v4-pro", "kimi-k2.5", "glm-4.7"])
def test_a_right_replay_is_clean(holdover, way, model):
    outcome = holdover.test("chat_replay.py", way, model, options=AUTO)
    assert outcome.code == 0, outcome.printed
    assert outcome.rules() == []


def test_the_model_is_shown_what_came_back(holdover):
    outcome = holdover.test("chat_replay.py", "right", "deepseek-v4-pro", options=AUTO)
    assert "nonce-" in outcome.printed, outcome.printed


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("deepseek-v4-pro", "The `reasoning_content` in the thinking mode must be passed back to the API."),
        ("kimi-k2.5", "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1"),
    ],
)
def test_a_stripped_message_is_refused_and_found(holdover, model, text):
    outcome = holdover.test("chat_replay.py", "stripped", model, options=AUTO)
    assert outcome.code == 4, outcome.printed
    assert outcome.rules() == ["required-reasoning-missing"]
    assert text in outcome.printed, outcome.printed


def test_the_day_decides(holdover):
    """V3.2 named the place of the message, and wanted nothing of closed turns."""
    outcome = holdover.test(
        "chat_replay.py", "stripped", "deepseek-reasoner", options=(*AUTO, "--as-of", "2026-01-23")
    )
    assert "in the assistant message at message index 1" in outcome.printed, outcome.printed
    outcome = holdover.test("chat_replay.py", "right", "deepseek-reasoner", options=(*AUTO, "--as-of", "2025-06-01"))
    assert "intermediate result for display purposes only" in outcome.printed, outcome.printed
    assert outcome.rules() == ["forbidden-reasoning-sent"]


def test_a_silent_loss_is_silent_on_the_wire_and_found(holdover):
    """GLM-4.6 answers 200 to a message that lost its reasoning."""
    outcome = holdover.test("chat_replay.py", "stripped", "glm-4.6", options=AUTO)
    assert "refused" not in outcome.printed, outcome.printed
    assert outcome.rules() == ["required-reasoning-missing"]


def test_an_edited_text_is_found(holdover):
    outcome = holdover.test("chat_replay.py", "falsy", "deepseek-v4-pro", options=AUTO)
    assert outcome.rules() == ["signature-altered"]


def test_the_base_url_of_deepseek_has_no_version():
    """`https://api.deepseek.com` and `https://openrouter.ai/api/v1`, as their documents give them."""
    with serve(binary()) as served:
        for base_url, model, member in [
            (served.root, "deepseek-v4-pro", "reasoning_content"),
            (f"{served.root}/api/v1", "anthropic/claude-opus-4.5", "reasoning_details"),
        ]:
            client = OpenAI(base_url=base_url, api_key="sk-holdover-base")
            answer = client.chat.completions.create(model=model, messages=[{"role": "user", "content": "Hi"}])
            assert member in answer.choices[0].message.model_extra
        paths = [exchange["request"]["path"] for exchange in served.recording("base")]
        assert paths == ["/v1/chat/completions", "/api/v1/chat/completions"]


def test_a_recording_of_it_is_judged(tmp_path):
    """What `serve --record` wrote, under `holdover judge`: the same finding as live."""
    file = tmp_path / "chat.jsonl"
    with serve(binary(), "--record", str(file)) as served:
        client = OpenAI(base_url=served.base_url, api_key="sk-holdover-default")
        messages = [{"role": "user", "content": "Hi"}]
        answer = client.chat.completions.create(model="glm-4.7", messages=messages)
        messages += [{"role": "assistant", "content": answer.choices[0].message.content}]
        messages += [{"role": "user", "content": "And then?"}]
        client.chat.completions.create(
            model="glm-4.7", messages=messages, extra_body={"thinking": {"clear_thinking": False}}
        )
    done = subprocess.run(
        [binary(), "judge", str(file), "--format", "json"], check=False, capture_output=True, text=True, timeout=60
    )
    assert '"required-reasoning-missing"' in done.stdout, done.stdout + done.stderr
    assert done.returncode == 4, done.stdout + done.stderr
