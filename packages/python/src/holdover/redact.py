"""Takes item ids, encrypted content and credentials out of what is logged; the form of the rest stays.

    logging.getLogger().addFilter(...) filters one logger only, so give it to the handlers:
        for handler in logging.getLogger().handlers:
            handler.addFilter(RedactingFilter())

    structlog.configure(processors=[..., redact_event, structlog.processors.JSONRenderer()])

Standard library only, so it can be copied into a project as it is.
"""

from __future__ import annotations

import logging
import re
from typing import Any

# Ids of items that hold or lead to reasoning, sealed content in both of its forms, keys. Response ids stay: they are
# what a support case needs, and they name nothing hidden.
_PATTERNS = (
    (re.compile(r"\b(rs|msg|fc|cmp)_[A-Za-z0-9_-]{8,}"), r"\1_…"),
    (re.compile(r"\bgAAAAA[A-Za-z0-9_-]{10,}={0,2}"), "gAAAAA…"),
    (re.compile(r"\benc_[A-Za-z0-9_-]{16,}={0,2}"), "enc_…"),
    (re.compile(r"\bsk-[A-Za-z0-9_-]{8,}"), "sk-…"),
    (re.compile(r"(?i)\b(bearer)\s+[A-Za-z0-9._~+/-]{8,}=*"), r"\1 …"),
)
# Members whose value goes whole, whatever it looks like.
_HIDDEN = {"encrypted_content", "summary", "authorization", "api_key"}
# Members of items of type `reasoning` only: other items have content that is displayed.
_HIDDEN_IN_REASONING = {"content", "text"}
_CUT = "…"


def redact(value: Any) -> Any:
    """A value without what is protected: texts, dicts, lists and pydantic models; other values as they are."""
    if isinstance(value, str):
        for pattern, stand_in in _PATTERNS:
            value = pattern.sub(stand_in, value)
        return value
    if isinstance(value, dict):
        hidden = _HIDDEN | _HIDDEN_IN_REASONING if value.get("type") == "reasoning" else _HIDDEN
        return {key: _CUT if key in hidden and member else redact(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(redact(member) for member in value) if type(value) in (list, tuple) else [*map(redact, value)]
    if hasattr(value, "model_dump"):
        return redact(value.model_dump())
    return value


class RedactingFilter(logging.Filter):
    """Redacts the message of a record, its arguments, its extra members and its exception."""

    _OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a record."""
        record.msg = redact(record.getMessage())
        record.args = None
        for name in set(vars(record)) - self._OWN:
            setattr(record, name, redact(getattr(record, name)))
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = redact(record.exc_text)
        return True


def redact_event(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """A processor of structlog; it stands before the renderer."""
    return redact(event)
