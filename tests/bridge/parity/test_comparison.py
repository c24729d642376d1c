"""`compare` finds a planted fault where it is, finds nothing without one, and checks its
options.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Level, Outcome, Verdict, compare
from bridge.parity.engine import factory_of
from loaders import Scene
from loaders.diagnostics import ExportError, Fate

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
from tests.support.faults import FAULTS, false_alarm, heavier, prepared, verdict_on, without_damping
from tests.support.seeds import seeds

ASSETS = Path(__file__).parents[3] / "assets"

LINK = (
    "<link name='{0}'><inertial><origin xyz='.02 .01 -.1'/><mass value='{1}'/><inertia "
    "ixx='.02' iyy='.03' izz='.04' ixy='.001' ixz='0' "
    "iyz='0'/></inertial><collision><geometry><sphere "
    "radius='.1'/></geometry></collision></link>"
)

JOINT = (
    "<joint name='{0}' type='revolute'><parent link='{1}'/><child link='{2}'/><origin xyz='.1 "
    "0 -.2' rpy='.1 .2 .3'/><axis xyz='{3}'/><limit lower='-1' upper='1.5' effort='1' "
    "velocity='1'/><dynamics damping='.1'/>{4}</joint>"
)

HAND = (
    "<robot name='hand'><link name='world'/>"
    + LINK.format("palm", 1)
    + LINK.format("near", 2)
    + LINK.format("far", 3)
    + JOINT.format("wrist", "world", "palm", "0 0 1", "")
    + JOINT.format("knuckle", "palm", "near", "0 1 0", "")
    + JOINT.format(
        "tip", "near", "far", "1 0 0", "<mimic joint='knuckle' multiplier='.5' offset='.1'/>"
    )
    + "</robot>"
)

ARM = ASSETS / "arm" / "model.sdf"
ROBOTS = ["arm/model.sdf", "hand", "pybullet/franka_panda/panda.urdf"]


def read(name: str) -> Scene:
    if name == "hand":
        return loaders.load_string(HAND, format="urdf")
    if name.startswith("pybullet/"):
        data = pytest.importorskip("pybullet_data")
        return loaders.load(Path(data.getDataPath()) / name.removeprefix("pybullet/"))
    return loaders.load(ASSETS / name)


@pytest.fixture(scope="module", params=ROBOTS)
def scene(request: pytest.FixtureRequest) -> Scene:
    return prepared(read(request.param))


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_where_it_is_and_only_there(
    scene: Scene, fault: str, engine: str
) -> None:
    changed, names = FAULTS[fault](scene, np.random.default_rng(1))
    assert verdict_on(scene, changed, engine, names) == ""


@pytest.mark.parametrize("seed", seeds(5))
def test_without_a_fault_nothing_is_found_at_any_seed(scene: Scene, seed: int) -> None:
    assert false_alarm(scene, seed) == ""


def test_a_link_that_lacks_moments_of_inertia_excuses_no_fault_of_its_mass() -> None:
    """MuJoCo demands moments and gets some: that is a cause for the inertia, and for nothing
    else.
    """
    scene = read("hand")
    far = next(k for k in scene.links if k.name == "far")
    thin = replace(far, inertia=replace(far.inertia, I_Lcm=0.0 * far.inertia.I_Lcm))
    sound = replace(scene, links=(*(k for k in scene.links if k is not far), thin))
    heavy = replace(thin, inertia=replace(thin.inertia, mass=1.01 * thin.inertia.mass))
    changed = replace(sound, links=(*(k for k in scene.links if k is not far), heavy))
    assert verdict_on(sound, changed, "mujoco", {"far"}) == ""
    assert false_alarm(sound, 0) == ""


def planted(engine: str, fault: object, scene: Scene) -> object:
    """Opens an engine with a model that has the fault, whatever part of the model it is asked to
    move.
    """
    changed, _ = fault(scene, np.random.default_rng(1))  # type: ignore[operator]

    def opened(mechanism: bridge.Mechanism) -> object:
        parts = {
            "links": {k.name: k.inertia for k in changed.links},
            "joints": {j.name: j for j in changed.joints},
        }
        return factory_of(engine)(_faulty(mechanism, parts))

    opened.name = engine  # type: ignore[attr-defined]
    return opened


def _faulty(mechanism: bridge.Mechanism, parts: dict) -> bridge.Mechanism:
    scene = mechanism.scene
    links = tuple(replace(k, inertia=parts["links"][k.name]) for k in scene.links)
    joints = tuple(
        replace(
            j,
            axes=tuple(
                _damped(a, b) for a, b in zip(j.axes, parts["joints"][j.name].axes, strict=True)
            ),
        )
        for j in scene.joints
    )
    return bridge.lower(replace(scene, links=links, joints=joints))


def _damped(axis: object, changed: object) -> object:
    """Of an axis that is damped in this motion, the damping that the fault left."""
    return replace(axis, damping=changed.damping if axis.damping else 0.0)  # type: ignore[attr-defined,type-var]


@pytest.mark.slow
@pytest.mark.parametrize("fault", [heavier, without_damping], ids=lambda fault: fault.__name__)
def test_motion_alone_shows_a_fault_of_mass_or_damping(fault: object) -> None:
    scene = read("arm/model.sdf")
    found = compare(scene, engines=(planted("mujoco", fault, scene), "pybullet"), levels=("L2",))
    assert found.verdict is Verdict.DIFFERS
    assert "one step" in {row.quantity for row in found.failures}, "one step is enough to see it"


def test_operators_alone_show_a_fault_of_mass() -> None:
    scene = read("arm/model.sdf")
    found = compare(scene, engines=("mujoco", planted("pybullet", heavier, scene)), levels=("L1",))
    failed = {row.quantity for row in found.rows if row.outcome is Outcome.FAILED}
    assert failed == {"mass matrix", "bias forces", "inverse dynamics"}


IMPOSSIBLE = """
<robot name="hammer">
  <link name="base"/>
  <joint name="swing" type="continuous"><parent link="base"/><child link="head"/><axis xyz="1 0 0"/></joint>
  <link name="head"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="world"/>
  <joint name="hold" type="fixed"><parent link="world"/><child link="base"/></joint>
