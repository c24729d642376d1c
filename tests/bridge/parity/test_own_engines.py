"""Engines of other packages: the documented members are all that a comparison asks for."""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import tomllib
from collections.abc import Collection, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity import Comparison, Outcome, Verdict, compare, engine_names
from bridge.parity.engine import (
    _ENGINES,
    ENTRY_POINTS,
    MEMBERS,
    BaseEngine,
    DescribedFactory,
    Engine,
    NotReportedError,
    factory_of,
)
from bridge.parity.reference import ReferenceEngine
from tests.support.scenes import link, scene
from tests.support.seeds import few, spread

ROOT = Path(__file__).parents[3]
ASSETS = ROOT / "assets"
STATIC, LEVELS = ("L0", "L1"), ("L0", "L1", "L2")
"""All levels but motion, which takes most of the time, and all."""
MODELS = {
    "double_pendulum.urdf": LEVELS,
    "leg.sdf": STATIC,
    "gripper/model.sdf": LEVELS,
    "arm/model.sdf": STATIC,
}
ROBOTS = {
    "gazebo_models/simple_gripper/model.sdf": LEVELS,
    "gazebo_models/pioneer2dx/model.sdf": STATIC,
    "mjcf/inputs/dm_control/suite/manipulator.xml": STATIC,
    "mjcf/inputs/dm_control/suite/quadruped.xml": STATIC,
}
CORPUS = Path(os.environ.get("SDFBRIDGE_CORPUS", ROOT.parent / "shared" / "corpus"))
OF_MUJOCO = {"settings of stops", "actuator laws", "compiled settings", "compiled meshes"}
"""What the reference does not report either."""
ATTRIBUTES = {name for name in MEMBERS if isinstance(vars(Engine)[name], property)}
QUERIES = sorted(MEMBERS - ATTRIBUTES)


def delegate(engine: type[BaseEngine], *, without: Collection[str] = ()) -> type[BaseEngine]:
    """A class of engines that has only the documented members, each of which asks another
    engine.
    """
    kept = MEMBERS - {*without, "name"}

    def opened(self: Any, mechanism: Mechanism, inner: Any = None) -> None:
        BaseEngine.__init__(self, mechanism)
        self.inner = engine(mechanism) if inner is None else inner
        for name in ATTRIBUTES & kept:
            setattr(self, name, getattr(self.inner, name))

    def exported(cls: Any, mechanism: Mechanism) -> Any:
        return cls(mechanism, engine.as_exported(mechanism))

    def asking(name: str) -> Any:
        return lambda self, *arguments: getattr(self.inner, name)(*arguments)

    members: dict[str, Any] = {name: getattr(engine, name) for name in ATTRIBUTES & kept}
    members |= {name: asking(name) for name in kept - ATTRIBUTES}
    members |= {"__init__": opened, "as_exported": classmethod(exported), "name": "own"}
    return type("Own", (BaseEngine,), members)


def itself(engine: type[BaseEngine]) -> type[BaseEngine]:
    """The engine under another name."""
    return type("Itself", (engine,), {"name": "itself", "target": engine.target or engine.name})


def rows_of(comparison: Comparison, *engines: str) -> list[tuple[Any, ...]]:
    """The rows of a pair of engines."""
    return [
        (row.level, row.quantity, row.outcome, row.error, row.where)
        for row in comparison.rows
        if row.engines == engines
    ]


def default_reason(member: str) -> str:
    """What the default of a member raises; empty if it answers."""
    count = len(inspect.signature(getattr(BaseEngine, member)).parameters) - 1
    engine = type("Own", (BaseEngine,), {"name": "own"})(bridge.lower(scene([link("a")], [])))
    try:
        getattr(engine, member)(*[0.0] * count)
    except NotReportedError as error:
        return str(error)
    return ""


# --- delegates ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "levels"), few(MODELS.items(), 1))
def test_an_engine_that_delegates_to_the_reference_is_equivalent_to_it(
    model: str, levels: tuple[str, ...]
) -> None:
    assert_equivalent_to_the_reference(ASSETS / model, levels)


def test_an_engine_that_delegates_holds_a_robot_with_meshes() -> None:
    data = pytest.importorskip("pybullet_data")
    path = Path(data.getDataPath()) / "franka_panda" / "panda.urdf"
    assert_equivalent_to_the_reference(path, STATIC)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "levels"), ROBOTS.items())
def test_an_engine_that_delegates_holds_the_robots_of_others(
    model: str, levels: tuple[str, ...]
) -> None:
    if not (CORPUS / model).exists():
        pytest.skip("the corpus is not here")
    assert_equivalent_to_the_reference(CORPUS / model, levels)


