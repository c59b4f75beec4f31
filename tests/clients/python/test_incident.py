"""An incident with a real client: captured once, it is answered from the capture again, and the mended client is clean.

The capture is what a proxy would have: pairs of request and response, without a word of Holdover.
"""

from __future__ import annotations

import json
import subprocess

import pytest

from conftest import binary

# openai-python, streaming or not, that keeps the text only, and the same program mended.
PAIRS = [("output-text", "json"), ("stream-text", "stream")]


def texts(exchanges: list[dict]) -> list[str]:
    """What the model said, answer by answer."""
    said = []
    for exchange in exchanges:
        response = exchange["response"]
        body = response.get("body")
        if body is None:
            body = response["events"][-1]["response"]
        parts = (part for item in body["output"] if item["type"] == "message" for part in item["content"])
        said.append("".join(part["text"] for part in parts))
    return said


@pytest.fixture(params=PAIRS, ids=lambda pair: pair[0])
def incident(request, holdover, tmp_path):
    """The captured exchanges, the scenario that was made of them, and the mended program."""
    wrong, right = request.param
    outcome = holdover.test("openai_replay.py", wrong)
    assert outcome.code == 4, outcome.printed
    (recording,) = (outcome.out / "recordings").iterdir()
    exchanges = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()[1:]]
    capture = tmp_path / "capture.jsonl"
    with open(capture, "w", encoding="utf-8") as file:
        for exchange in exchanges:
            pair = {side: {"body": exchange[side].get("body")} for side in ("request", "response")}
            if exchange["response"].get("events") is not None:
                pair["response"] = {"events": exchange["response"]["events"]}
            file.write(json.dumps(pair) + "\n")
    scenario = tmp_path / "incident.toml"
    command = [binary(), "import", capture, "--keep-text", "-o", scenario]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "reproduced: `text-only-rebuild` in exchange 2" in done.stdout
    return exchanges, scenario, wrong, right


def test_the_client_meets_the_captured_server(incident, holdover):
    exchanges, scenario, wrong, _ = incident
    outcome = holdover.test("openai_replay.py", wrong, scenario=str(scenario))
    assert outcome.code == 4, outcome.printed
    assert outcome.rules() == ["text-only-rebuild"]
    (recording,) = (outcome.out / "recordings").iterdir()
    again = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()[1:]]
    assert texts(again) == texts(exchanges)


def test_the_mended_client_is_clean_in_the_same_incident(incident, holdover):
    exchanges, scenario, _, right = incident
    outcome = holdover.test("openai_replay.py", right, scenario=str(scenario))
    assert "verdict: clean" in outcome.printed
    assert outcome.rules() == []
    # The program counts what its answers say came back. These are the captured ones, of a client that kept nothing.
    assert outcome.code == 6 and "the answers count [0, 0, 0]" in outcome.printed, outcome.printed
    (recording,) = (outcome.out / "recordings").iterdir()
    again = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()[1:]]
    assert texts(again) == texts(exchanges)
