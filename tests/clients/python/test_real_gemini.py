"""google-genai from PyPI, unchanged, on `generateContent`; judged by Holdover.

What must happen is in `tests/facts/providers.md` section 3.1: Gemini 3 is strict in the current turn, Gemini 2.5 is not.
"""

import pytest

AUTO = ("--auto-tools", "named")


@pytest.mark.parametrize("way", ["right", "stream"])
@pytest.mark.parametrize("model", ["gemini-3-pro-preview", "gemini-2.5-pro"])
def test_a_right_replay_is_clean_and_shown_to_the_model(holdover, way, model):
    outcome = holdover.test("gemini_replay.py", way, model, options=AUTO)
    assert outcome.code == 0, outcome.printed
    assert outcome.rules() == []
    assert "nonce-" in outcome.printed, outcome.printed


def test_a_stripped_signature_is_refused_and_found(holdover):
    outcome = holdover.test("gemini_replay.py", "stripped", "gemini-3-pro-preview", options=AUTO)
    assert outcome.code == 4, outcome.printed
    assert outcome.rules() == ["required-reasoning-missing"]
    text = "Additional data, function call `default_api:lookup` , position 2."
    assert text in outcome.printed, outcome.printed
    assert "refused: 400 INVALID_ARGUMENT" in outcome.printed, outcome.printed


def test_gemini_25_takes_it_and_has_forgotten(holdover):
    outcome = holdover.test("gemini_replay.py", "stripped", "gemini-2.5-pro", options=AUTO)
    assert "refused" not in outcome.printed, outcome.printed
    assert "unknown" in outcome.printed, outcome.printed
    assert "nonce-" not in outcome.printed, outcome.printed


def test_the_documented_dummy_is_taken_and_recalls_nothing(holdover):
    """The SDK sends bytes in base64, which is one of the two spellings that are taken."""
    outcome = holdover.test("gemini_replay.py", "dummy", "gemini-3-pro-preview", options=AUTO)
    assert "refused" not in outcome.printed, outcome.printed
    assert "nonce-" not in outcome.printed, outcome.printed
    assert outcome.rules() == []


def test_another_signature_is_corrupted(holdover):
    outcome = holdover.test("gemini_replay.py", "trimmed", "gemini-3-pro-preview", options=AUTO)
    assert "Corrupted thought signature." in outcome.printed, outcome.printed
    assert outcome.rules() == ["signature-altered"]