def assert_equivalent_to_the_reference(path: Path, levels: tuple[str, ...]) -> None:
    """An engine that delegates to the reference agrees with it, in the rows of the reference
    itself.
    """
    engines = (delegate(ReferenceEngine), itself(ReferenceEngine))
    found = compare(path, engines, levels=levels, configurations=2, quiet=True)
    assert found.agreement is Verdict.EQUIVALENT
    assert rows_of(found, "reference", "own") == rows_of(found, "reference", "itself")
    assert len(rows_of(found, "reference", "own")) > len(levels)
    unknown = [
        row
        for row in found.rows
        if row.outcome is Outcome.UNKNOWN and row.engines == ("reference", "own")
    ]
    motions = {f"motion {kind}" for kind in ("with damping", "without damping", "with rotors")}
    assert {row.quantity for row in unknown} - motions <= OF_MUJOCO
    assert all(
        "the reference simulates a second" in row.cause or "explicit integration" in row.cause
        for row in unknown
        if row.quantity in motions
    )


@pytest.mark.slow
@pytest.mark.parametrize("simulator", few(["mujoco", "pybullet"], 1))
def test_an_engine_that_delegates_to_a_simulator_is_equivalent_to_it(simulator: str) -> None:
    pytest.importorskip(simulator)
    engine: Any = factory_of(simulator)
    path = ASSETS / "gripper" / "model.sdf"
    levels = ("L0", "L1", "L2", "L3", "L4")
    engines = (engine, delegate(engine), itself(engine))
    found = compare(path, engines, levels=levels, configurations=1)
    pair = [row for row in found.rows if row.engines == (simulator, "own")]
    assert {row.outcome for row in pair if row.outcome is not Outcome.UNKNOWN} == {Outcome.PASSED}
    assert {"exported motion", "actuator efforts", "motion with efforts"} <= {
        row.quantity for row in pair if row.outcome is Outcome.PASSED
    }
    assert rows_of(found, simulator, "own") == rows_of(found, simulator, "itself")


# --- members that are missing ---------------------------------------------------------------------


TWO_MODELS = (
    "<sdf version='1.11'><world name='w'>"
    + "".join(
        f"<model name='{name}'><pose>0 0 {z} 0 0 0</pose><link name='l'><collision name='c'>"
        "<geometry><sphere><radius>.1</radius></sphere></geometry></collision></link></model>"
        for name, z in (("a", 1), ("b", 2))
    )
    + "</world></sdf>"
)
MJCF = (
    "<mujoco><worldbody><body><joint name='j' axis='0 1 0' range='-1 1' limited='true'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -1' size='.05'/></body></worldbody>"
    "<actuator><general name='g' joint='j' gainprm='2'/></actuator></mujoco>"
)


BODY = (
    "<link name='{name}'><pose>{x} 0 .3 0 0 0</pose><inertial><pose>0 0 .1 0 0 0</pose>"
    "<mass>1</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>"
    "<collision name='c'><geometry><sphere><radius>.05</radius></sphere></geometry></collision>"
    "<sensor name='imu' type='imu'/></link>"
)
JOINT = (
    "<joint name='{name}' type='revolute'><parent>base</parent><child>{child}</child><axis>"
    "<xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper><effort>5</effort>"
    "<velocity>3</velocity></limit><dynamics><damping>.1</damping></dynamics>{more}</axis></joint>"
)
MIMIC = (
    "<mimic joint='j'><multiplier>.5</multiplier><offset>0</offset><reference>0</reference></mimic>"
)
COUPLED = (
    "<sdf version='1.11'><model name='m'><joint name='w' type='fixed'><parent>world</parent>"
    "<child>base</child></joint>"
    + BODY.format(name="base", x=0.6)
    + BODY.format(name="a", x=0)
    + BODY.format(name="b", x=0.3)
    + JOINT.format(name="j", child="a", more="")
    + JOINT.format(name="k", child="b", more=MIMIC)
    + "<frame name='f' attached_to='a'><pose>0.1 0 0 0 0 0</pose></frame></model></sdf>"
)
"""A model with limits, drives, a coupling, shapes and sensors: a comparison asks for nearly all."""
SOURCES = {
    "coupled": ("sdf", COUPLED),
    "two models": ("sdf", TWO_MODELS),
    "of MuJoCo": ("mjcf", MJCF),
}


def source_of(member: str) -> str:
    """The name of a model for which a comparison asks for a member."""
    if member == "combined_friction":
        return "two models"
    of_mujoco = member.startswith("compiled_") or member in {
        "stop_settings",
        "actuator_laws",
        "servos",
    }
    return "of MuJoCo" if of_mujoco else "coupled"


