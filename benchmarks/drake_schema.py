"""Change each element of SDFormat and each attribute of URDF in a model, and ask Drake's plant
whether its parser read it.

python -m benchmarks.drake_schema [PART] [--out FILE]

A pair of models differs in one element. Where the scene that this project reads differs and Drake's
plant and scene graph do not, Drake reads over the element, and `compare` with Drake must report a
finding with a code. ``PART`` limits the elements to those whose path has it. ``FILE`` receives the
elements that Drake does not read, with the code, as CSV. The exit status is 1 if an element is
ignored in silence.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

import bridge
import loaders
from bridge.parity.engines.drake.plant import RAISED, read_plant, without_log
from loaders.diagnostics import ModelError
from tests.support.sdf_elements import SCHEMA, leaves

_MOMENTS = "<ixx>.9</ixx><iyy>.9</iyy><izz>.9</izz>"
_INERTIAL = f"<inertial><mass>2</mass><inertia>{_MOMENTS}</inertia></inertial>"
_BOX = "<geometry><box><size>.1 .2 .3</size></box></geometry>"
SDF = f"""<sdf version="{{version}}"><model name="m"><link name="a">{_INERTIAL}
<collision name="c">{_BOX}<surface><friction><ode><mu>.9</mu><mu2>.9</mu2></ode></friction></surface></collision>
<visual name="v">{_BOX}</visual></link>
<link name="b"><pose>.4 0 0 0 0 0</pose>{_INERTIAL}</link>
<link name="d"><pose>.8 0 0 0 0 0</pose>{_INERTIAL}</link>
<joint name="j" type="{{kind}}"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
{{spring}}</axis>{{second}}</joint>
<joint name="k" type="revolute"><parent>b</parent><child>d</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""
"""The model of SDFormat that gets each element."""
SHAPES = {
    "sphere": "<sphere><radius>.1</radius></sphere>",
    "cylinder": "<cylinder><radius>.1</radius><length>.2</length></cylinder>",
    "capsule": "<capsule><radius>.1</radius><length>.2</length></capsule>",
    "cone": "<cone><radius>.1</radius><length>.2</length></cone>",
    "ellipsoid": "<ellipsoid><radii>.1 .2 .3</radii></ellipsoid>",
    "plane": "<plane><normal>0 0 1</normal><size>1 1</size></plane>",
    "mesh": "<mesh><uri>box.obj</uri></mesh>",
    "polyline": "<polyline><point>0 0</point><point>1 0</point><point>0 1</point><height>1</height></polyline>",
}
"""The shapes that replace the box for their own elements."""
URDF = """<robot name="r"><link name="a"><inertial><origin xyz="0 0 0" rpy="0 0 0"/><mass value="2"/>
<inertia ixx=".9" iyy=".8" izz=".7" ixy="0" ixz="0" iyz="0"/></inertial>
<contact><lateral_friction value=".5"/><rolling_friction value=".1"/><spinning_friction value=".1"/>
<restitution value=".1"/><contact_cfm value=".1"/><contact_erp value=".1"/><stiffness value="900"/>
<damping value="9"/></contact>
<visual><origin xyz="0 0 0" rpy="0 0 0"/><geometry><box size=".1 .2 .3"/></geometry>
<material name="red"><color rgba="1 0 0 1"/></material></visual>
<collision><origin xyz="0 0 0" rpy="0 0 0"/><geometry><cylinder radius=".1" length=".2"/></geometry></collision></link>
<link name="b"><inertial><mass value="2"/><inertia ixx=".9" iyy=".8" izz=".7" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="d"><inertial><mass value="2"/><inertia ixx=".9" iyy=".8" izz=".7" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><origin xyz="0 0 0" rpy="0 0 0"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="9" velocity="8"/><dynamics damping=".5" friction=".2"/>
<calibration rising=".1"/><safety_controller soft_lower_limit="-.9" soft_upper_limit=".9" k_position="9" k_velocity="3"/></joint>
<joint name="k" type="revolute"><parent link="b"/><child link="d"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="9" velocity="8"/><mimic joint="j" multiplier=".5" offset=".1"/></joint>
<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="j"><hardwareInterface>
hardware_interface/EffortJointInterface</hardwareInterface></joint><actuator name="m"><mechanicalReduction>2</mechanicalReduction>
</actuator></transmission>
<gazebo reference="b"><mu1>.5</mu1><mu2>.5</mu2><kp>900</kp><kd>9</kd><maxVel>.1</maxVel><minDepth>.1</minDepth>
<selfCollide>true</selfCollide><turnGravityOff>true</turnGravityOff><gravity>false</gravity></gazebo>
<gazebo reference="j"><implicitSpringDamper>true</implicitSpringDamper><springStiffness>3</springStiffness>
<springReference>.1</springReference><stopCfm>.1</stopCfm><stopErp>.1</stopErp><provideFeedback>true</provideFeedback></gazebo></robot>"""
"""The model of URDF of which each attribute and text is changed."""
_VALUES = (
    ("0.3", "0.7"),
    ("true", "false"),
    ("1", "2"),
    ("0.1 0.2 0.3", "0.3 0.1 0.2"),
    ("0.1 0.2 0.3 0 0 0", "0.3 0.1 0.2 0 0 0"),
    ("0.1 0.2", "0.3 0.4"),
    ("0.1 0.2 0.3 0.4", "0.4 0.3 0.2 0.1"),
    ("x", "y"),
)
_OF_LEAF = {
    "ixx": ("1", "1.1"),
    "iyy": ("1", "1.1"),
    "izz": ("1", "1.1"),
    "ixy": ("0.01", "0.02"),
    "ixz": ("0.01", "0.02"),
    "iyz": ("0.01", "0.02"),
    "ode/mu": ("1.5", "1.7"),
    "mu2": ("0.3", "0.7"),
    "axis2/xyz": ("0 1 0", "1 0 0"),
    "polyline/point": ("-0.2 -0.1", "-0.1 -0.2"),
    "mimic/multiplier": ("0.3", "0.7"),
    "upper": ("0.3", "0.7"),
    "lower": ("-0.3", "-0.7"),
}
"""Values of elements for which the first pair says nothing."""
_LEFT_OUT = {
    "plugin", "include", "gripper", "state", "actor", "population", "road", "gui", "model_state",
    "scene", "heightmap", "image", "projector", "particle_emitter", "audio_source", "battery",
}  # fmt: skip
"""Elements without motion or contact that this project does not read, or that need other files."""
_NAMED = {"collision", "visual", "sensor", "light", "frame", "link", "joint", "model"}
READ, REFUSED, SILENT = "read", "refused", "silent"


