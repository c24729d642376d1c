"""PyBullet in a separate server: positions, merged links, and the margin of convex hulls."""

from __future__ import annotations

import numpy as np
import pytest

import bridge
from bridge.parity.engines.pybullet.engine import CONTACT_MARGIN, PyBulletEngine
from loaders.model import WORLD, JointType
from tests.support.scenes import joint, link, random_scene, random_state, relative, scene

pytest.importorskip("pybullet")


def test_positions_are_read_back_as_they_were_set() -> None:
    mechanism = bridge.lower(random_scene(4, fixed=False))
    engine = PyBulletEngine(mechanism)
    q, v = random_state(mechanism, 5)
    engine.set_state(q, v)
    for name, value in engine.positions().items():
        given, read = np.atleast_1d(q[name]), np.atleast_1d(value)
        distance = min(np.abs(read[-4:] - sign * given[-4:]).max() for sign in (1.0, -1.0))
        assert distance == pytest.approx(0.0, abs=1e-9), name
    engine.close()


def test_every_engine_has_its_own_server_and_closes_it() -> None:
    mechanism = bridge.lower(random_scene(1, fixed=True))
    one, two = PyBulletEngine(mechanism), PyBulletEngine(mechanism)
    one.set_state({}, {})
    one.close()
    one.close()
    assert two.link_poses().keys() == {body.name for body in mechanism.bodies}
    two.close()


def test_inertias_are_those_of_the_links_that_move() -> None:
    links = [link("base"), link("arm")]
    joints = [joint("weld", WORLD, "base", JointType.FIXED), joint("hinge", "base", "arm")]
    engine = PyBulletEngine(bridge.lower(scene(links, joints)))
    inertias = engine.inertias()
    engine.close()
    assert inertias.keys() == {"arm"}
    assert inertias["arm"].mass == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kinds", "source"), [((JointType.REVOLUTE,), "query"), ((JointType.BALL,), "steps")]
)
def test_mass_matrix_and_forces_are_those_of_the_running_body(
    kinds: tuple[JointType, ...], source: str
) -> None:
    """Another mass in the running body is in PyBullet's answers."""
    import pybullet

    mechanism = bridge.lower(random_scene(2, fixed=False, kinds=kinds))
    engine = PyBulletEngine(mechanism)
    assert engine.dynamics_source == source
    q, v = random_state(mechanism, 5)
    engine.set_state(q, v)
    expected = mechanism.mass_matrix(q)
    assert relative(engine.mass_matrix(), expected) <= 1e-11
    engine.close()
    engine = PyBulletEngine(mechanism)
    mass = 1.01 * mechanism.bodies[2].inertia.mass
    pybullet.changeDynamics(0, 1, mass=mass, physicsClientId=engine._client)
    engine.set_state(q, v)
    assert relative(engine.mass_matrix(), expected) > 1e-5
    assert relative(engine.bias_forces(), mechanism.bias_forces(q, v)) > 1e-5
    engine.close()


@pytest.mark.parametrize("function", ["calculateMassMatrix", "calculateInverseDynamics"])
def test_a_query_of_pybullet_that_is_wrong_by_a_thousandth_is_found(
    monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    import pybullet

    original = getattr(pybullet, function)
    monkeypatch.setattr(
        pybullet, function, lambda *a, **k: (1.001 * np.array(original(*a, **k))).tolist()
    )
    result = bridge.compare("assets/arm/model.sdf", levels=("L1",), configurations=2)
    wrong = {row.quantity for row in result.failures if "pybullet" in row.engines}
    assert wrong == (
        {"mass matrix"}
        if function == "calculateMassMatrix"
        else {"bias forces", "inverse dynamics"}
    )


def test_convex_hulls_touch_at_the_contact_margin() -> None:
    assert pytest.approx(1e-3) == CONTACT_MARGIN
