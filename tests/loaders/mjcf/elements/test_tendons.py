"""Tendons."""

from __future__ import annotations

from loaders.model import TendonPartType
from tests.support.mjcf_documents import BALL, read

BODY = (
    f'<site name="o" pos="0 0 1"/><body name="a"><joint name="j"/>{BALL}<geom name="w" '
    f'type="cylinder" size="0.2 0.3"/>'
    '<site name="s" pos="1 0 0"/></body>'
)


def test_a_path_in_space() -> None:
    path = '<site site="o"/><geom geom="w" sidesite="o"/><site site="s"/><pulley divisor="2"/>'
    path += '<site site="o"/><site site="s"/>'
    (tendon,) = read(
        BODY, f'<tendon><spatial name="t" range="0 2">{path}</spatial></tendon>'
    ).tendons
    T = TendonPartType
    assert [part.type for part in tendon.parts] == [
        T.POINT,
        T.CYLINDER,
        T.POINT,
        T.PULLEY,
        T.POINT,
        T.POINT,
    ]
    wrap = tendon.parts[1]
    assert (wrap.value, wrap.link, wrap.link_S) == (0.2, "a", "world")
    assert wrap.p_LS is not None
    assert wrap.p_LS.tolist() == [0.0, 0.0, 1.0]
    assert (tendon.lower, tendon.upper, tendon.parts[3].value) == (0.0, 2.0, 2.0)


def test_a_sum_of_joint_positions() -> None:
    text = (
        '<tendon><fixed name="t" stiffness="3" springlength="1 2" damping="4" frictionloss="5" '
        'armature="6">'
    )
    (tendon,) = read(BODY, text + '<joint joint="j" coef="7"/></fixed></tendon>').tendons
    assert [(part.joint, part.value) for part in tendon.parts] == [("j", 7.0)]
    assert (tendon.stiffness, tendon.rest, tendon.damping) == (3.0, (1.0, 2.0), 4.0)
    assert (tendon.friction, tendon.inertia) == (5.0, 6.0)
