"""Drives the real OpenAI Agents SDK through its runner: `reasoning_item_id_policy` in every way a program meets it.

    agents_policy.py run --policy omit --session sqlite --stream    one combination, in the session Holdover chose
    agents_policy.py row F2_omit_resume_miss                        one row of the policy table
    agents_policy.py pack                                           the seven rows, a session each
    agents_policy.py matrix                                         all 18 combinations, a session each

A right program also checks itself against what it really sent, and fails when the SDK did not keep its promise;
`--unchecked` leaves that to Holdover alone.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

import holdover_audit
import policy_faults
from policy_app import App
from policy_sessions import EXEMPT_KIND, KINDS, play, resume_state

POLICIES = {"none": None, "preserve": "preserve", "omit": "omit"}


async def right_row(case: str | None, policy: str | None, stream: bool) -> App:
    """A row without a mistake."""
    app = App(case, policy, stream)
    await play(app, "sqlite")
    return app


async def baseline_none(case: str | None, stream: bool) -> App:
    """The policy is not set: ids stay."""
    return await right_row(case, None, stream)


async def preserve(case: str | None, stream: bool) -> App:
    """The policy is `preserve`: the same as not set."""
    return await right_row(case, "preserve", stream)


async def omit(case: str | None, stream: bool) -> App:
    """The policy is `omit`: ids go, reasoning stays."""
    return await right_row(case, "omit", stream)


ROWS = {
    "baseline_None": baseline_none,
    "preserve": preserve,
    "omit": omit,
    "F1_preserve_leak": policy_faults.preserve_leak,
    "F2_omit_resume_miss": policy_faults.omit_resume_miss,
    "F3_no_policy_snapshot": policy_faults.no_policy_snapshot,
    "F4_callback_id_dedupe_miss": policy_faults.callback_id_dedupe_miss,
}
RIGHT_ROWS = ("baseline_None", "preserve", "omit")


def check_sent(bodies: list[dict[str, Any]], policy: str | None) -> None:
    """Every replayed reasoning item has its token, and an id unless the policy is `omit`."""
    carried = [item for body in bodies for item in holdover_audit.reasoning_items(body)]
    assert holdover_audit.reasoning_items(bodies[-1]), "the last request must carry reasoning"
    for item in carried:
        assert item.get("encrypted_content"), "a reasoning item was sent without its payload"
        assert ("id" in item) == (policy != "omit"), f"policy {policy}, members {sorted(item)}"


def check_exempt(bodies: list[dict[str, Any]]) -> None:
    """History from the Conversations API keeps its ids under every policy."""
    carried = holdover_audit.reasoning_items(bodies[-1])
    assert carried, "the last request must carry reasoning"
    for item in carried:
        assert item.get("encrypted_content") and item.get("id"), f"members {sorted(item)}"


def report(case: str | None, app: App, process: str = "") -> None:
    """One line a request: the item types in order; ids are shown as present or not, never as they are."""
    for number, body in enumerate(app.tap.bodies, start=1):
        print(f"{case or 'this session'}{process} request {number}: {' '.join(shape(item) for item in body['input'])}")


def shape(item: dict[str, Any]) -> str:
    """`reasoning+id+token`, `function_call+id`, `user`, …"""
    name = item.get("type") or item["role"]
    return name + ("+id" if item.get("id") else "") + ("+token" if item.get("encrypted_content") else "")


async def resume(options: argparse.Namespace) -> None:
    """The second process of a `state` combination."""
    app = App(options.name, None, options.stream, approval=True, runs_before=options.runs_before)
    policy = await resume_state(app, Path(options.file))
    check_sent(app.tap.bodies, policy)
    report(options.name, app, " (resumed)")


async def one(case: str | None, policy: str, kind: str, stream: bool) -> None:
    """One combination of policy, session kind and transport."""
    app = App(case, POLICIES[policy], stream, approval=kind == "state")
    await play(app, kind)
    report(case, app)
    # With a saved state the second process does the rest, and checks itself.
    if kind == EXEMPT_KIND:
        check_exempt(app.tap.bodies)
    elif kind != "state":
        check_sent(app.tap.bodies, app.policy)


async def matrix() -> None:
    """All combinations, each in a session of its own."""
    for policy in POLICIES:
        for kind in KINDS:
            for stream in (False, True):
                transport = "sse" if stream else "json"
                await one(f"agents.{policy}.{kind}.{transport}", policy, kind, stream)


async def rows(names: list[str], options: argparse.Namespace) -> None:
    """Rows of the policy table, each in a session named after it."""
    for name in names:
        app = await ROWS[name](name, options.stream)
        report(name, app)
        if name in RIGHT_ROWS and not options.unchecked:
            check_sent(app.tap.bodies, app.policy)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("--policy", choices=POLICIES, default="none")
    run.add_argument("--session", choices=[*KINDS, EXEMPT_KIND], default="list")
    row = commands.add_parser("row")
    row.add_argument("row", choices=ROWS)
    pack = commands.add_parser("pack")
    commands.add_parser("matrix")
    second = commands.add_parser("resume")
    second.add_argument("file")
    second.add_argument("--runs-before", type=int, default=0)
    for command in (run, row, pack, second):
        command.add_argument("--stream", action="store_true")
    for command in (row, pack):
        command.add_argument("--unchecked", action="store_true")
    for command in (run, second):
        command.add_argument("--name", help="session of its own; without it, the session Holdover chose")
    return parser.parse_args()


async def main() -> None:
    options = arguments()
    if options.command == "run":
        await one(options.name, options.policy, options.session, options.stream)
    elif options.command == "row":
        await rows([options.row], options)
    elif options.command == "pack":
        await rows(list(ROWS), options)
    elif options.command == "matrix":
        await matrix()
    else:
        await resume(options)


if __name__ == "__main__":
    asyncio.run(main())
