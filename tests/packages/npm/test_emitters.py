"""The emitters of the npm package, in a project with pino and winston."""

from __future__ import annotations

import shutil
from pathlib import Path

from test_first_run import SERVER, project, run  # noqa: F401

TESTS = Path(__file__).parents[3] / "packages" / "npm" / "tests" / "emitters.test.mjs"


def test_the_emitters_hold_what_they_say(project):  # noqa: F811
    shutil.copy(TESTS, project)
    (project / "vitest.config.mjs").write_text(SERVER.replace("OPTIONS", ""), encoding="utf-8")
    done = run(project, "npx", "vitest", "run")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
