"""MuJoCo as the compiler."""

from __future__ import annotations

import pytest

from loaders.mjcf.compilation.compiler import CompileError, compile_text
from tests.support.mjcf_documents import BALL, document


def test_a_refusal_has_the_line() -> None:
    with pytest.raises(CompileError, match="unrecognized attribute") as caught:
        compile_text("<mujoco>\n<worldbody>\n<body foo='1'/></worldbody></mujoco>", {}, {})
    assert caught.value.line == 3


def test_flags_and_names_are_those_of_mujoco() -> None:
    text = document(f"<body>{BALL}</body>", '<option><flag gravity="disable" energy="enable"/></option>')
    compiled = compile_text(text, {}, {})
    assert (set(compiled.disabled), set(compiled.enabled)) == ({"gravity"}, {"energy"})
    assert compiled.names["mjtSensor"][0] == "mjSENS_TOUCH"


def test_warnings_are_collected_and_the_callers_handler_is_kept() -> None:
    import mujoco

    heard: list[str] = []
    mujoco.set_mju_user_warning(heard.append)
    try:
        compiled = compile_text(document(f'<body pos="nan 0 0">{BALL}</body>'), {}, {})
        assert heard == []
        assert "NaN" in compiled.warnings[0]
        assert mujoco.get_mju_user_warning() is not None
    finally:
        mujoco.set_mju_user_warning(None)
