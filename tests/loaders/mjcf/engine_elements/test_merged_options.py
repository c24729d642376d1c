"""Options of models that others are attached to; `test_options` compares them with MuJoCo's."""

from __future__ import annotations

from pathlib import Path

import loaders

CHILD = "<mujoco model='c'><worldbody><body name='r'><geom size='1'/></body></worldbody></mujoco>"
PARENT = (
    "<mujoco><option {}><flag energy='enable' contact='disable'/></option>"
    "<asset><model name='c' file='c.xml'/></asset>"
    "<worldbody><attach model='c' body='r' prefix='x'/></worldbody></mujoco>"
)


def test_only_what_is_not_the_default_is_stated(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CHILD)
    (tmp_path / "p.xml").write_text(PARENT.format("iterations='100' integrator='RK4' impratio='2'"))
    stated = dict(loaders.load(tmp_path / "p.xml", quiet=True).physics.parameters)
    assert stated == {
        "option/integrator": "RK4",
        "option/impratio": "2",
        "flag/energy": "enable",
        "flag/contact": "disable",
    }