class Pair(NamedTuple):
    """Two documents that differ in one element.

    Attributes:
        form: The format.
        path: The element.
        without: The document without the element, or unchanged.
        documents: The pairs of documents, of which the first counts that both load and differ.
    """

    form: str
    path: str
    without: str
    documents: tuple[tuple[str, str], ...]


def pairs() -> Iterator[Pair]:
    """Yield the pairs of all elements of SDFormat and all attributes and texts of URDF."""
    yield from _sdf_pairs()
    yield from _urdf_pairs()


def _sdf_pairs() -> Iterator[Pair]:
    sensed = set()
    for path in leaves("world", "model"):
        kind = tuple(path[: path.index("sensor") + 2]) if "sensor" in path else path
        if _LEFT_OUT.intersection(path) or kind in sensed:
            continue
        sensed.add(kind)
        yield _sdf_pair(path, "1.12")
    yield _sdf_pair(("model", "joint", "axis", "initial_position"), "1.8")


def _sdf_pair(path: tuple[str, ...], version: str) -> Pair:
    second = "<axis2><xyz>0 1 0</xyz></axis2>" if "axis2" in path else ""
    kind = "universal" if second else "revolute"
    spring = "" if second else "<dynamics><spring_stiffness>3</spring_stiffness></dynamics>"
    base = SDF.format(version=version, kind=kind, second=second, spring=spring)
    without = base
    for place, tag in enumerate(path):
        if tag in SHAPES and path[place - 1] == "geometry":
            owner = "v" if "visual" in path else "c"
            box = _BOX.removeprefix("<geometry>").removesuffix("</geometry>")
            head, mark, tail = base.partition(f'name="{owner}"')
            base = head + mark + tail.replace(box, SHAPES[tag], 1)
    chosen = next((v for k, v in _OF_LEAF.items() if "/".join(path).endswith(f"/{k}")), None)
    values = _VALUES if chosen is None else (chosen,)
    documents = tuple((_with(base, path, a), _with(base, path, b)) for a, b in values)
    return Pair("sdf", "/".join(path), without, documents)


def _with(base: str, path: tuple[str, ...], text: str) -> str:
    """Return a document with the text in an element, which is made where there is none."""
    tree = ElementTree.fromstring(base)
    node = tree[0]
    for place, tag in enumerate(path[1:], start=1):
        child = node.find(tag)
        if child is None:
            names = {"name": "n"} if tag in _NAMED else {}
            names |= {"joint": "k"} if tag == "mimic" else {}
            names |= {"type": "gaussian"} if tag == "noise" else {}
            names |= {"type": "spot"} if tag == "light" else {}
            if tag == "sensor":
                below = path[place + 1]
                names["type"] = below if SCHEMA.get(f"sensor/{below}") else "imu"
            child = ElementTree.SubElement(node, tag, names)
        node = child
    node.text = text
    return ElementTree.tostring(tree, encoding="unicode")