@cache
def mechanism(source: str) -> Mechanism:
    form, text = SOURCES[source]
    return bridge.lower(loaders.load_string(text, format=form, quiet=True))


@cache
def asked(source: str, level: str) -> frozenset[str]:
    """The members that a comparison at a level asks MuJoCo for."""
    members = set()

    def noting(name: str) -> Any:
        def ask(self: Any, *arguments: Any) -> Any:
            members.add(name)
            return getattr(self.inner, name)(*arguments)

        return ask

    engine: Any = factory_of("mujoco")
    own = type("Own", (delegate(engine),), {name: noting(name) for name in QUERIES})
    compare(mechanism(source), (engine, own), levels=(level,), configurations=1)
    return frozenset(members)


OTHERS = {
    "joint_states",
    "sensor_forces",
    "set_solver_iterations",
    "solver_iterations",
    "with_strong_stops",
    "zero_poses",
}
"""Asked only where stops do not hold where sensors measure forces or in replays, or answered by other members."""


@pytest.mark.parametrize("member", spread(QUERIES, 3))
def test_a_member_that_an_engine_lacks_is_unknown_by_name_and_nothing_crashes(member: str) -> None:
    source = source_of(member)
    at_rest = member not in asked(source, "L2") or any(member in asked(source, n) for n in STATIC)
    assert_unknown_by_name(member, STATIC if at_rest else LEVELS)


@pytest.mark.slow
@pytest.mark.parametrize("member", QUERIES)
def test_nor_does_anything_crash_in_motion(member: str) -> None:
    assert_unknown_by_name(member, LEVELS)


def assert_unknown_by_name(member: str, levels: tuple[str, ...]) -> None:
    """A comparison with an engine without a member fails nowhere, and names what is missing."""
    pytest.importorskip("mujoco")
    engine: Any = factory_of("mujoco")
    own = delegate(engine, without={member})
    source = source_of(member)
    found = compare(mechanism(source), (engine, own), levels=levels, configurations=1)
    assert [row for row in found.rows if row.outcome is Outcome.FAILED] == []
    unknown = [row for row in found.rows if row.outcome is Outcome.UNKNOWN]
    reason = default_reason(member)
    words = member.replace("set_", "set ").replace("_", " ")
    if reason and member not in OTHERS:
        assert [row for row in unknown if reason in row.cause or "not tried in own" in row.cause]
        assert any(word.rstrip("s") in reason.lower() for word in words.split())


@pytest.mark.parametrize("attribute", sorted(ATTRIBUTES))
def test_an_attribute_that_an_engine_lacks_has_its_default(attribute: str) -> None:
    own = delegate(ReferenceEngine, without={attribute})
    found = compare(ASSETS / "double_pendulum.urdf", (own,), levels=("L0",), configurations=1)
    assert found.agreement is Verdict.EQUIVALENT


def test_an_object_without_some_members_is_refused_with_their_names() -> None:
    class Bare:
        name = "bare"

        def __init__(self, mechanism: Mechanism) -> None:
            self.mechanism = mechanism

    with pytest.raises(TypeError, match=r"the engine bare lacks .*link_poses.*BaseEngine"):
        compare(ASSETS / "double_pendulum.urdf", (Bare,), levels=("L0",))


def test_a_function_is_a_factory_and_its_name_is_that_of_the_engine() -> None:
    def opened(mechanism: Mechanism) -> Engine:
        return ReferenceEngine(mechanism)

    for factory, name in ((opened, "opened"), (partial(opened), "engine")):
        found = compare(ASSETS / "double_pendulum.urdf", (factory,), levels=("L0",))
        assert (found.engines, found.agreement) == ((name,), Verdict.EQUIVALENT)


GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("\n## How to add an engine\n")[2].partition("\n## ")[0]
BLOCKS = dict(re.findall(r"```(\w+)\n(.*?)```", SECTION, re.DOTALL))
"""The module and the entry point of the guide."""


