"""The order of packages and modules."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

from tests.support.source_tree import (
    MODULES,
    NAMES,
    ROOT,
    edges,
    functions,
    import_time_nodes,
    imported,
    modules_of,
    tree,
)

ON_DEMAND = {
    "cloudpickle",
    "coacd",
    "collada",
    "dartpy",
    "dask",
    "distributed",
    "fast_simplification",
    "jax",
    "jinja2",
    "matplotlib",
    "mujoco",
    "mujoco_warp",
    "newton",
    "pinocchio",
    "pybullet",
    "pydrake",
    "rich",
    "trimesh",
    "viser",
    "warp",
    "xacro",
    "yaml",
}
"""Imported by the function that uses them, never with a module."""

ORDER = {
    "loaders": (
        {"code", "deferred"},
        {"codes", "limits"},
        {"pose", "text"},
        {"diagnostics", "inertia"},
        {"files", "model"},
        {"numbers"},
        {"scoped_names"},
        {"engine_settings"},
        {"collision_pairs", "node"},
        {"xml"},
        {"meshes"},
        {"picture"},
        {"scene"},
        {"context", "finish"},
        {"drake", "mjcf"},
        {"gazebo"},
        {"sdf"},
        {"urdf"},
        {"formats"},
        {"__init__"},
    ),
    "bridge": (
        {"choices", "markup"},
        {"camera", "codes", "installed_packages", "output", "stdout_capture"},
        {"geometry"},
        {"mechanism"},
        {"fluid", "joint_checks", "sensors"},
        {"lowering"},
        {"diff", "robot_checks", "viewer"},
        {"repairs", "targets"},
        {"diagnostic_codes"},
        {"rules"},
        {"demo_worker", "mujoco_plugin", "parity", "sarif"},
        {"batches", "demo"},
        {"__init__"},
        {"cli", "pytest_plugin"},
    ),
    "sdfbridge": ({"location"}, {"__init__", "__main__", "mujoco_plugin", "pytest_plugin"}),
    "bridge.targets": (
        {"__init__", "numbers", "options", "report"},
        {"xml"},
        {"folder"},
        {"elements", "looks"},
        {"assembly"},
        {"mjcf", "pybullet", "sdf", "urdf"},
        {"directives"},
        {"target"},
    ),
    "bridge.targets.mjcf": (
        {"codes", "collision_filter", "context"},
        {"ros2_control"},
        {
            "asset",
            "contact_parameters",
            "default",
            "joint",
            "submodel",
        },
        {"geom"},
        {"equality", "inertial", "sensor"},
        {"actuator", "keyframe", "sensor_reader"},
        {"document"},
        {"spec"},
        {"folder"},
        {"__init__"},
    ),
    "bridge.targets.pybullet": (
        {"codes"},
        {"client"},
        {"mesh"},
        {"articulation"},
        {"geometry"},
        {"contact", "damping", "state"},
        {"constraint", "dynamics", "passive_force", "sensor"},
        {"body", "features"},
        {"load"},
        {"__init__"},
    ),
    "bridge.parity": (
        {"causes", "engine", "states"},
        {"readings", "verdict"},
        {"reference"},
        {"bounds", "engines", "quantity"},
        {"convergence"},
        {"attribution", "motion", "report"},
        {"touching"},
        {"contact"},
        {"quantities"},
        {"comparison", "replay"},
        {"two_models"},
        {"__init__"},
    ),
    "bridge.parity.engines": (
        {"__init__", "dart", "drake", "native"},
        {"mujoco", "pinocchio", "pybullet"},
        {"newton"},
    ),
}
"""The parts of each package, ground first: a part imports only from parts of layers below its
own.
"""


def parts_of(edge: tuple[str, str]) -> tuple[str, str, str]:
    """The innermost package that holds both ends of an import, and its parts that hold one each."""
    ends = [name.split(".") for name in edge]
    common = 0
    while common < min(map(len, ends)) and ends[0][common] == ends[1][common]:
        common += 1
    a, b = (end[common] if len(end) > common else "__init__" for end in ends)
    return ".".join(ends[0][:common]), a, b


def arrows() -> dict[str, dict[str, set[str]]]:
    """For each package, the parts that each of its parts imports from."""
    graphs: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for edge in edges():
        package, a, b = parts_of(edge)
        graphs[package][a].add(b)
    return graphs


# --- order ----------------------------------------------------------------------------------------


def test_every_part_of_a_package_has_its_layer() -> None:
    for package, layers in ORDER.items():
        folder = ROOT / package.replace(".", "/")
        folders = {path.parent.name for path in folder.glob("*/__init__.py")}
        declared = [part for layer in layers for part in layer]
        assert sorted(declared) == sorted({path.stem for path in folder.glob("*.py")} | folders), (
            package
        )


def test_a_part_imports_only_from_layers_below() -> None:
    upward = []
    for edge in sorted(edges()):
        package, a, b = parts_of(edge)
        if package in ORDER:
            layer = {part: i for i, parts in enumerate(ORDER[package]) for part in parts}
            if layer[a] <= layer[b]:
                upward.append(f"{edge[0]} -> {edge[1]}")
    assert upward == []


def test_no_parts_of_a_package_import_each_other_in_a_circle() -> None:
    for graph in arrows().values():
        TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_no_two_public_classes_share_a_name() -> None:
    places = defaultdict(list)
    for name in NAMES:
        for node in ast.walk(tree(name)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for module, target in edges():
        graph[module].add(target)
    TopologicalSorter(graph).prepare()


def test_one_module_of_the_loaders_imports_an_engine() -> None:
    importing = {
        n
        for n in NAMES
        if n.startswith("loaders/") and {"mujoco", "pybullet"} & imported(n, ast.walk(tree(n)))
    }
    assert importing == {"loaders/mjcf/compiler.py"}


def test_loaders_never_import_bridge() -> None:
    assert [
        edge for edge in edges() if edge[0].startswith("loaders") and edge[1].startswith("bridge")
    ] == []


def test_the_model_knows_only_diagnostics_and_spatial_algebra() -> None:
    known = {
        b for a, b in edges() if a.startswith("loaders.model") and not b.startswith("loaders.model")
    }
    assert known <= {"loaders.diagnostics", "loaders.inertia", "loaders.pose"}


def test_no_class_or_field_of_the_model_has_the_name_of_a_simulator() -> None:
    found = []
    for name in NAMES:
        if name.startswith("loaders/model/"):
            for node in ast.walk(tree(name)):
                named = node.target if isinstance(node, ast.AnnAssign) else node
                text = getattr(named, "name", "") or getattr(named, "id", "")
                is_declared = isinstance(node, ast.AnnAssign | ast.ClassDef | ast.FunctionDef)
                if is_declared and SIMULATOR.search(text):
                    found.append((name, text))
    assert found == []


SIMULATOR = re.compile("mujoco|bullet|drake|dart|gazebo|(^|_)ode($|_)", re.IGNORECASE)


def test_nothing_asks_for_which_engine_a_scene_was_written() -> None:
    """`loaders.engine_settings.conventions_of` says what follows from it."""
    found = [
        f"{name}:{node.lineno}"
        for name in NAMES
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Compare) and "physics.engine" in ast.unparse(node)
    ]
    assert found == []


def test_only_the_engines_of_parity_know_more_of_targets_than_their_codes() -> None:
    knowing = {
        a
        for a, b in edges()
        if a.startswith("bridge.parity") and b.startswith("bridge.targets.")
        if not b.endswith(".codes")
    }
    assert [module for module in knowing if not module.startswith("bridge.parity.engines.")] == []


def test_targets_do_not_know_each_other() -> None:
    """Drake's directives are the exception: they name files that the targets SDFormat and URDF
    write.
    """
    targets = {"mjcf", "pybullet", "sdf", "urdf"}
    ends = [
        [end.split(".")[2:3] for end in edge if end.startswith("bridge.targets.")]
        for edge in edges()
    ]
    known = [{name for end in pair for name in end} & targets for pair in ends]
    assert all(len(names) < 2 for names in known)


PACKAGE_ORDER = (
    ("loaders",),
    ("bridge.output", "bridge.geometry"),
    ("bridge.mechanism",),
    ("bridge.lowering",),
    ("bridge.targets",),
    ("bridge.parity",),
    ("bridge.batches",),
    ("bridge.cli",),
    ("sdfbridge",),
)
"""The main packages, ground first."""


def rank(module: str) -> int | None:
    """The place of a module in the order of the main packages; None if it is in none of them."""
    for place, packages in enumerate(PACKAGE_ORDER):
        if any(f"{module}.".startswith(f"{package}.") for package in packages):
            return place
    return None


def test_the_main_packages_import_only_from_those_below() -> None:
    ranks = [(a, b, rank(a), rank(b)) for a, b in sorted(edges())]
    assert [
        (a, b) for a, b, high, low in ranks if high is not None and low is not None and high < low
    ] == []


PROVIDED = {
    "actuators",
    "constraints",
    "contact_pairs",
    "couplings",
    "filter_groups",
    "force_elements",
    "gravity",
    "keyframes",
    "physics",
    "tendons",
}
"""What a mechanism itself provides: resolved by index, or stated for the whole scene."""
REPORTS = (
    "bridge/targets/pybullet/features.py",
    "bridge/targets/mjcf/document.py",
)
"""The modules that report the fields of a scene that a target does not support."""


def test_targets_ask_the_scene_only_for_names_looks_and_sensors() -> None:
    asked = {
        f"{name}:{node.lineno} {node.attr}"
        for name in NAMES
        if name.startswith(("bridge/targets/pybullet/", "bridge/targets/mjcf/"))
        and name not in REPORTS
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Attribute) and node.attr in PROVIDED
        if ast.unparse(node.value).split(".")[-1] == "scene"
    }
    assert asked == set()


# --- imports --------------------------------------------------------------------------------------


def test_no_function_imports_a_module_of_the_project() -> None:
    late = {
        f"{name}:{function.name} {module}"
        for name in NAMES
        for function in functions(name)
        for module in modules_of(imported(name, ast.walk(function)))
    }
    assert late == set()


def test_engines_and_heavy_libraries_are_imported_where_they_are_used() -> None:
    early = {
        f"{name} {module}"
        for name in NAMES
        for module in imported(name, import_time_nodes(name))
        if module.split(".")[0] in ON_DEMAND
    }
    assert early == set()


def test_importing_the_packages_imports_no_engine_and_nothing_heavy() -> None:
    code = (
        "import sys, loaders, bridge, sdfbridge; print(*sorted({name.split('.')[0] for name in "
        "sys.modules}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert not set(run.stdout.split()) & ON_DEMAND


# --- files ----------------------------------------------------------------------------------------

READERS = {"open", "read_bytes", "read_text", "process_file", "load_scene"}
DOORS = (
    ("loaders/files/read_file.py", "open"),
    ("loaders/meshes/trimesh_formats.py", "load_scene"),
    ("loaders/files/fuel.py", "open"),
    ("loaders/urdf/xacro_process.py", "process_file"),
    ("loaders/files/images.py", "open"),
)
"""The calls that may read: the one door, with the archives behind it; trimesh and Pillow, which get
bytes; xacro, whose process asks for them; and the download, which unpacks the archive that it
received.
"""


def calls_that_read(name: str) -> set[str]:
    """The names of the calls in a module that may open a file; functions of ours with such a name
    do not count.
    """
    calls = [node.func for node in ast.walk(tree(name)) if isinstance(node, ast.Call)]
    bare = {call.id for call in calls if isinstance(call, ast.Name)} & {"open"}
    return bare | {call.attr for call in calls if isinstance(call, ast.Attribute)} & READERS


def test_source_files_are_opened_by_one_function() -> None:
    calls = {
        (name, call)
        for name in NAMES
        if name.startswith("loaders/")
        for call in calls_that_read(name)
    }
    assert calls == set(DOORS)


# --- names ----------------------------------------------------------------------------------------


def test_no_module_is_named_after_nothing_in_particular() -> None:
    vague = {"utils", "util", "helpers", "misc", "common_utils"}
    assert [name for name in NAMES if Path(name).stem in vague] == []


def test_nothing_prints_or_changes_globals() -> None:
    found = []
    for name in NAMES:
        for node in ast.walk(tree(name)):
            is_print = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "print"
            )
            if is_print or isinstance(node, ast.Global):
                found.append(f"{name}:{node.lineno}")
    assert found == []


def test_a_handler_of_every_exception_raises_it_again_or_states_its_reason() -> None:
    silent = []
    for name in NAMES:
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        handlers = [node for node in ast.walk(tree(name)) if isinstance(node, ast.ExceptHandler)]
        broad = [
            h
            for h in handlers
            if h.type is None or ast.unparse(h.type) in {"Exception", "BaseException"}
        ]
        without = [
            h.lineno
            for h in broad
            if not (isinstance(h.body[-1], ast.Raise) and h.body[-1].exc is None)
        ]
        silent += [
            f"{name}:{line}" for line in without if "# noqa: BLE001  (" not in lines[line - 1]
        ]
    assert silent == []


def test_the_modules_and_their_imports_are_found() -> None:
    assert {"loaders", "bridge", "bridge.mechanism.mechanism"} <= MODULES.keys()
    assert ("bridge.lowering.lower", "bridge.mechanism.bodies") in edges()