def _urdf_pairs() -> Iterator[Pair]:
    count = sum(1 for _ in _places(ElementTree.fromstring(URDF)))
    for number in range(count):
        changed, without = ElementTree.fromstring(URDF), ElementTree.fromstring(URDF)
        path, node, key = list(_places(changed))[number]
        _, removed, _ = list(_places(without))[number]
        if key:
            node.set(key, _changed(node.attrib[key]))
            del removed.attrib[key]
        else:
            node.text = _changed(str(node.text))
            parent = next(each for each in without.iter() if removed in [*each])
            parent.remove(removed)
        texts = [ElementTree.tostring(tree, encoding="unicode") for tree in (changed, without)]
        yield Pair("urdf", path, texts[1], ((URDF, texts[0]),))


def _places(tree: ElementTree.Element) -> Iterator[tuple[str, ElementTree.Element, str]]:
    """Yield path, element and attribute of each value, with no attribute for a text."""
    stack = [(tree.tag, tree)]
    while stack:
        path, node = stack.pop()
        yield from ((f"{path}/@{key}", node, key) for key in node.attrib if key not in _NAMES)
        if node.text and node.text.strip():
            yield path, node, ""
        stack += [(f"{path}/{child.tag}", child) for child in reversed(node)]


_NAMES = {"name", "link", "joint", "reference", "type"}


def _changed(text: str) -> str:
    """Return another value of the same form."""
    if text in ("true", "false"):
        return {"true": "false", "false": "true"}[text]
    changed = re.sub(r"\d*\.?\d+$", lambda found: str(0.9 * float(found[0])), text.strip())
    return changed if changed != text.strip() else f"{text}x"


# --- readings -------------------------------------------------------------------------------------


def scene_text(path: Path) -> str:
    """Return all that this project reads from a file, without its places."""
    return repr(_plain(loaders.load(path, quiet=True)))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kept = (f.name for f in dataclasses.fields(value))
        names = [name for name in kept if name not in ("where", "diagnostics", "source")]
        return [type(value).__name__, *((name, _plain(getattr(value, name))) for name in names)]
    if isinstance(value, np.ndarray):
        return np.round(value, 12).tolist()
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else repr(value)


def plant_text(path: Path) -> str:
    """Return all that Drake reads from a file, in discrete time; why, if it refuses the file."""
    from pydrake.geometry import SceneGraph
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")
    plant: Any = MultibodyPlant(1e-3)
    graph: Any = SceneGraph()
    plant.RegisterAsSourceForSceneGraph(graph)
    with without_log():
        try:
            Parser(plant).AddModels(path)
            plant.Finalize()
        except RAISED as error:
            return f"{REFUSED}: {error}"
        moved = _step(path) if plant.num_constraints() else []
    return repr([*_bodies(plant), *_joints(plant), _forces(plant), *_geometries(graph), moved])


def _rounded(numbers: Any) -> Any:
    return np.round(np.asarray(numbers, dtype=np.float64), 10).tolist()


