"""The Agents SDK through its runner, judged by Holdover: the policy table with a real client (level b of P17)."""

import json
import subprocess
import sys

import pytest

from conftest import FOLDER

CASES = [
    "baseline_None",
    "preserve",
    "omit",
    "F1_preserve_leak",
    "F2_omit_resume_miss",
    "F3_no_policy_snapshot",
    "F4_callback_id_dedupe_miss",
]
RESULTS = ["id_present", "id_present", "id_stripped", "leak", "resume_miss", "unauditable", "dedupe_miss"]
RULES = {
    "F1_preserve_leak": "id-in-export",
    "F2_omit_resume_miss": "resume-by-stripped-id",
    "F3_no_policy_snapshot": "no-policy-snapshot",
    "F4_callback_id_dedupe_miss": "dedupe-by-stripped-id",
}


@pytest.fixture(scope="module")
def audit_file(tmp_path_factory):
    return tmp_path_factory.mktemp("audit") / "audit.jsonl"


@pytest.fixture(scope="module")
def pack(holdover, audit_file):
    return holdover.test("agents_policy.py", "pack", scenario="policy.toml", options=("--audit", str(audit_file)))


def policy_rows(outcome):
    """The seven rows by case, twins left out."""
    rows = {row["case"]: row for row in outcome.table("reasoning_id_policy.csv")}
    return {case: rows[case] for case in CASES}


def same_hash(rows):
    """Which rows have equal fragments: the hashes themselves differ between a real and a played client."""
    hashes = [row["frag_hash"] for row in rows.values()]
    return [hashes.index(value) for value in hashes]


def test_the_mistakes_are_found_and_nothing_else(pack):
    assert pack.code == 4, pack.printed
    assert [case for case in CASES if pack.rules(case)] == list(RULES)
    for case, rule in RULES.items():
        assert pack.rules(case) == [rule]


def test_the_seven_rows(pack):
    rows = policy_rows(pack)
    assert [row["result"] for row in rows.values()] == RESULTS
    assert [row["policy"] for row in rows.values()] == ["none", "preserve", "omit", "preserve", "omit", "", "omit"]
    assert [row["ids_present"] for row in rows.values()] == ["true", "true", "false", "true", "false", "false", "false"]
    assert rows["baseline_None"]["frag_hash"] == rows["preserve"]["frag_hash"]
    assert rows["preserve"]["frag_hash"] != rows["omit"]["frag_hash"]
    assert rows["F4_callback_id_dedupe_miss"]["callback_dedupe_key"] == "id"


def test_the_client_and_holdover_read_the_same_off_the_wire(pack, audit_file):
    records = [json.loads(line) for line in audit_file.read_text(encoding="utf-8").splitlines()]
    last = {record["session"]: record for record in records}
    for case, row in policy_rows(pack).items():
        assert row["frag_hash"] == last[case]["frag_hash"]
        assert row["ids_present"] == str(last[case]["ids_present"]).lower()
        assert row["run_id"] == last[case]["run_id"]


def test_the_simulated_table_says_the_same(pack, holdover):
    simulated = policy_rows(holdover.command("run", "@policy"))
    real = policy_rows(pack)
    for column in ("case", "policy", "result", "ids_present"):
        assert [row[column] for row in simulated.values()] == [row[column] for row in real.values()], column
    assert same_hash(simulated) == same_hash(real)


def test_every_combination_of_the_sdk_is_clean(holdover):
    outcome = holdover.test("agents_policy.py", "matrix", scenario="policy.toml")
    assert outcome.code == 0, outcome.printed
    rows = {row["case"]: row for row in outcome.table("reasoning_id_policy.csv")}
    for policy in ("none", "preserve", "omit"):
        for kind in ("list", "sqlite", "state"):
            for transport in ("json", "sse"):
                row = rows[f"agents.{policy}.{kind}.{transport}"]
                assert row["result"] == ("id_stripped" if policy == "omit" else "id_present")
                assert row["policy"] == policy
    # Neither the session kind, nor streaming, nor a new process changes a byte of the reasoning that goes back.
    hashes = {row["policy"]: set() for row in rows.values()}
    for row in rows.values():
        hashes[row["policy"]].add(row["frag_hash"])
    assert hashes["none"] == hashes["preserve"]
    assert len(hashes["none"]) == len(hashes["omit"]) == 1
    assert hashes["none"] != hashes["omit"]


@pytest.mark.parametrize("policy", ["none", "preserve"])
def test_a_conversations_session_is_clean(holdover, policy):
    arguments = ("run", "--policy", policy, "--session", "conversations", "--name", "conversations")
    outcome = holdover.test("agents_policy.py", *arguments, scenario="policy.toml")
    assert outcome.code == 0, outcome.printed
    assert [row["result"] for row in outcome.table("reasoning_id_policy.csv")] == ["id_present"]


def test_a_conversations_session_is_exempt_from_omit(holdover):
    arguments = ("run", "--policy", "omit", "--session", "conversations", "--name", "conversations")
    outcome = holdover.test("agents_policy.py", *arguments, scenario="policy.toml")
    row = outcome.table("reasoning_id_policy.csv")[0]
    # The program checks that the SDK kept the ids; exit 6 would mean that it did not. The SDK is right here (P2).
    assert outcome.code == 0, outcome.printed
    assert (row["policy"], row["ids_present"], row["result"]) == ("omit", "true", "id_present")


def test_the_row_flips_when_the_strip_function_is_patched_out(holdover):
    arguments = ("agents_policy.py", "row", "omit", "--unchecked")
    outcome = holdover.test("patched_strip.py", *arguments, scenario="policy.toml")
    assert outcome.code == 4, outcome.printed
    assert outcome.rules("omit") == ["policy-snapshot-wrong"]
    row = next(row for row in outcome.table("reasoning_id_policy.csv") if row["case"] == "omit")
    assert row["ids_present"] == "true"
    assert row["result"] == "unauditable"


def test_the_table_on_item_dicts_flips_in_a_process_of_its_own():
    def table(*command):
        line = [sys.executable, *(str(FOLDER / part) for part in command)]
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout

    assert "omit,omit,id_stripped,false" in table("agents_items.py")
    assert "omit,omit,id_present,true" in table("patched_strip.py", "agents_items.py")
