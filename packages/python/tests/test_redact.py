"""What the filter lets through, judged by Holdover itself: the whole response is logged, and nothing of it gets out."""

from __future__ import annotations

import io
import json
import logging

import pytest
import structlog
from openai import OpenAI

from holdover.redact import RedactingFilter, redact, redact_event

REASONING = {
    "id": "rs_0123456789abcdef0123456789abcdef01234567",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "the plan"}],
    "encrypted_content": "gAAAAABo" + "x" * 60,
}


def test_the_form_stays_and_what_is_protected_goes():
    assert redact({"output": [REASONING], "id": "resp_0123456789abcdef", "n": 3}) == {
        "output": [{"id": "rs_…", "type": "reasoning", "summary": "…", "encrypted_content": "…"}],
        "id": "resp_0123456789abcdef",
        "n": 3,
    }
    assert redact("Authorization: Bearer sk-holdover-default; item msg_0123456789") == (
        "Authorization: Bearer sk-…; item msg_…"
    )
    assert redact(("a", 1)) == ("a", 1)


@pytest.mark.holdover(fail_on="warning")
@pytest.mark.parametrize("filtered", [False, True])
def test_a_logged_response_leaks_without_the_filter_and_not_with_it(holdover, filtered):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logger = logging.getLogger(f"redact.{filtered}")
    logger.propagate = False
    logger.addHandler(handler)
    if filtered:
        handler.addFilter(RedactingFilter())
    answer = OpenAI().responses.create(
        model="gpt-5.6", input="Plan.", store=False, include=["reasoning.encrypted_content"]
    )
    logger.warning("answer: %s", answer.model_dump_json())
    try:
        raise ValueError(answer.output[0].id)
    except ValueError:
        logger.exception("failed", extra={"items": answer.output})
    holdover.export("app.log", stream.getvalue())
    rules = {finding["rule"] for finding in holdover.findings()}
    if filtered:
        assert rules == set()
        assert "answer: " in stream.getvalue() and "ValueError: rs_…" in stream.getvalue()
    else:
        assert "protected-data-in-export" in rules
        holdover._expect |= rules


def test_structlog_has_it_as_a_processor():
    stream = io.StringIO()
    log = structlog.wrap_logger(
        structlog.PrintLogger(stream), processors=[redact_event, structlog.processors.JSONRenderer()]
    )
    log.info("turn", output=[REASONING], tokens=3)
    assert json.loads(stream.getvalue()) == {
        "event": "turn",
        "output": [{"id": "rs_…", "type": "reasoning", "summary": "…", "encrypted_content": "…"}],
        "tokens": 3,
    }
