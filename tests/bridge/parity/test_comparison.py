"""`compare` finds a planted fault where it is and nothing without one, in every mechanism that its
engines open.
"""

from __future__ import annotations

import ast
import hashlib
import math
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.lowering import lower
from bridge.lowering.transform import relowered, with_base
from bridge.mechanism import Mechanism
from bridge.parity import Level, Outcome, Verdict, compare
from bridge.parity.comparison import compare as compare_engines
from bridge.parity.comparison import motion_level_rows, witnessed_rows
from bridge.parity.engine import (
    EngineMissingError,
    NotReportedError,
    engine_names,
    factory_of,
    reads_file,
)
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.reference import ReferenceEngine
from loaders import Scene
from loaders.diagnostics import ExportError, Fate
from tests.support.faults import FAULTS, false_alarm, heavier, prepared, verdict_on, without_damping
from tests.support.seeds import few, seeds, spread

# `compare` finds a planted fault where it is, finds nothing without one, and checks its options.

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
FOREIGN = ("drake", "mujoco-native", "pybullet-urdf")
"""Engines that read the file themselves."""
ROBOTS = ["arm/model.sdf", "hand", "pybullet/franka_panda/panda.urdf"]


def read(name: str) -> Scene:
    if name == "hand":
        return loaders.load_string(HAND, format="urdf")
    if name.startswith("pybullet/"):
        data = pytest.importorskip("pybullet_data")
        return loaders.load(Path(data.getDataPath()) / name.removeprefix("pybullet/"))
    return loaders.load(ASSETS / name)


@pytest.fixture(scope="module", params=few(ROBOTS, 2))
def scene(request: pytest.FixtureRequest) -> Scene:
    return prepared(read(request.param))


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
@pytest.mark.parametrize("fault", spread(FAULTS, 2))
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

LINKS = LINK.format("foot", 3) + LINK.format("upper", 1)
FLOATING = f"<robot name='arm'>{LINKS}{JOINT.format('hip', 'foot', 'upper', '0 1 0', '')}</robot>"


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


@pytest.mark.parametrize("names", [FOREIGN, pytest.param(engine_names(), marks=pytest.mark.slow)])
def test_overrides_are_an_error_for_engines_that_read_the_file_themselves(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "heavy.toml").write_text('[links."*"]\nmass = 3.0\n')
    scene = loaders.load(ARM, overrides=tmp_path / "heavy.toml", quiet=True)
    reading = []
    for name in names:
        with suppress(EngineMissingError):
            reading += [name] if reads_file(factory_of(name)) else []
    assert set(FOREIGN) <= set(reading)
    for name in reading:
        with pytest.raises(ValueError, match=f"overrides cannot be used with {name}"):
            compare(scene, engines=("reference", name), levels=("L0",))


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


@pytest.mark.slow
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


# Levels of motion keep the rows that they have if an engine stops answering.

MECHANISM = bridge.lower(
    loaders.load(Path(__file__).parents[3] / "assets" / "double_pendulum.urdf")
)


