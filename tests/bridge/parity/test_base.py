"""Tests of the base that a comparison was asked for, in every mechanism that its engines open."""

import ast
from pathlib import Path

import pytest

import loaders
from bridge.lowering import lower
from bridge.lowering.transform import relowered, with_base
from bridge.mechanism import Mechanism
from bridge.parity.comparison import compare
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine

ROOT = Path(__file__).parents[3]
ARM = ROOT / "assets/arm/model.sdf"
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
        (ARM, "as_is", None),
        (ARM, "free", None),
    ],
    ids={FREE: "free robot", WELDED: "welded robot", QUADRUPED: "quadruped", ARM: "arm"}.get,
)
def test_every_mechanism_of_a_comparison_has_the_base(
    source: str | Path, base: str, velocities: int | None
) -> None:
    """The numbers of velocities are counted by hand; the arm stands on one pedestal, so that a free
    one has 6 more.
    """
    opened: list[Mechanism] = []

    class Mujoco(MujocoEngine):
        def __init__(self, mechanism: Mechanism, *, as_exported: bool = False) -> None:
            opened.append(mechanism)
            super().__init__(mechanism, as_exported=as_exported)

    class Pybullet(PyBulletEngine):
        def __init__(self, mechanism: Mechanism) -> None:
            opened.append(mechanism)
            super().__init__(mechanism)

    scene = (
        loaders.load(source)
        if isinstance(source, Path)
        else loaders.load_string(source, format="urdf")
    )
    expected = (
        len(lower(scene).v_order) + (6 if base == "free" else 0)
        if velocities is None
        else velocities
    )
    levels = ("L0", "L1", "L2", "L3")
    comparison = compare(scene, (Mujoco, Pybullet), levels=levels, base=base, configurations=2)  # type: ignore[arg-type]
    counts = {len(mechanism.v_order) for mechanism in opened if mechanism.scene.name == scene.name}
    assert counts == {expected}
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


def test_no_level_lowers_a_scene_without_the_base_of_the_mechanism() -> None:
    """Bodies above a plane and a single link are scenes of a level alone; two files are compared as
    they are.
    """
    own = {
        ("contact.py", "_open"),
        ("conservation.py", "_tumbling"),
        ("two_models.py", "errors_in_simulators"),
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