def _bodies(plant: Any) -> Iterator[Any]:
    from pydrake.multibody.tree import BodyIndex, FrameIndex

    context = plant.CreateDefaultContext()
    for index in range(plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        inertia = _rounded(body.default_spatial_inertia().CopyToFullMatrix6()) if index else 0
        yield body.name(), inertia, _rounded(body.EvalPoseInWorld(context).GetAsMatrix4())
    for index in range(plant.num_frames()):
        frame = plant.get_frame(FrameIndex(index))
        pose = frame.CalcPoseInBodyFrame(context).GetAsMatrix4()
        yield frame.name(), frame.body().name(), _rounded(pose)
    yield [plant.is_gravity_enabled(plant.get_body(BodyIndex(1)).model_instance())]


_OF_JOINTS = (
    "position_lower_limits", "position_upper_limits", "velocity_lower_limits",
    "velocity_upper_limits", "acceleration_lower_limits", "acceleration_upper_limits",
    "default_damping_vector", "default_positions",
)  # fmt: skip


def _joints(plant: Any) -> Iterator[Any]:
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        ends = joint.parent_body().name(), joint.child_body().name()
        frames = joint.frame_on_parent().name(), joint.frame_on_child().name()
        numbers = [_rounded(getattr(joint, name)()) for name in _OF_JOINTS]
        axes = [_rounded(getattr(joint, n)()) for n in ("revolute_axis",) if hasattr(joint, n)]
        yield joint.name(), joint.type_name(), ends, frames, numbers, axes
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        numbers = actuator.default_rotor_inertia(), actuator.default_gear_ratio()
        yield actuator.name(), actuator.effort_limit(), numbers, actuator.has_controller()


def _forces(plant: Any) -> Any:
    """Return numbers of constraints and force elements, and the forces away from the defaults."""
    from pydrake.multibody.tree import MultibodyForces

    context = plant.CreateDefaultContext()
    q = plant.GetPositions(context)
    names = [plant.get_joint(index) for index in plant.GetJointIndices()]
    for joint in names:
        if joint.num_positions() in (1, 2):
            q[joint.position_start() : joint.position_start() + joint.num_positions()] = 0.2
    plant.SetPositions(context, q)
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    counts = plant.num_constraints(), plant.num_force_elements()
    return counts, _rounded(forces.generalized_forces())


def _step(path: Path) -> list[float]:
    """Return the state after a step in which constraints act."""
    plant = read_plant(loaders.load(path, quiet=True), {}, 1e-3)
    context = plant.CreateDefaultContext()
    plant.SetVelocities(context, np.full(plant.num_velocities(), 0.1))
    after = plant.EvalUniquePeriodicDiscreteUpdate(context).get_vector().value()
    return list(np.round(after, 8).tolist())


def _geometries(graph: Any) -> Iterator[Any]:
    inspector = graph.model_inspector()
    for geometry in inspector.GetAllGeometryIds():
        yield (
            inspector.GetName(geometry),
            _rounded(inspector.GetPoseInFrame(geometry).GetAsMatrix4()),
            _shape(inspector.GetShape(geometry)),
        )
        for kind in ("Proximity", "Illustration", "Perception"):
            properties = getattr(inspector, f"Get{kind}Properties")(geometry)
            for group in sorted(properties.GetGroupNames()) if properties is not None else ():
                for name, value in sorted(properties.GetPropertiesInGroup(group).items()):
                    if name != "id":
                        yield kind, group, name, _property(value)
    candidates = inspector.GetCollisionCandidates()
    yield sorted(sorted(map(inspector.GetName, pair)) for pair in candidates)


_OF_SHAPES = ("radius", "length", "width", "depth", "height", "a", "b", "c", "filename", "scale3")


def _shape(shape: Any) -> list[str]:
    numbers = [str(getattr(shape, name)()) for name in _OF_SHAPES if hasattr(shape, name)]
    return [type(shape).__name__, *numbers]


def _property(value: Any) -> str:
    value = value.get_value() if hasattr(value, "get_value") else value
    if hasattr(value, "static_friction"):
        return f"{value.static_friction()} {value.dynamic_friction()}"
    return str(value.rgba) if hasattr(value, "rgba") else re.sub(" at 0x.*", "", str(value))


# --- verdicts -------------------------------------------------------------------------------------


def verdict(pair: Pair, folder: Path) -> str:
    """Return `READ`, `REFUSED`, `SILENT`, the codes of the findings about an element that Drake does
    not read, or nothing where this project does not read it either.
    """
    path = folder / f"model.{pair.form}"
    for documents in pair.documents:
        try:
            scenes = [_read(scene_text, path, text) for text in documents]
        except ModelError:
            continue
        if scenes[0] == scenes[1]:
            continue
        plants = [_read(plant_text, path, text) for text in documents]
        if plants[0].startswith(REFUSED) or plants[1].startswith(REFUSED):
            return REFUSED
        if plants[0] != plants[1]:
            return READ
        found = set().union(*(_read(_findings, path, text) for text in documents))
        found -= _read(_findings, path, pair.without)
        return " ".join(sorted({code for code, *_ in found})) or SILENT
    return ""


def _read(function: Any, path: Path, text: str) -> Any:
    path.write_text(text, encoding="utf-8")
    return function(path)


def _findings(path: Path) -> set[tuple[str, ...]]:
    try:
        found = bridge.compare(path, ("drake",), levels=("L0",), configurations=1)
    except ModelError:
        return set()
    refused = {
        (code, row.cause)
        for row in found.rows
        if row.quantity == "reading"
        for code in re.findall(r"\[([\w.-]+)\]", row.cause)
    }
    return refused | {
        (entry.code, str(entry.arguments), *entry.subjects)
        for entry in found.diagnostics
        if entry.target == "drake"
    }


def main(part: str, out: Path | None) -> int:
    """Print the verdict on each element, and return the number of silent ones."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "box.obj").write_text(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
            encoding="utf-8",
        )
        for pair in pairs():
            if part in pair.path:
                found = verdict(pair, folder)
                print(f"{pair.form} {pair.path}: {found or 'not read here'}", flush=True)
                rows.append((pair.form, pair.path, found))
    if out is not None:
        with out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("format", "element", "finding"))
            writer.writerows(row for row in rows if row[2] not in ("", READ, REFUSED))
    silent = [row for row in rows if row[2] == SILENT]
    print(f"{len(rows)} elements, {len(silent)} ignored in silence")
    return len(silent)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    sys.exit(min(main(options.part, options.out), 1))
