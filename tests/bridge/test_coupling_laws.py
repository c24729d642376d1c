"""Couplings whose law is a polynomial, as in models of knees: MuJoCo's own residual of its equality
is zero wherever a joint follows another.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
from bridge import load_into_pybullet, lower
from bridge.lowering.transform import scaled
from bridge.mechanism import Mechanism
from bridge.parity import Outcome, compare
from loaders import load_string
from loaders.diagnostics import ExportError
from loaders.model import Coupling, CouplingLaw
from loaders.scene import Scene
from tests.support.running_faults import faulty_mujoco

COUNT = 14
RNG = np.random.default_rng(7)


def _joint(name: str, kind: str, extra: str) -> str:
    axis = " ".join(f"{x:.3f}" for x in RNG.normal(size=3))
    return f'<joint name="{name}" type="{kind}" axis="{axis}" {extra}/>'


def leg() -> str:
    """Two chains of seven followers each, of two leaders and of followers before, with references."""
    bodies, equalities = "", ""
    for side in "rl":
        ends = ""
        knee = _joint(f"knee_{side}", "hinge", 'range="0 2" ref=".1"')
        bodies += f'<body pos="0 .3 1">{knee}<geom size=".05" pos=".1 0 0"/>'
        leader = f"knee_{side}"
        for k in range(COUNT // 2):
            name = f"{side}{k}"
            joint = _joint(name, "slide" if k % 3 == 2 else "hinge", f'ref="{0.1 * k:g}"')
            bodies += f'<body pos=".1 0 -.1">{joint}<geom size=".03" pos="0 .05 0"/>'
            ends += "</body>"
            numbers = " ".join(f"{x:.4f}" for x in RNG.uniform(-0.3, 0.3, 5))
            equalities += f'<joint joint1="{name}" joint2="{leader}" polycoef="{numbers}"/>'
            leader = name if k == 4 else f"knee_{side}"  # one follower leads the next
        bodies += ends + "</body>"
    return (
        '<mujoco><compiler angle="radian"/><option timestep=".001" gravity="0 0 0"/>'
        f"<worldbody>{bodies}</worldbody><equality>{equalities}</equality></mujoco>"
    )


LEG = leg()


@pytest.fixture(scope="module")
def scene() -> Scene:
    return load_string(LEG, format="mjcf", quiet=True)


@pytest.fixture(scope="module")
def mechanism(scene: Scene) -> Mechanism:
    return lower(scene)


@pytest.fixture
def client() -> Iterator[int]:
    number = pybullet.connect(pybullet.DIRECT)
    yield number
    pybullet.disconnect(number)


class Witness:
    """MuJoCo, which reads the text itself, in a state that others computed."""

    def __init__(self, text: str, q: dict[str, Any], assets: Any = None) -> None:
        self.model = mujoco.MjModel.from_xml_string(text, assets or {})
        self.data = mujoco.MjData(self.model)
        for name, value in q.items():
            self.data.joint(name).qpos[:] = value
        mujoco.mj_forward(self.model, self.data)

    @property
    def rows(self) -> np.ndarray:
        return self.data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY

    def residual(self) -> float:
        return float(np.abs(self.data.efc_pos[self.rows]).max())

    def jacobian(self) -> np.ndarray:
        dense = np.zeros((self.data.nefc, self.model.nv))
        mujoco.mju_sparse2dense(
            dense,
            self.data.efc_J,
            self.data.efc_J_rownnz,
            self.data.efc_J_rowadr,
            self.data.efc_J_colind,
        ) if mujoco.mj_isSparse(self.model) else np.copyto(
            dense, self.data.efc_J.reshape(dense.shape)
        )
        return dense[self.rows]


KNEES = [{"knee_r": 0.4, "knee_l": 1.9}, {"knee_r": -0.3, "knee_l": 1.2}]


@pytest.mark.parametrize("knees", KNEES)
def test_followers_are_where_mujocos_equalities_hold(
    mechanism: Mechanism, knees: dict[str, float]
) -> None:
    q = mechanism.with_followers(knees)
    assert len(q) == COUNT + 2
    assert Witness(LEG, q).residual() < 1e-12
    assert all(abs(violation) < 1e-12 for violation in _violations(mechanism, q))


def _violations(mechanism: Mechanism, q: Any) -> Iterator[float]:
    values = {name: float(np.ravel(x)[0]) for name, x in q.items()}
    order = mechanism.v_order
    for c in mechanism.couplings:
        yield values[order[c.follower][0]] - float(c.at(values[order[c.leader][0]]))


@pytest.mark.parametrize("knees", KNEES)
def test_pybullet_sets_followers(scene: Scene, client: int, knees: dict[str, float]) -> None:
    body = load_into_pybullet(scene, quiet=True)
    body.set_positions(knees)
    assert Witness(LEG, body.positions()).residual() < 1e-9
    poses = lower(scene).link_poses(body.positions())
    assert all(body.link_pose(name).is_close(X, 1e-9) for name, X in poses.items())


def test_the_tangent_is_that_of_mujoco(mechanism: Mechanism) -> None:
    q = mechanism.with_followers(KNEES[0])
    witness = Witness(LEG, q)
    order = [mechanism.dof_index[witness.model.joint(k).name, 0] for k in range(witness.model.nv)]
    G = mechanism.independent_motions(q)[order]
    assert G.shape == (COUNT + 2, 2)
    assert np.abs(witness.jacobian() @ G).max() < 1e-12
    MG = np.zeros_like(G)
    for column in range(2):
        vector, product = np.ascontiguousarray(G[:, column]), np.zeros(len(G))
        mujoco.mj_mulM(witness.model, witness.data, product, vector)
        MG[:, column] = product
    own = mechanism.independent_motions(q)
    np.testing.assert_allclose(own.T @ mechanism.mass_matrix(q) @ own, G.T @ MG, rtol=1e-9)


def test_velocities_follow_the_tangent(scene: Scene, client: int) -> None:
    body = load_into_pybullet(scene, quiet=True)
    body.set_positions(KNEES[0])
    body.set_velocities({"knee_r": 0.7, "knee_l": -0.2})
    witness = Witness(LEG, body.positions())
    for name, rate in body.velocities().items():
        witness.data.joint(name).qvel[:] = rate
    assert np.abs(witness.jacobian() @ witness.data.qvel).max() < 1e-9


PAIR = """<mujoco><compiler angle="radian"/><option timestep=".001" gravity="0 0 0"/><worldbody>
<body><joint name="l" axis="0 1 0" range="-1 2"/><geom size=".1" pos=".2 0 0"/>{}</body>{}</worldbody>
<equality><joint joint1="f" joint2="l" polycoef=".1 .5 .8 -.3 .2"/></equality></mujoco>"""
FOLLOWER = '<body pos=".4 0 0"><joint name="f" axis="0 0 1"/><geom size=".1" pos=".2 0 0"/></body>'


@pytest.mark.parametrize("places", [(FOLLOWER, ""), ("", FOLLOWER)])
def test_pybullet_keeps_the_law_while_it_steps(places: tuple[str, str], client: int) -> None:
    body = load_into_pybullet(load_string(PAIR.format(*places), format="mjcf"), quiet=True)
    body.apply_physics()
    body.set_positions({"l": 0.2})
    body.set_velocities({"l": 1.0})
    worst = 0.0
    for _ in range(500):
        body.step()
        worst = max(worst, *map(abs, _violations(body.mechanism, body.positions())))
    assert body.positions()["l"] > 0.5
    assert worst < 1e-5
    (found,) = [e for e in body.diagnostics if e.code == "pybullet.gear"]
    (law,) = body.mechanism.couplings
    q = np.linspace(-1.0, 2.0, 3001)  # the tangent at zero, where the model is loaded
    error = np.abs(law.at(q) - law.multiplier * q - law.offset).max()
    assert float(found.arguments["error"]) == pytest.approx(error, rel=1e-3)
    assert "5e-6" not in found.message


def test_each_key_and_the_exported_equality_hold(scene: Scene) -> None:
    shifted = dataclasses.replace(
        scene,
        joints=tuple(
            dataclasses.replace(
                joint, default_position=(0.8,) if joint.name.startswith("knee") else ()
            )
            for joint in scene.joints
        ),
    )
    mjcf = bridge.to_mjcf(shifted, quiet=True)
    witness = Witness(mjcf, {}, mjcf.assets)
    assert witness.model.nkey > 0
    for key in range(witness.model.nkey):
        mujoco.mj_resetDataKeyframe(witness.model, witness.data, key)
        mujoco.mj_forward(witness.model, witness.data)
        assert witness.residual() < 1e-9


def test_the_numbers_of_the_equalities_are_those_of_the_source(scene: Scene) -> None:
    mjcf = bridge.to_mjcf(scene, quiet=True)
    source, export = (Witness(text, {}).model for text in (LEG, str(mjcf)))
    q = lower(scene).with_followers(KNEES[1])
    assert Witness(str(mjcf), q).residual() < 1e-9
    assert source.neq == export.neq == COUNT


@pytest.mark.parametrize("write", [bridge.to_sdf, bridge.to_urdf])
def test_formats_with_lines_state_the_largest_error(scene: Scene, write: Any) -> None:
    found = [e for e in write(scene, quiet=True).diagnostics if e.code.endswith("out.coupling")]
    laws = {(c.follower, c.leader): c for c in scene.couplings}
    assert len(found) == COUNT
    for entry in found:
        low, high = (float(entry.arguments[name]) for name in ("low", "high"))
        law = laws[entry.arguments["follower"], entry.arguments["leader"]]
        if law.leader.startswith("knee"):
            assert (low, high) == (0.0, 2.0)
        q = np.linspace(low, high, 5001)
        slope = np.polyfit(q, law.at(q), 1)
        least = np.abs(law.at(q) - np.polyval(slope, q)).max()
        assert float(entry.arguments["error"]) <= 1.05 * least
    written = load_string(str(write(scene, quiet=True)), format=write.__name__[3:], quiet=True)
    for line in written.couplings:
        (entry,) = (e for e in found if line.follower.endswith(str(e.arguments["follower"])))
        law = laws[entry.arguments["follower"], entry.arguments["leader"]]
        q = np.linspace(float(entry.arguments["low"]), float(entry.arguments["high"]), 5001)
        true = np.abs(law.at(q) - line.at(q)).max()
        assert line.higher == ()
        assert true == pytest.approx(float(entry.arguments["error"]), rel=1e-3)
    with pytest.raises(ExportError, match="by a line"):
        write(scene, quiet=True, strict=True)


def test_a_comparison_knows_the_laws(scene: Scene) -> None:
    found = compare(scene, levels=("L0", "L1"), configurations=2)
    rows = {(row.quantity, row.outcome) for row in found.rows}
    assert ("couplings", Outcome.PASSED) in rows
    assert not [row for row in found.rows if row.outcome is Outcome.FAILED]

    def change(model: Any) -> None:
        model.eq_data[0][2] += 0.01

    planted = faulty_mujoco(change)
    changed = compare(scene, (planted,), levels=("L0",), configurations=1)
    assert "couplings" in {r.quantity for r in changed.rows if r.outcome is Outcome.FAILED}


def test_a_scaled_mechanism_follows_scaled_laws(mechanism: Mechanism) -> None:
    large = scaled(mechanism, 3.0)
    q, Q = mechanism.with_followers(KNEES[0]), large.with_followers(KNEES[0])
    for name, X in mechanism.link_poses(q).items():
        np.testing.assert_allclose(large.link_poses(Q)[name].p, 3.0 * X.p, atol=1e-9)


def test_a_line_is_a_law_without_higher_powers() -> None:
    assert CouplingLaw.of([0.1, 2.0, 0.0, 0.0, 0.0]) == CouplingLaw(offset=0.1, multiplier=2.0)
    assert CouplingLaw.of([0.0]) == CouplingLaw(multiplier=0.0)
    law = Coupling(follower="a", leader="b", offset=1.0, multiplier=2.0, higher=(3.0,))
    assert law.scaled(10.0, 2.0).coefficients == (10.0, 10.0, 7.5)
    assert (float(law.at(2.0)), float(law.at(2.0, 1)), float(law.at(2.0, 2))) == (17.0, 14.0, 6.0)
    line, error = CouplingLaw(multiplier=0.0, higher=(1.0,)).closest_line(-1.0, 1.0)
    assert (line.multiplier, line.offset, error) == pytest.approx((0.0, 0.5, 0.5))
