"""google-genai from PyPI, unchanged, on Interactions; judged by Holdover.

What must happen is in `tests/facts/providers.md` section 3.3 and rows 65 to 68 of `tests/facts/replay_matrix.csv`: with
`previous_interaction_id` nothing goes back, with `store=False` every thought step does. What a breach is answered with,
nobody is sure of: a switch decides.
"""

import pytest

AUTO = ("--auto-tools", "named")


@pytest.mark.parametrize("way", ["right", "named", "stream"])
def test_a_right_continuation_is_clean_and_shown_to_the_model(holdover, way):
    outcome = holdover.test("interactions_replay.py", way, options=AUTO)
    assert outcome.code == 0, outcome.printed
    assert outcome.rules() == []
    assert "nonce-" in outcome.printed, outcome.printed


def test_thought_steps_that_are_left_out_are_refused_or_lost(holdover):
    refused = holdover.test("interactions_replay.py", "dropped", options=(*AUTO, "--switch", "probe=refuse"))
    assert "missing_thought_signature" in refused.printed, refused.printed
    taken = holdover.test("interactions_replay.py", "dropped", options=(*AUTO, "--switch", "probe=accept"))
    assert "refused" not in taken.printed, taken.printed
    assert "nonce-" not in taken.printed, taken.printed
