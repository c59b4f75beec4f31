"""The first minute of a Node user: an agent of three lines, `npx holdover test -- npx vitest run`, a verdict, the fix,
green; then four threads and two hundred tests on one server. HOLDOVER_NODE names the folder with the packages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

# How long a user waits for the first verdict.
LIMIT_S = 60
WRONG = '  history.push({ role: "assistant", content: answer.output_text });'
RIGHT = "  history.push(...answer.output);"
AGENT = """import OpenAI from "openai";
export async function turn(history, question) {
  history.push({ role: "user", content: question });
  const request = { model: "gpt-5.6", store: false, include: ["reasoning.encrypted_content"] };
  const answer = await new OpenAI().responses.create({ ...request, input: history });
LINE
}
"""
NUMBER = 1 + AGENT.splitlines().index("LINE")
TWO_TURNS = """  const history = [];
  await turn(history, "Plan the migration.");
  await turn(history, "And the rollback?");
"""
PLAIN = f"""import {{ test }} from "vitest";
import {{ turn }} from "./agent.mjs";
test("two turns", async () => {{
{TWO_TURNS}}});
"""
JUDGED = f"""import {{ test }} from "holdover/vitest";
import {{ turn }} from "./agent.mjs";
test("two turns", async ({{ holdover }}) => {{
{TWO_TURNS}  await holdover.assertCarried();
}});
"""
JEST = f"""const {{ withHoldover }} = require("holdover/jest");
const OpenAI = require("openai");
{AGENT.split(chr(10), 1)[1].replace("export ", "")}
describe("agent", () => {{
  test("two turns", withHoldover(async (holdover) => {{
{TWO_TURNS}    await holdover.assertCarried();
  }}));
}});
"""
SERVER = 'export default { test: { globalSetup: ["holdover/server"], OPTIONS } };\n'


@pytest.fixture
def project(tmp_path):
    """A folder with the packages and an agent."""
    (tmp_path / "node_modules").symlink_to(Path(os.environ["HOLDOVER_NODE"]) / "node_modules")
    (tmp_path / "package.json").write_text('{ "private": true }\n', encoding="utf-8")
    write(tmp_path, WRONG)
    return tmp_path


def write(folder: Path, line: str) -> None:
    """The agent with the line that decides."""
    (folder / "agent.mjs").write_text(AGENT.replace("LINE", line), encoding="utf-8")


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command of the project, with nothing of ours in its environment."""
    node = shutil.which("node")
    assert node, "`apt-get install nodejs npm` brings Node 20 or newer"
    environment = {"PATH": f"{Path(node).parent}:/usr/bin:/bin", "HOME": str(folder), "NO_COLOR": "1", "CI": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=3 * LIMIT_S, check=False
    )


def test_the_first_verdict_names_the_line_and_its_fix_is_green(project):
    (project / "agent.test.mjs").write_text(PLAIN, encoding="utf-8")
    begun = time.monotonic()
    first = run(project, "npx", "holdover", "test", "--", "npx", "vitest", "run")
    assert time.monotonic() - begun < LIMIT_S
    assert first.returncode == 4, first.stdout + first.stderr
    assert "error[text-only-rebuild]" in first.stdout
    assert f"agent.mjs:{NUMBER}:" in first.stdout.split("look at, by the form of the code:")[1]
    write(project, RIGHT)
    second = run(project, "npx", "holdover", "test", "--", "npx", "vitest", "run")
    assert second.returncode == 0, second.stdout + second.stderr
    assert "verdict: clean" in second.stdout


@pytest.mark.parametrize("runner", ["vitest", "jest"])
def test_with_the_helper_the_test_itself_fails_and_names_the_line(project, runner):
    if runner == "vitest":
        (project / "agent.test.mjs").write_text(JUDGED, encoding="utf-8")
        (project / "vitest.config.mjs").write_text(SERVER.replace("OPTIONS", ""), encoding="utf-8")
        file, command = "agent.test.mjs", ["npx", "vitest", "run"]
    else:
        (project / "agent.test.js").write_text(JEST.replace("LINE", WRONG), encoding="utf-8")
        (project / "agent.mjs").unlink()
        file, command = "agent.test.js", ["npx", "jest", "--globalSetup", "holdover/server"]
    done = run(project, *command)
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    text = (project / file).read_text(encoding="utf-8").splitlines()
    line = 1 + next(at for at, text in enumerate(text) if '"two turns"' in text)
    assert f"{file}:{line}: error[text-only-rebuild]" in printed
    assert "at: exchange 2, /input/1" in printed
    assert f"{WRONG.strip()}" in printed.split("look at ")[1]
    if runner == "vitest":
        write(project, RIGHT)
    else:
        (project / file).write_text(JEST.replace("LINE", RIGHT), encoding="utf-8")
    fixed = run(project, *command)
    assert fixed.returncode == 0, fixed.stdout + fixed.stderr


def test_every_test_is_a_session_where_the_setup_file_says_so(project):
    (project / "agent.test.mjs").write_text(PLAIN, encoding="utf-8")
    options = 'setupFiles: ["holdover/vitest/setup"]'
    (project / "vitest.config.mjs").write_text(SERVER.replace("OPTIONS", options), encoding="utf-8")
    done = run(project, "npx", "vitest", "run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "agent.test.mjs:3: error[text-only-rebuild]" in done.stdout + done.stderr


def test_four_threads_and_two_hundred_tests_on_one_server(project):
    agents = "\n".join(
        AGENT.split("\n", 1)[1].replace("LINE", line).replace("turn", name)
        for name, line in (("wrong", WRONG), ("right", RIGHT))
    )
    (project / "agent.mjs").write_text(f'import OpenAI from "openai";\n{agents}', encoding="utf-8")
    # All tests say the same words, so that a verdict that went astray could not be told by its text.
    for number in range(8):
        tests = f"""import {{ test }} from "holdover/vitest";
import {{ right, wrong }} from "./agent.mjs";
for (let n = 0; n < 25; n += 1) {{
  test(`t${{n}}`, async ({{ holdover }}) => {{
    const turn = n % 4 ? right : wrong;
{TWO_TURNS}    if (n % 4) await holdover.assertCarried();
  }});
}}
"""
        (project / f"many{number}.test.mjs").write_text(tests, encoding="utf-8")
    options = (
        'pool: "threads", maxWorkers: 4, minWorkers: 4, reporters: ["json"], outputFile: "result.json", '
        "sequence: { shuffle: true, seed: Number(process.env.SEED) }"
    )
    (project / "vitest.config.mjs").write_text(SERVER.replace("OPTIONS", options), encoding="utf-8")
    expected = {(f"many{file}", f"t{n}"): "passed" if n % 4 else "failed" for file in range(8) for n in range(25)}
    for seed in ("1", "2"):
        done = run(project, "env", f"SEED={seed}", "npx", "vitest", "run")
        result = json.loads((project / "result.json").read_text(encoding="utf-8"))
        outcomes = {
            (Path(file["name"]).name.split(".")[0], test["title"]): test["status"]
            for file in result["testResults"]
            for test in file["assertionResults"]
        }
        assert outcomes == expected, done.stdout[-2000:] + done.stderr[-2000:]
