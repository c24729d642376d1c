"""Equality constraints, against MuJoCo's step with them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from loaders.mjcf.constraint import shifted
from loaders.model import BallConstraint, WeldConstraint
from tests.support.mjcf_documents import BALL, read
from tests.support.mjcf_round_trip import compiled, differences, differing_arrays

BODIES = (
    f'<body name="a"><freejoint/>{BALL}<site name="s" pos="0.1 0 0" euler="0 0 30"/></body>'
    f'<body name="b" pos="1 0 0"><freejoint/>{BALL}<site name="t" pos="0 0.2 0"/></body>'
)
JOINTS = (
    f'<body><joint name="j" ref="20"/>{BALL}</body><body pos="1 0 0"><joint name="k" '
    f'ref="-10"/>{BALL}</body>'
)
CONSTRAINTS = {
    "connect": (BODIES, '<connect body1="a" body2="b" anchor="0.5 0 0"/>'),
    "connect to the world": (BODIES, '<connect body1="a" anchor="0.5 0 0"/>'),
    "connect sites": (BODIES, '<connect site1="s" site2="t" solref="0.1 1"/>'),
    "weld": (BODIES, '<weld body1="a" body2="b"/>'),
    "weld with a pose": (
        BODIES,
        '<weld body1="a" body2="b" relpose="1 2 3 1 1 0 0" torquescale="0.5"/>',
    ),
    "weld at an anchor": (BODIES, '<weld body1="a" body2="b" anchor="0.1 0.2 0.3"/>'),
    "weld sites": (BODIES, '<weld site1="s" site2="t" solimp="0.8 0.9 0.01"/>'),
    "switched off": (BODIES, '<weld body1="a" body2="b" active="false"/>'),
    "joints": (JOINTS, '<joint joint1="j" joint2="k" polycoef="0.1 2 0 0 0"/>'),
    "one joint": (JOINTS, '<joint joint1="j" polycoef="0.2 0 0 0 0" solref="0.1 1"/>'),
    "joints switched off": (JOINTS, '<joint joint1="j" joint2="k" active="false"/>'),
    "polynomial": (JOINTS, '<joint joint1="j" joint2="k" polycoef="0.1 2 0.3 0.4 0.5"/>'),
}


@pytest.mark.parametrize(("body", "constraint"), CONSTRAINTS.values(), ids=CONSTRAINTS)
def test_an_export_moves_as_the_original(body: str, constraint: str) -> None:
    assert max(differences(body, f"<equality>{constraint}</equality>").values()) < 1e-9


def test_constraints_of_a_scene() -> None:
    section = (
        '<equality><connect body1="a" body2="b" anchor="1 0 0"/><weld body1="a" '
        'active="false"/></equality>'
    )
    ball, weld = read(BODIES, section).constraints
    assert isinstance(ball, BallConstraint)
    assert (ball.p_AP.tolist(), ball.p_BQ.tolist()) == ([1.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    assert isinstance(weld, WeldConstraint)
    assert (weld.link_A, weld.link_B, weld.active) == ("a", "world", False)


def test_a_coupling_counts_from_zero_not_from_the_reference() -> None:
    (coupling,) = read(
        JOINTS, '<equality><joint joint1="j" joint2="k" polycoef="0 2 0 0 0"/></equality>'
    ).couplings
    degree = 3.141592653589793 / 180.0
    assert (coupling.multiplier, coupling.offset) == pytest.approx(
        (2.0, 20.0 * degree + 2.0 * 10.0 * degree)
    )


SOFT = (
    '<flexcomp name="f" type="grid" count="3 3 3" spacing="1 1 1" radius="0.1" mass="1" dim="3" '
    'dof="trilinear"'
    ' cellcount="2 1 1"><edge equality="strain" solref="0.05 1"/><contact '
    'selfcollide="none"/></flexcomp>'
)


def test_the_strain_of_the_cells_of_a_soft_body_is_carried() -> None:
    original, exported = compiled(SOFT)
    assert original.neq == 2
    assert differing_arrays("eq", original, exported) == []
    assert differing_arrays("flex", original, exported) == []


def test_every_kind_of_equality_is_carried() -> None:
    """A kind that a later MuJoCo adds fails here; files with distances are refused since MuJoCo
    2.2.2.
    """
    kinds = {name.removeprefix("mjEQ_").lower() for name in mujoco.mjtEq.__members__}
    assert kinds == {
        "connect",
        "weld",
        "joint",
        "tendon",
        "flex",
        "flexvert",
        "flexstrain",
        "distance",
    }


def test_the_polynomial_of_a_sum_is_that_of_the_shifted_argument() -> None:
    coefficients = np.array([0.3, -1.0, 0.5, 2.0, -0.7])
    found = np.polynomial.Polynomial(shifted(coefficients, 0.4))(1.3)
    assert found == pytest.approx(np.polynomial.Polynomial(coefficients)(1.7), rel=1e-14)


def test_tendons_are_held_as_in_the_original() -> None:
    """The lengths count from those of the reference pose."""
    sections = (
        '<tendon><fixed name="s"><joint joint="j" coef="2"/></fixed>'
        '<fixed name="t"><joint joint="k" coef="1"/></fixed></tendon>'
        '<equality><tendon tendon1="s" tendon2="t" polycoef="0.1 2 0 0 0"/><tendon '
        'tendon1="t"/></equality>'
    )
    assert max(differences(JOINTS, sections).values()) < 1e-9
