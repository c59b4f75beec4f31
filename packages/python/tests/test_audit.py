"""The wheel carries the emitter; the rest of its vectors are in tests/clients/python/test_holdover_audit.py, where the
same file stands as a link."""

from __future__ import annotations

from holdover import audit

# printf '[{"id":"rs_1","type":"reasoning","summary":[]}]' | sha256sum
VECTOR = "5ea18b8be77dd9fbfaf5855519d9e23028de733613698a7bafc11162a249711c"


def test_the_emitter_of_the_wheel_hashes_as_holdover_does():
    reasoning = {"id": "rs_1", "type": "reasoning", "summary": []}
    assert audit.frag_hash({"input": [{"role": "user", "content": "x"}, reasoning]}) == VECTOR
