"""The process of xacro asks for every file, and sends its result with the warnings of xacro."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loaders.urdf.xacro import run_xacro
from loaders.urdf.xacro_process import MAX_LOG

pytest.importorskip("xacro")

HEAD = "xmlns:xacro='http://www.ros.org/wiki/xacro'"
FILES = {
    "/none/robot.xacro": f"<robot {HEAD}><xacro:include filename='part.xacro'/>"
    "<xacro:include filename='$(find p)/q.xacro'/></robot>",
    "/none/part.xacro": "<robot><a>${xacro.warning('\u009bcareful')}</a></robot>",
    "/package/q.xacro": "<robot><b/></robot>",
}


def test_the_process_reads_no_file_by_itself() -> None:
    asked: list[str] = []

    def answer(question: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        asked.append(question["name"])
        return (
            ({"folder": "/package"}, b"")
            if question["kind"] == "find"
            else ({}, FILES[question["name"]].encode())
        )

    message, data = run_xacro(Path("/none/robot.xacro"), {}, answer)
    assert asked == ["/none/robot.xacro", "/none/part.xacro", "p", "/package/q.xacro"]
    assert (message["kind"], message["log"], message["elements"] > 3) == (
        "expanded",
        "warning: \u009bcareful\n",
        True,
    )
    assert b"<b/>" in data


@pytest.mark.parametrize(
    ("reply", "error"),
    [({"refused": "no"}, "RefusedError"), ({"error": [2, "No such file", "x"]}, "XacroException")],
)
def test_a_file_that_is_not_to_be_had_is_an_error_of_the_expansion(
    reply: dict[str, Any], error: str
) -> None:
    message, _ = run_xacro(Path("/none/robot.xacro"), {}, lambda _: (reply, b""))
    assert (message["kind"], message["type"]) == ("failed", error)


def test_warnings_are_sent_up_to_a_limit() -> None:
    text = (
        f"<robot {HEAD}><a b=\"${{[xacro.message('x' * 1000) for i in range(1000)][0]}}\"/></robot>"
    )
    message, _ = run_xacro(Path("/none/robot.xacro"), {}, lambda _: ({}, text.encode()))
    assert message["kind"] == "expanded"
    assert MAX_LOG - 2000 < len(message["log"]) <= MAX_LOG
