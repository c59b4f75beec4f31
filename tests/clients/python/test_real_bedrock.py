"""boto3 from PyPI, unchanged, on Converse and ConverseStream; judged by Holdover.

What must happen is in `tests/facts/providers.md` section 11 and rows 125 to 131 of `tests/facts/replay_matrix.csv`.
botocore checks both checksums of each frame of the event stream.
"""

import pytest

AUTO = ("--auto-tools", "named")
CLAUDE = "us.anthropic.claude-opus-4-5-20251101-v1:0"


@pytest.mark.parametrize("way", ["right", "stream"])
def test_a_right_replay_is_clean_and_shown_to_the_model(holdover, way):
    outcome = holdover.test("bedrock_replay.py", way, CLAUDE, options=AUTO)
    assert outcome.code == 0, outcome.printed
    assert outcome.rules() == []
    assert "nonce-" in outcome.printed, outcome.printed


def test_stripped_reasoning_is_refused_and_found(holdover):
    outcome = holdover.test("bedrock_replay.py", "stripped", CLAUDE, options=AUTO)
    assert outcome.code == 4, outcome.printed
    assert outcome.rules() == ["required-reasoning-missing"]
    text = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."
    assert f"refused: ValidationException The model returned the following errors: {text}" in outcome.printed


def test_a_lost_signature_is_refused(holdover):
    outcome = holdover.test("bedrock_replay.py", "unsigned", CLAUDE, options=AUTO)
    assert "messages.1.content.0.thinking.signature: Field required" in outcome.printed, outcome.printed
    assert outcome.rules() == ["signature-altered"]


def test_nova_refuses_reasoning(holdover):
    outcome = holdover.test("bedrock_replay.py", "right", "amazon.nova-pro-v1:0", options=AUTO)
    assert "refused: ValidationException User messages cannot contain reasoning content." in outcome.printed
    assert outcome.rules() == ["forbidden-reasoning-sent"]
