"""The WebSocket transport of the Agents SDK, judged by Holdover."""

AUTO = ("--auto-tools", "any")


def test_a_tool_loop_over_a_socket_is_clean(holdover):
    outcome = holdover.test("agents_socket.py", options=AUTO)
    assert outcome.code == 0, outcome.printed
    exchanges = outcome.recording("default")
    assert {exchange["transport"] for exchange in exchanges} == {"ws"}
    assert all(exchange["request"]["body"]["type"] == "response.create" for exchange in exchanges)
    assert len(exchanges) >= 3


def test_a_history_of_text_is_found_over_a_socket_too(holdover):
    outcome = holdover.test("agents_socket.py", "text-only", options=AUTO)
    assert outcome.code == 4, outcome.printed
    assert "text-only-rebuild" in outcome.rules()
