"""`codex exec`, and `codex exec resume` for every further turn: the rollout on disk is the client's own store.

With `--websocket` the provider takes a WebSocket.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from contract import Driver, serve

# The environment of Node lies beside that of Python.
MODULES = Path(sys.prefix).parent / "node" / "node_modules"
BINARY = MODULES / ".bin" / "codex"


class Codex(Driver):
    """One process a turn."""

    client = "codex"
    streams = "always"
    has_tools = False

    @classmethod
    def version(cls) -> str:
        package = MODULES / "@openai" / "codex" / "package.json"
        return json.loads(package.read_text(encoding="utf-8"))["version"]

    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.home = Path(self.folder.name) / "home"
        self.home.mkdir()
        self.thread: str | None = None

    def user(self, text: str) -> str:
        settings = self.settings
        provider: dict[str, object] = {
            "name": "board",
            "base_url": settings.base_url,
            "wire_api": "responses",
            "env_key": "BOARD_KEY",
        }
        if "--websocket" in sys.argv:
            provider["supports_websockets"] = True
        members = ",".join(f"{name}={json.dumps(value)}" for name, value in provider.items())
        options = {
            "model_provider": '"board"',
            "model_providers.board": f"{{{members},request_max_retries=0,stream_max_retries=0}}",
            "model": json.dumps(settings.model),
            "model_reasoning_effort": json.dumps(settings.effort),
        }
        if settings.summary:
            options["model_reasoning_summary"] = json.dumps(settings.summary)
        arguments = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        resume = ["resume", self.thread] if self.thread else []
        environment = dict(os.environ, CODEX_HOME=str(self.home), BOARD_KEY=settings.api_key)
        if settings.log == "debug":
            environment["RUST_LOG"] = "trace"
        done = subprocess.run(
            [str(BINARY), "exec", "--skip-git-repo-check", "--json", *arguments, *resume, text],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=self.folder.name,
            text=True,
        )
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        failed = [event for event in events if event["type"] in ("turn.failed", "error")]
        if done.returncode or failed:
            raise RuntimeError(f"codex ended with {done.returncode}: {failed}")
        self.thread = next(event["thread_id"] for event in events if event["type"] == "thread.started")
        items = [event["item"] for event in events if event["type"] == "item.completed"]
        return "".join(item["text"] for item in items if item["type"] == "agent_message")

    def save(self, file: str) -> None:
        rollouts = {str(path.relative_to(self.home)): path.read_text(encoding="utf-8") for path in self.rollouts()}
        Path(file).write_text(json.dumps({"thread": self.thread, "rollouts": rollouts}), encoding="utf-8")

    def rollouts(self) -> list[Path]:
        """The files of the store."""
        return [path for path in self.home.rglob("*.jsonl") if path.is_file()]

    def load(self, file: str) -> None:
        saved = json.loads(Path(file).read_text(encoding="utf-8"))
        for name, text in saved["rollouts"].items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.thread = saved["thread"]


if __name__ == "__main__":
    serve(Codex)