def test_the_engine_of_the_guide_is_known_by_name_once_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "heavy_engine-1.0.dist-info"
    metadata.mkdir()
    module = BLOCKS["python"].partition("\ncomparison = ")[0]
    (tmp_path / "heavy_engine.py").write_text(module, encoding="utf-8")
    points = tomllib.loads(BLOCKS["toml"])["project"]["entry-points"][ENTRY_POINTS]
    lines = [f"[{ENTRY_POINTS}]", *(f"{name} = {value}" for name, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: heavy-engine\nVersion: 1.0\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "heavy_engine", raising=False)
    assert engine_names()[-1] == "heavy"
    found = compare(ASSETS / "leg.sdf", "heavy", levels=("L0", "L1"), configurations=1)
    passed = {row.quantity for row in found.rows if row.outcome is Outcome.PASSED}
    assert passed == {"joint motion", "link poses", "poses at zero"}
    assert [row.quantity for row in found.failures] == ["mass matrix"]


ACCELERATED = {"mjx", "warp", "newton", "newton-mjcf", "newton-urdf"}


def test_our_engines_on_accelerators_are_registered_too() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    points = project["project"]["entry-points"][ENTRY_POINTS]
    assert points == {name: _ENGINES[name][0] for name in ACCELERATED}
    for home in points.values():
        module, _, name = home.partition(":")
        assert name in Path(__file__).parents[3].joinpath(*module.split(".")).with_suffix(
            ".py"
        ).read_text("utf-8")


def test_the_guide_to_comparisons_names_every_member() -> None:
    page = (ROOT / "docs" / "parity.md").read_text(encoding="utf-8")
    section = page.partition("\n### Custom engines\n")[2].partition("\n## ")[0]
    table = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", "".join(table))) == sorted(MEMBERS)


# --- the protocol ---------------------------------------------------------------------------------


@pytest.mark.parametrize("member", sorted(MEMBERS))
def test_each_member_is_documented_and_has_a_default(member: str) -> None:
    assert len(inspect.getdoc(vars(Engine)[member]) or "") > len("See `Engine`.")
    assert hasattr(BaseEngine, member)


def test_the_base_has_no_member_that_is_not_documented() -> None:
    public = {name for name in vars(BaseEngine) if not name.startswith("_")}
    assert public - MEMBERS == {"as_exported"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in ACCELERATED else ())
        for name in engine_names()
        if name != "own"
    ],
)
def test_each_engine_of_this_package_derives_from_the_base(name: str) -> None:
    needed = {"drake": "pydrake", "dart": "dartpy", "pinocchio": "pinocchio"}.get(name, "pybullet")
    pytest.importorskip(needed, reason=f"{needed} is not installed")
    factory = factory_of(name)
    assert isinstance(factory, type)
    assert issubclass(factory, BaseEngine)
    assert isinstance(factory, DescribedFactory)


# --- the source -----------------------------------------------------------------------------------


PARITY = ROOT / "bridge" / "parity"
NAMES = {*engine_names(), "exact"}
GENERIC = [path for path in sorted(PARITY.rglob("*.py")) if "engines" not in path.parts]


def called(node: ast.AST, names: Collection[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def is_import(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "import_module"
    )


def hidden_members(tree: ast.AST, *, of_self_only: bool) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node, {"getattr", "hasattr"}):
            owner = node.args[0]
            is_own = isinstance(owner, ast.Name) and owner.id in {"self", "engine", "factory"}
            if is_own or not (of_self_only or is_import(owner)):
                yield node.lineno


def is_source_of_settings(node: ast.AST) -> bool:
    """Whether an expression is the simulator that the settings of a file are for."""
    return isinstance(node, ast.Attribute) and ast.unparse(node).endswith("physics.engine")


def constants(node: ast.AST) -> set[Any]:
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}


def compared_names(tree: ast.AST) -> Iterator[int]:
    """Lines that compare with the name of an engine, look one up, or hold a table of some."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and not is_source_of_settings(node.left):
            if any(constants(side) & NAMES for side in (node.left, *node.comparators)):
                yield node.lineno
        elif isinstance(node, ast.Dict):
            keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
            if len(keys & NAMES) > 1:
                yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_test = node.func.attr in {"startswith", "endswith", "get", "removeprefix"}
            if is_test and any(constants(each) & NAMES for each in node.args[:1]):
                yield node.lineno


def test_no_module_looks_for_hidden_members_of_engines() -> None:
    for path in sorted(PARITY.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path.parent != PARITY or path.name != "__init__.py":
            found = list(hidden_members(tree, of_self_only=path not in GENERIC))
            assert (path.name, found) == (path.name, [])


def test_no_module_compares_with_the_name_of_an_engine() -> None:
    for path in GENERIC:
        found = list(compared_names(ast.parse(path.read_text(encoding="utf-8"))))
        registry = 1 if path.name == "engine.py" else 0
        assert (path.name, len(found)) == (path.name, registry)
    for line in ("a.name == 'mujoco'", "a.startswith('pybullet')", "a in {'drake', 'x'}"):
        assert list(compared_names(ast.parse(line))) == [1]
    assert list(compared_names(ast.parse("{'mujoco': 1, 'dart': 2}"))) == [1]
    assert list(hidden_members(ast.parse("getattr(f, 'x', 0)"), of_self_only=False)) == [1]