class Stopping(ReferenceEngine):
    """An engine that steps only so often."""

    name = "stopping"
    reads_file = False

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.left = 10

    def step(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise NotReportedError("it stopped")
        super().step(count)


def test_an_engine_that_stops_leaves_an_unknown_row_and_the_rows_before() -> None:
    engines = [("reference", ReferenceEngine), ("stopping", Stopping)]
    rows = list(motion_level_rows([Level.MOTION], MECHANISM, engines, 0, lambda _message: None))
    assert rows[-1].outcome is Outcome.UNKNOWN
    assert rows[-1].cause == "it stopped"


def test_other_levels_have_no_rows() -> None:
    engines = [("reference", ReferenceEngine)]
    assert (
        list(motion_level_rows([Level.MODEL], MECHANISM, engines, 0, lambda _message: None)) == []
    )
    assert list(witnessed_rows([Level.MODEL], MECHANISM, engines, 0, {})) == []


# Tests of the base that a comparison was asked for, in every mechanism that its engines open.

ROOT = Path(__file__).parents[3]
BASE_ARM = ROOT / "assets/arm/model.sdf"
INERTIA = "<inertia ixx='.01' iyy='.012' izz='.015' ixy='0' ixz='0' iyz='0'/>"
LEGS = ("fl", "fr", "bl", "br")


def body(name: str) -> str:
    return (
        f"<link name='{name}'><inertial><origin xyz='.1 0 -.1'/><mass "
        f"value='1'/>{INERTIA}</inertial></link>"
    )


def hinge(name: str, parent: str, child: str) -> str:
    limit = "<limit lower='-1' upper='1' effort='5' velocity='3'/>"
    return (
        f"<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>"
        f"<origin xyz='.2 0 -.1'/><axis xyz='0 1 0'/>{limit}</joint>"
    )


def robot(*parts: str) -> str:
    return f"<robot name='robot'>{''.join(parts)}</robot>"


HINGED = (body("base"), body("arm"), hinge("elbow", "base", "arm"))
WELD = "<joint name='weld' type='fixed'><parent link='world'/><child link='base'/></joint>"
FREE = robot(*HINGED)
WELDED = robot("<link name='world'/>", WELD, *HINGED)
QUADRUPED = robot(
    body("trunk"),
    *(body(f"{leg}_{part}") for leg in LEGS for part in ("thigh", "shank")),
    *(hinge(f"{leg}_hip", "trunk", f"{leg}_thigh") for leg in LEGS),
    *(hinge(f"{leg}_knee", f"{leg}_thigh", f"{leg}_shank") for leg in LEGS),
)


def _recording(
    opened: list[Mechanism], states: list[tuple[str, dict]]
) -> tuple[type[MujocoEngine], type[PyBulletEngine]]:
    """MuJoCo and PyBullet, which note each mechanism that they are opened with, and each state."""

    class Mujoco(MujocoEngine):
        def __init__(self, mechanism: Mechanism, *, as_exported: bool = False) -> None:
            opened.append(mechanism)
            super().__init__(mechanism, as_exported=as_exported)

        def set_state(self, q: dict, v: dict) -> None:
            states.append((self.name, q))
            super().set_state(q, v)

    class Pybullet(PyBulletEngine):
        def __init__(self, mechanism: Mechanism) -> None:
            opened.append(mechanism)
            super().__init__(mechanism)

        def set_state(self, q: dict, v: dict) -> None:
            states.append((self.name, q))
            super().set_state(q, v)

    return Mujoco, Pybullet


def _overrides(scene: Scene) -> str:
    """Values of all links with mass and all joints with axes, and of gravity."""
    links = [f"[links.{one.name!r}]\nmass = 1.7" for one in scene.links if one.inertia is not None]
    joints = [
        f"[joints.{one.name!r}]\ndamping = 0.45\nfriction = 0.12\nlower = -0.8\nupper = 0.9\n"
        "effort = 4.5"
        for one in scene.joints
        if one.axes
    ]
    return "\n".join((*links, *joints, "[options]\ngravity = [0.3, 0.2, -8.1]"))


ALLOWED = {
    "damping": {0.45, 0.0},
    "friction": {0.12, 0.0},
    "lower": {-0.8, -math.inf},
    "upper": {0.9, math.inf},
    "effort": {4.5, math.inf},
}
"""The overridden values of axes, and those of motions from which solvers are left out."""


def _assert_overridden(mechanism: Mechanism) -> None:
    """All links and joints have the values of `_overrides`, or none where a level leaves it out."""
    inertias = [link.inertia for link in mechanism.scene.links if link.inertia is not None]
    assert {one.mass for one in inertias} <= {1.7}
    axes = [axis for joint in mechanism.scene.joints for axis in joint.axes]
    for field, values in ALLOWED.items():
        assert {getattr(axis, field) for axis in axes} <= values, field
    assert mechanism.gravity.tolist() in ([0.3, 0.2, -8.1], [0.0, 0.0, 0.0])


FORK = robot(
    LINK.format("base", 1),
    LINK.format("left", 2).replace("ixx='.02'", "ixx='.2'"),
    LINK.format("right", 2),
    hinge("l", "base", "left"),
    hinge("r", "base", "right"),
)
"""Two links that overlap, one of which has an inertia that no body can have."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "pairs"),
    [
        ({"overlaps": "keep"}, {"left right"}),
        ({"overlaps": "keep", "exclude": "sampled", "exclude_samples": 20}, set()),
    ],
    ids=str,
)
def test_every_mechanism_of_a_comparison_has_the_pairs_and_the_repaired_inertia(
    options: dict[str, object], pairs: set[str]
) -> None:
    opened: list[Mechanism] = []
    scene = loaders.load_string(FORK, format="urdf")
    levels = ("L0", "L1", "L2")
    engines = _recording(opened, [])
    compare_engines(scene, engines, levels=levels, inertia="repair", configurations=1, **options)
    assert len(opened) > 10
    for mechanism in opened:
        (left,) = (one for one in mechanism.bodies if one.name == "left")
        assert not left.inertia.defects()
        if any(link.collisions for link in mechanism.scene.links):
            assert {" ".join(sorted(pair)) for pair in mechanism.collidable_pairs()} == pairs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "base", "velocities"),
    [
        (FREE, "as_is", 7),
        (FREE, "fixed", 1),
        (FREE, "free", 7),
        (WELDED, "as_is", 1),
        (WELDED, "fixed", 1),
        (WELDED, "free", 7),
        (QUADRUPED, "fixed", 8),
        (BASE_ARM, "as_is", None),
        (BASE_ARM, "free", None),
    ],
    ids={FREE: "free robot", WELDED: "welded robot", QUADRUPED: "quadruped", BASE_ARM: "arm"}.get,
)
def test_every_mechanism_of_a_comparison_has_the_base_and_the_overrides(
    source: str | Path, base: str, velocities: int | None, tmp_path: Path
) -> None:
    """The numbers of velocities are counted by hand; the arm stands on one pedestal, so that a free
    one has 6 more. A stated position is set in both engines.
    """
    opened: list[Mechanism] = []
    states: list[tuple[str, dict]] = []
    path, overrides = tmp_path / "robot.urdf", tmp_path / "overrides.toml"
    if isinstance(source, Path):
        path = source
    else:
        path.write_text(source, encoding="utf-8")
    plain = lower(loaders.load(path))
    overrides.write_text(_overrides(plain.scene), encoding="utf-8")
    expected = (
        len(plain.v_order) + (6 if base == "free" else 0) if velocities is None else velocities
    )
    joint, _ = plain.v_order[-1]
    levels = ("L0", "L1", "L2", "L3", *(["L4"] if base == "as_is" else []))
    comparison = compare_engines(
        path, _recording(opened, states), levels=levels, base=base, configurations=1,
        overrides=overrides, positions={joint: 0.3125},
    )  # type: ignore[arg-type]  # fmt: skip
    of_model = [one for one in opened if one.scene.name == plain.scene.name]
    assert {len(mechanism.v_order) for mechanism in of_model} == {expected}
    for mechanism in of_model:
        _assert_overridden(mechanism)
    for mechanism in (one for one in opened if one.scene.name in {"rest", "alone"}):
        assert {one.inertia.mass for one in mechanism.bodies if one.inertia.mass} == {1.7}
    assert {name for name, q in states if q.get(joint) == (0.3125,)} == {"mujoco", "pybullet"}
    assert not comparison.failures
    assert comparison.environment["degrees of freedom"] == str(expected)


def test_a_changed_scene_keeps_the_base_and_the_least_inertia() -> None:
    pointlike = robot("<link name='base'/>", body("arm"), hinge("elbow", "base", "arm"))
    mechanism = lower(loaders.load_string(pointlike, format="urdf"))
    for fixed in (True, False):
        based = with_base(mechanism, fixed=fixed)
        again = relowered(based, based.scene)
        assert again.base == based.base
        assert again.v_order == based.v_order


def test_a_freed_link_does_not_share_the_name_of_another_joint() -> None:
    same = robot(
        "<link name='world'/>", WELD, body("base"), body("arm"), hinge("base", "base", "arm")
    )
    freed = with_base(lower(loaders.load_string(same, format="urdf")), fixed=False)
    assert len(dict.fromkeys(freed.v_order)) == 7


@pytest.mark.slow
def test_no_level_lowers_a_scene_without_the_base_of_the_mechanism() -> None:
    """Bodies above a plane, a robot that stands and a single link are scenes of a level alone; two files are compared as
    they are; a recording and a replay start from a source.
    """
    own = {
        ("contact.py", "_open"),
        ("contact.py", "open"),
        ("contact.py", "_standing_rows"),
        ("conservation.py", "_tumbling"),
        ("two_models.py", "errors_in_simulators"),
        ("trajectory.py", "record_motion"),
        ("trajectory.py", "view_motion"),
        ("replay.py", "replay"),
    }
    assert set(callers_of_lower(ROOT / "bridge/parity")) == own


def callers_of_lower(folder: Path) -> list[tuple[str, str]]:
    """Return the file and the function of each call of `lower` and of `mechanism_of`, but that of
    `compare`.
    """
    return [
        (path.name, function.name)
        for path in folder.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        and (path.name, function.name) != ("comparison.py", "compare")
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and (getattr(call.func, "id", "") in {"lower", "mechanism_of"} or is_of_module(call.func))
    ]


def is_of_module(function: ast.expr) -> bool:
    """Return whether a call is ``bridge.lower`` or ``lowering.lower``; ``text.lower`` is another
    function.
    """
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "lower"
        and getattr(function.value, "id", getattr(function.value, "attr", ""))
        in {"bridge", "lowering"}
    )


# A result can be cited: versions, inputs, contact and the claim.


@pytest.mark.slow
def test_a_result_names_versions_inputs_and_what_it_says_about_contact() -> None:
    """The hashes are those of the files on the disk, the mesh of an included model among them."""
    found = compare(ASSETS / "arm" / "model.sdf", levels=("L0",), configurations=1)
    files = [ASSETS / "arm" / "model.sdf"]
    files += [ASSETS / "gripper" / name for name in ("model.sdf", "meshes/finger.obj")]
    for file in files:
        assert found.inputs[str(file)] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert next(iter(found.inputs)) == str(files[0])
    assert all(Path(path).is_relative_to(ASSETS) for path in found.inputs)
    assert {"sdfbridge", "processor", "mujoco", "pybullet", "seed"} <= found.environment.keys()
    assert found.contact == "motion in contact was not compared"
    assert "otion in contact was not compared" in found.claim
    for part in (
        found.claim,
        found.command,
        found.inputs[str(files[0])],
        found.environment["mujoco"],
    ):
        assert part in found.methods
    assert found.to_dict()["inputs"] == found.inputs


@pytest.mark.slow
def test_the_statement_on_contact_counts_pressed_shapes_and_states_the_errors_of_scenarios() -> (
    None
):
    file, engine = ASSETS / "double_pendulum.urdf", "mujoco"
    touched = compare(file, engine, levels=("L2",), configurations=1).contact
    assert touched.startswith("also in contact, within these errors of closed forms: force ")
    for name in ("force", "friction", "grip", "rolling contact", "bounce"):
        assert re.search(rf"{name} [0-9.e-]+ on 2 of 2 shapes", touched)
    found = compare(file, engine, levels=("L4",), configurations=1)
    assert found.contact.startswith("also in contact, within these errors of closed forms: rest")
    for row in found.rows:
        assert f"{row.quantity} {row.error:.1g}" in found.contact
    assert found.contact[1:] in found.claim


@pytest.mark.parametrize(
    ("text", "contact"),
    [
        ("<geom size='.1'/>", "motion in contact was not compared"),
        ("<geom size='.1' contype='0' conaffinity='0'/>", ""),
    ],
)
def test_only_a_model_that_can_touch_something_has_a_statement_on_contact(
    text: str, contact: str
) -> None:
    model = f"<mujoco><worldbody><body><freejoint/>{text}</body></worldbody></mujoco>"
    scene = loaders.load_string(model, format="mjcf")
    assert compare(scene, "mujoco", levels=("L0",), configurations=1).contact == contact
