"""The recipes of the book with the real clients that they speak of: what a page shows is what runs here.

In the environment of the board; `HOLDOVER_NODE` is the folder with the board's packages for Node.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BINARY = os.environ.get("HOLDOVER_BIN") or str(ROOT / "target" / "release" / "holdover")
NODE = Path(os.environ["HOLDOVER_NODE"])
BIN = NODE / "node_modules" / ".bin"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT_S = 300
QUESTIONS = ["Plan the migration.", "And the rollback?", "Who decides?"]


def block(page: str, language: str) -> str:
    """The only block of a language on a recipe's page."""
    text = (ROOT / "docs" / "recipes" / f"{page}.md").read_text(encoding="utf-8")
    (found,) = [body for fence, body in FENCE.findall(text) if fence == language]
    return found


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Nothing of ours, and no service of the machine."""
    path = f"{Path(sys.executable).parent}:{BIN}:/usr/bin:/bin"
    return {"PATH": path, "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", **more}


def holdover_test(folder: Path, *command: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """`holdover test` as the pages say it."""
    line = [BINARY, "test", *options, "--", *command]
    return subprocess.run(
        line, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=LIMIT_S, check=False
    )


def assert_clean(done: subprocess.CompletedProcess[str]) -> None:
    """Three turns, and all that was issued before the last one came back."""
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed
    assert "verdict: clean" in printed
    assert "judged: 3 turns in 1 conversation; reasoning items: 3 issued, 2 carried" in printed


LANGCHAIN_WRONG = ("history.append(answer) ", "history.append(AIMessage(answer.text)) ")


@pytest.mark.parametrize("kind", ["as shown", "as warned of"])
def test_langchain(tmp_path, kind):
    code = looped("langchain", "answer = ").replace("answer = ", 'history.append(("user", question)); answer = ')
    if kind == "as warned of":
        assert LANGCHAIN_WRONG[0] in code
        code = "from langchain_core.messages import AIMessage\n" + code.replace(*LANGCHAIN_WRONG)
    (tmp_path / "test_agent.py").write_text(code, encoding="utf-8")
    done = holdover_test(tmp_path, "pytest", "-q", "-p", "no:cacheprovider")
    if kind == "as shown":
        assert_clean(done)
    else:
        assert done.returncode == 4, done.stdout + done.stderr
        assert "error[text-only-rebuild]" in done.stdout


@pytest.mark.parametrize("kind", ["as shown", "as warned of"])
def test_ai_sdk(tmp_path, kind):
    body = block("ai-sdk", "js")
    if kind == "as warned of":
        right = "messages.push(...result.response.messages);"
        assert right in body
        body = body.replace(right, 'messages.push({ role: "assistant", content: result.text });')
    program = f"""import {{ generateText }} from "ai";
import {{ createOpenAI }} from "@ai-sdk/openai";
const openai = createOpenAI();
const messages = [];
for (const content of {json.dumps(QUESTIONS)}) {{
messages.push({{ role: "user", content }});
{body}}}
"""
    (tmp_path / "agent.mjs").write_text(program, encoding="utf-8")
    (tmp_path / "node_modules").symlink_to(NODE / "node_modules")
    done = holdover_test(tmp_path, "node", "agent.mjs")
    if kind == "as shown":
        assert_clean(done)
    else:
        assert done.returncode == 4, done.stdout + done.stderr
        assert "error[text-only-rebuild]" in done.stdout


def looped(page: str, turn: str) -> str:
    """A test with the Python of a page in it: what begins with `turn` is said once a question."""
    head, behind, rest = block(page, "python").partition(turn)
    lines = [*head.splitlines(), "history = []", f"for question in {QUESTIONS}:"]
    lines += [f"    {line}" for line in (behind + rest).splitlines()]
    return "def test_agent():\n" + "\n".join(f"    {line}" for line in lines) + "\n"


def test_agents_sdk(tmp_path):
    (command,) = block("agents-sdk", "sh").splitlines()
    assert command == "holdover test --auto-tools any -- pytest"
    (tmp_path / "test_agent.py").write_text(looped("agents-sdk", "result = "), encoding="utf-8")
    assert_clean(holdover_test(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", options=("--auto-tools", "any")))


def test_codex(tmp_path):
    (command,) = block("codex", "sh").splitlines()
    assert command == "holdover serve --listen 127.0.0.1:8790 --auto-tools off"
    home = tmp_path / "codex"
    home.mkdir()
    line = [BINARY, "serve", "--listen", "127.0.0.1:0", "--auto-tools", "off"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            base = server.stdout.readline().strip().partition("OPENAI_BASE_URL=")[2].removesuffix("/v1")
            config = block("codex", "toml")
            assert "http://127.0.0.1:8790" in config
            (home / "config.toml").write_text(config.replace("http://127.0.0.1:8790", base), encoding="utf-8")
            thread: list[str] = []
            for question in QUESTIONS:
                done = subprocess.run(
                    ["codex", "exec", "--skip-git-repo-check", "--json", *thread, question],
                    cwd=tmp_path,
                    env=environment(tmp_path, CODEX_HOME=str(home), OPENAI_API_KEY="sk-holdover-codex"),
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=LIMIT_S,
                    check=False,
                )
                assert done.returncode == 0, done.stdout + done.stderr
                events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
                thread = ["resume", next(event["thread_id"] for event in events if event["type"] == "thread.started")]
            finish = urllib.request.Request(f"{base}/_holdover/sessions/codex/finish", method="POST")
            with urllib.request.urlopen(finish) as answer:
                verdict = json.load(answer)
        finally:
            server.terminate()
    assert [finding["rule"] for finding in verdict["findings"] if finding["severity"] == "error"] == []
    assert verdict["coverage"]["turns"] >= 3
    assert verdict["coverage"]["reasoning_carried"] >= 2
