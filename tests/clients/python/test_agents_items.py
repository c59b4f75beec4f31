"""What the SDK does with `reasoning_item_id_policy`, on item dicts. An upgrade of the SDK runs these first (P18)."""

import asyncio
import copy

import pytest
from agents import Agent
from agents.items import ReasoningItem, ToolCallItem
from agents.run_internal.items import (
    _without_reasoning_item_id,
    apply_reasoning_item_id_policy,
    deduplicate_input_items_preferring_latest,
    run_item_to_input_item,
)
from openai.types.responses import ResponseFunctionToolCall, ResponseReasoningItem

import agents_items
from agents_items import CHECKPOINT, FOLLOW_UP, HISTORY, next_turn, next_turn_from_session
from patched_strip import patched

AGENT = Agent(name="planner")
REASONING = HISTORY[1]
WITHOUT_ID = {key: value for key, value in REASONING.items() if key != "id"}


def table():
    return {row["case"]: row for row in asyncio.run(agents_items.rows())}


def column(rows, name):
    return [row[name] for row in rows.values()]


def test_strip_takes_the_id_and_nothing_else_and_leaves_the_original_alone():
    item = copy.deepcopy(REASONING)
    assert _without_reasoning_item_id(item) == WITHOUT_ID
    assert item == REASONING


@pytest.mark.parametrize("item", [item for item in HISTORY if item.get("type") != "reasoning"])
def test_strip_passes_every_other_item(item):
    assert _without_reasoning_item_id(item) is item


@pytest.mark.parametrize("policy", [None, "preserve", "anything else"])
def test_a_list_is_returned_as_it_is_unless_the_policy_is_omit(policy):
    items = copy.deepcopy(HISTORY)
    assert apply_reasoning_item_id_policy(items, policy) is items


def test_omit_strips_every_reasoning_item_of_a_list():
    stripped = apply_reasoning_item_id_policy(HISTORY, "omit")
    assert [item.get("id") for item in stripped if item.get("type") == "reasoning"] == [None, None]
    assert [item.get("id") for item in stripped if item.get("type") == "function_call"] == ["fc_1"]


@pytest.mark.parametrize(("policy", "expected"), [(None, REASONING), ("preserve", REASONING), ("omit", WITHOUT_ID)])
def test_a_run_item_is_converted_under_the_policy(policy, expected):
    raw = ResponseReasoningItem.model_validate(REASONING)
    converted = run_item_to_input_item(ReasoningItem(agent=AGENT, raw_item=raw), policy)
    assert converted == expected
    # The run item keeps its id: this is what lures programs into resuming by it.
    assert raw.id == CHECKPOINT


def test_a_call_keeps_its_id_under_omit():
    raw = ResponseFunctionToolCall.model_validate(HISTORY[2])
    converted = run_item_to_input_item(ToolCallItem(agent=AGENT, raw_item=raw), "omit")
    assert converted["id"] == "fc_1"


@pytest.mark.parametrize(("policy", "expected"), [(None, [CHECKPOINT, "rs_tenantA_trace_002"]), ("omit", [None, None])])
def test_stored_history_is_stripped_when_it_is_read(policy, expected):
    prepared = asyncio.run(next_turn_from_session(policy, [FOLLOW_UP]))
    assert [item.get("id") for item in prepared if item.get("type") == "reasoning"] == expected
    assert prepared[-1] == FOLLOW_UP


def test_input_that_the_caller_brings_is_never_stripped():
    prepared = asyncio.run(next_turn_from_session("omit", [copy.deepcopy(REASONING), FOLLOW_UP]))
    assert prepared[len(HISTORY)] == REASONING


def test_without_an_id_the_sdk_itself_no_longer_merges_reasoning():
    assert len(deduplicate_input_items_preferring_latest([REASONING, REASONING])) == 1
    assert len(deduplicate_input_items_preferring_latest([WITHOUT_ID, WITHOUT_ID])) == 2


def test_the_seven_rows():
    rows = table()
    assert column(rows, "result") == [
        "id_present", "id_present", "id_stripped", "leak", "resume_miss", "unauditable", "dedupe_miss"
    ]
    assert column(rows, "policy") == ["none", "preserve", "omit", "preserve", "omit", "", "omit"]
    assert column(rows, "ids_present") == ["true", "true", "false", "true", "false", "false", "false"]
    hashes = {case: row["frag_hash"] for case, row in rows.items()}
    assert hashes["baseline_None"] == hashes["preserve"] == hashes["F1_preserve_leak"]
    assert hashes["omit"] == hashes["F2_omit_resume_miss"] == hashes["F3_no_policy_snapshot"]
    assert len({hashes[case] for case in ("preserve", "omit", "F4_callback_id_dedupe_miss")}) == 3


def test_with_the_strip_function_patched_out_the_rows_flip():
    with patched():
        rows = table()
    assert column(rows, "result") == [
        "id_present", "id_present", "id_present", "leak", "id_present", "unauditable", "id_present"
    ]
    assert set(column(rows, "ids_present")) == {"true"}
    assert rows["omit"]["frag_hash"] == rows["preserve"]["frag_hash"]


def test_the_patch_is_gone_afterwards():
    with patched():
        pass
    assert next_turn("omit")[1] == WITHOUT_ID