</robot>"""


def test_an_impossible_inertia_is_refused_or_repaired_alike_in_every_engine(tmp_path: Path) -> None:
    path = tmp_path / "hammer.urdf"
    path.write_text(IMPOSSIBLE)
    with pytest.raises(ExportError, match="impossible-inertia"):
        compare(path, levels=(Level.MODEL,))
    found = compare(path, inertia="repair", levels=(Level.MODEL, Level.OPERATORS))
    found.assert_no_difference()
    assert found.agreement is Verdict.EQUIVALENT
    assert [entry.code for entry in found.diagnostics if entry.fate is Fate.REPAIRED] == [
        "lower.repaired-inertia"
    ]
    assert "0.2, 0.3, 0.5 kg m^2" in next(
        e.message for e in found.diagnostics if e.fate is Fate.REPAIRED
    )
    assert "--inertia repair" in found.command


# --- base -----------------------------------------------------------------------------------------

FLOATING = "<robot name='arm'>" + LINK.format("foot", 3) + LINK.format("upper", 1) + JOINT.format(
    "hip", "foot", "upper", "0 1 0", "") + "</robot>"  # fmt: skip


@pytest.mark.parametrize(("base", "sizes"), [("as_is", [1, 7]), ("fixed", [1])])
def test_the_base_is_as_chosen_in_every_engine(base: str, sizes: list[int]) -> None:
    scene = loaders.load_string(FLOATING, format="urdf")
    found = compare(scene, base=base, levels=("L0", "L1"), configurations=2)  # type: ignore[arg-type]
    assert found.agreement is Verdict.EQUIVALENT
    assert {
        np.size(value) for q in found.details["random_positions"] for value in q.values()
    } == set(sizes)


def test_another_base_is_an_error_for_engines_that_read_the_file_themselves() -> None:
    with pytest.raises(
        ValueError, match="unknown value 'held' of base; expected one of: as_is, fixed, free"
    ):
        compare(ARM, base="held")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="base='fixed' cannot be used with mujoco-urdf"):
        compare(ARM, engines=("mujoco", "mujoco-urdf"), base="fixed")


# --- options and text -----------------------------------------------------------------------------


def test_a_misspelled_option_is_an_error_that_suggests_the_right_one() -> None:
    with pytest.raises(
        TypeError, match="unknown option 'configuration'; did you mean 'configurations'"
    ):
        compare(ARM, configuration=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="did you mean 'package_map'"):
        compare(ARM, package_maps={})  # type: ignore[call-arg]


def test_an_unknown_level_is_an_error_that_lists_the_levels() -> None:
    with pytest.raises(
        ValueError, match=r"unknown level 'L9'; expected one of: L0, L1, L2, L3, L4"
    ):
        compare(ARM, levels=("L9",))


def test_strict_refuses_what_an_engine_cannot_represent() -> None:
    scene = read("arm/model.sdf")
    with pytest.raises(ExportError, match=r"pybullet\."):
        compare(scene, levels=("L0",), configurations=1, strict=True)
    assert compare(scene, levels=("L0",), configurations=1).agreement is Verdict.EQUIVALENT


def test_the_repr_states_verdict_engines_and_counts_in_one_short_line() -> None:
    result = compare(ARM, levels=("L0",), configurations=1)
    assert repr(result).startswith("<Comparison INCOMPLETE arm in mujoco, pybullet: ")
    assert len(repr(result)) < 200
    assert "\n" not in repr(result)


def test_engines_and_levels_in_one_text_are_separated_by_commas() -> None:
    result = bridge.compare(
        ASSETS / "double_pendulum.urdf", "reference, mujoco", levels="L0,L1", configurations=1
    )
    assert result.engines == ("mujoco",)
    assert {str(row.level) for row in result.rows} == {"L0", "L1"}


@pytest.mark.parametrize("count", [0, -3])
def test_fewer_than_one_configuration_is_an_error_that_says_what_was_expected(count: int) -> None:
    with pytest.raises(
        ValueError, match=rf"configurations = {count}; expected a whole number of at least 1"
    ):
        bridge.compare(
            ASSETS / "double_pendulum.urdf", ("mujoco",), levels=("L0",), configurations=count
        )
