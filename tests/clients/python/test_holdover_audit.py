"""The emitter agrees with `frag_hash` of crates/wire (same vector, made with printf and sha256sum)."""

import json

import pytest

import holdover_audit as audit

# printf '[{"id":"rs_1","type":"reasoning","summary":[]}]' | sha256sum
VECTOR = "5ea18b8be77dd9fbfaf5855519d9e23028de733613698a7bafc11162a249711c"
REASONING = {"id": "rs_1", "type": "reasoning", "summary": []}
WITHOUT_ID = {"type": "reasoning", "summary": []}


def body(*items):
    return {"model": "gpt-5.6", "instructions": "x", "input": list(items)}


def test_the_test_vector_of_the_repository():
    assert audit.frag_hash(body({"role": "user", "content": "x"}, REASONING)) == VECTOR


def test_the_id_and_the_order_of_members_count():
    reordered = {"type": "reasoning", "id": "rs_1", "summary": []}
    assert audit.frag_hash(body(WITHOUT_ID)) != VECTOR
    assert audit.frag_hash(body(reordered)) != VECTOR


def test_text_is_hashed_as_utf8_and_not_escaped():
    # printf '[{"type":"reasoning","summary":[{"type":"summary_text","text":"Ünï/"}]}]' | sha256sum
    item = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Ünï/"}]}
    assert audit.frag_hash(body(item)) == "caefc62d349417eb63a7e2958e6286e8b1ddc6a7df543946310ee5900dadc04d"


def test_no_reasoning_means_no_hash_and_no_answer_about_ids():
    for empty in ({"input": "text"}, {}, body({"role": "user", "content": "x"})):
        assert audit.frag_hash(empty) is None
        assert audit.ids_present(empty) is None


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([REASONING], True),
        ([WITHOUT_ID], False),
        ([WITHOUT_ID, REASONING], True),
        ([{**WITHOUT_ID, "id": None}], False),
    ],
)
def test_one_id_is_enough(items, expected):
    assert audit.ids_present(body(*items)) is expected


def test_a_record_leaves_out_what_the_client_does_not_know():
    members = {"run_id": "r", "exported": "no", "resume_key_type": "business_key"}
    no_policy = audit.make_record(body(), policy=audit.NOT_RECORDED, **members)
    assert "reasoning_item_id_policy" not in no_policy
    assert "ids_present" not in no_policy
    unset = audit.make_record(body(REASONING), policy=None, **members)
    assert unset["reasoning_item_id_policy"] == "none"
    assert unset["ids_present"] is True


def test_records_are_lines_appended_to_the_audit_file(tmp_path, monkeypatch):
    file = tmp_path / "audit.jsonl"
    monkeypatch.setenv(audit.AUDIT_FILE, str(file))
    members = {"policy": "omit", "exported": "no", "resume_key_type": "run_state", "session": "s"}
    for run in ("a", "b"):
        audit.write_record(body(REASONING), run_id=run, **members)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["run_id"] for line in lines] == ["a", "b"]
    assert lines[0]["frag_hash"] == VECTOR
    assert lines[0]["session"] == "s"
