"""The README names programs and folders that exist, and its statements about native loaders are
measured; tests/test_snippets.py runs its commands and its code.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
COMMANDS = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
PYTHON = [text for kind, text in BLOCKS if kind == "python"]


# --- commands and code ----------------------------------------------------------------------------


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {kind for kind, _ in BLOCKS} <= {"sh", "python", "text"}
    assert COMMANDS
    assert len(PYTHON) == 3


def test_every_command_is_of_a_program_that_is_tested() -> None:
    """The commands of pip run in ``.ci/first_ten_minutes.py``, in new environments."""
    assert {command.split()[0] for command in COMMANDS} == {"make", "pip", "sdfbridge"}


@pytest.mark.parametrize(
    "command", [command for command in COMMANDS if command.startswith("make ")]
)
def test_a_command_of_make_has_its_target(command: str) -> None:
    words = shlex.split(command, comments=True)
    subprocess.run([words[0], "--dry-run", *words[1:]], cwd=ROOT, check=True, capture_output=True)


def test_the_layout_lists_every_package_and_nothing_else() -> None:
    (layout,) = [
        text
        for kind, text in BLOCKS
        if kind == "text" and "loaders/" in text and "bridge/cli/" in text
    ]
    names = {match[1] for line in layout.splitlines() if (match := re.match(r"(\S+)/", line))}
    assert {name for name in names if not (ROOT / name).is_dir()} == set()
    packages = {f"bridge/{path.parent.name}" for path in (ROOT / "bridge").glob("*/__init__.py")}
    assert packages <= names


HEADINGS = ("Install", "Quick start", "PyBullet", "MuJoCo", "Architecture", "Known limitations")


def test_it_has_the_headings_that_readers_search_for() -> None:
    headings = re.findall(r"^## (.*)$", README, re.MULTILINE)
    assert [heading for heading in HEADINGS if heading not in headings] == []


def test_the_file_has_fewer_than_150_lines() -> None:
    assert len(README.splitlines()) < 150


# --- native loaders -------------------------------------------------------------------------------

INERTIAL = (
    "<inertial><mass>1</mass><inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.25</izz></inertia></inertial>"
)
STOPS = "<limit><lower>-3</lower><upper>3</upper></limit>"
AXIS = f"<axis><xyz>0 1 0</xyz>{STOPS}</axis>"


class Native:
    """PyBullet's native loaders in a separate physics server."""

    def __init__(self, client: int, folder: Path) -> None:
        import pybullet

        self.pybullet = pybullet
        self.client = client
        self.folder = folder

    def load_sdf(self, world: str) -> int:
        """Load a world with this content and return its first body."""
        path = self.folder / "native.sdf"
        path.write_text(
            f"<sdf version='1.11'><world name='w'>{world}</world></sdf>", encoding="utf-8"
        )
        return int(self.pybullet.loadSDF(str(path), physicsClientId=self.client)[0])

    def load_urdf(self, robot: str) -> int:
        path = self.folder / "native.urdf"
        path.write_text(f"<robot name='r'>{robot}</robot>", encoding="utf-8")
        return int(self.pybullet.loadURDF(str(path), physicsClientId=self.client))

    def position(self, body: int, link: int) -> tuple[float, ...]:
        state = self.pybullet.getLinkState(
            body, link, computeForwardKinematics=1, physicsClientId=self.client
        )
        return tuple(state[4])


@pytest.fixture
def native(bullet_client: int, tmp_path: Path) -> Native:
    return Native(bullet_client, tmp_path)


def two_links(
    kind: str, joint: str, pose: str = "<pose>.1 0 .1 0 0 0</pose>", more: str = ""
) -> str:
    return (
        f"<model name='m'><link name='a'>{INERTIAL}</link><link "
        f"name='b'>{pose}{INERTIAL}</link>{more}"
        f"<joint name='j' type='{kind}'><parent>a</parent><child>b</child>{joint}</joint></model>"
    )


def joint_pose_is_ignored(native: Native) -> None:
    body = native.load_sdf(two_links("revolute", f"<pose>0 0 -.1 0 0 0</pose>{AXIS}"))
    native.pybullet.resetJointState(body, 0, 0.78, physicsClientId=native.client)
    right = np.array((0.1 + 0.1 * np.sin(0.78), 0.0, 0.1 * np.cos(0.78)))
    assert np.linalg.norm(native.position(body, 0) - right) == pytest.approx(0.076, abs=5e-4)


def relative_to_is_ignored(native: Native) -> None:
    pose = "<pose relative_to='f'>0 0 0 0 0 0</pose>"
    body = native.load_sdf(
        two_links("revolute", AXIS, pose, "<frame name='f'><pose>1 2 3 0 0 0</pose></frame>")
    )
    assert native.position(body, 0) == (0.0, 0.0, 0.0)
    turned = AXIS.replace("<xyz>", "<xyz expressed_in='f'>")
    frame = "<frame name='f'><pose>0 0 0 0 0 1.5707963267948966</pose></frame>"
    body = native.load_sdf(two_links("revolute", turned, more=frame))
    axis = native.pybullet.getJointInfo(body, 0, physicsClientId=native.client)[13]
    assert axis == (0.0, 1.0, 0.0), "about the y axis of f it would be -x"


def inertia_is_ignored(native: Native) -> None:
    body = native.load_sdf(two_links("revolute", AXIS))
    moments = native.pybullet.getDynamicsInfo(body, 0, physicsClientId=native.client)[2]
    assert max(moments) < 1e-6, "the file states 0.1, 0.2 and 0.25"


def include_and_nested_model_are_missing(native: Native) -> None:
    alone = f"<model name='m'><link name='a'>{INERTIAL}</link></model>"
    nested = alone.replace(
        "</model>", f"<model name='n'><link name='b'>{INERTIAL}</link></model></model>"
    )
    native.load_sdf(alone + "<include><uri>model://anything</uri></include>")
    assert native.pybullet.getNumBodies(physicsClientId=native.client) == 1
    body = native.load_sdf(nested)
    assert native.pybullet.getNumBodies(physicsClientId=native.client) == 2
    assert native.pybullet.getNumJoints(body, physicsClientId=native.client) == 0


def many_joints_refuse_the_whole_file(native: Native) -> None:
    axis = "<axis><xyz>0 1 0</xyz></axis>"
    joints = {
        "revolute": axis,
        "ball": "",
        "universal": f"{axis}<axis2><xyz>1 0 0</xyz></axis2>",
        "screw": axis,
    }
    for kind, joint in joints.items():
        with pytest.raises(native.pybullet.error, match=r"^Cannot load SDF file\.$"):
            native.load_sdf(two_links(kind, joint))
    with pytest.raises(native.pybullet.error, match=r"^Cannot load SDF file\.$"):
        native.load_sdf(two_links("fixed", "").replace("<parent>a", "<parent>world"))


URDF_INERTIAL = (
    "<inertial><mass value='1'/><inertia ixx='.1' iyy='.2' izz='.25' ixy='0' ixz='0' "
    "iyz='0'/></inertial>"
)
URDF_LIMIT = "<limit lower='-1' upper='1' effort='1' velocity='1'/>"


def hidden_motors_hold_the_joints(native: Native) -> None:
    pybullet, client = native.pybullet, native.client
    path = ROOT / "assets" / "double_pendulum.urdf"
    body = pybullet.loadURDF(str(path), physicsClientId=client)
    pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
    pybullet.resetJointState(body, 1, 1.0, physicsClientId=client)
    for _ in range(240):
        pybullet.stepSimulation(physicsClientId=client)
    position = pybullet.getJointState(body, 1, physicsClientId=client)[0]
    assert position == pytest.approx(1.0, abs=1e-3), "a pendulum would have swung down"


def urdf_inertia_and_mimic_are_ignored(native: Native) -> None:
    pybullet, client = native.pybullet, native.client
    joint = (
        "<joint name='{0}' type='revolute'><parent link='{1}'/><child link='{2}'/><axis "
        "xyz='0 0 1'/>{3}{4}</joint>"
    )
    body = native.load_urdf(
        (
            f"<link name='a'/><link name='b'>{URDF_INERTIAL}</link><link "
            f"name='c'>{URDF_INERTIAL}</link>"
        )
        + joint.format("j", "a", "b", URDF_LIMIT, "")
        + joint.format("k", "b", "c", URDF_LIMIT, "<mimic joint='j'/>")
    )
    assert max(pybullet.getDynamicsInfo(body, 0, physicsClientId=client)[2]) < 1e-6
    assert pybullet.getDynamicsInfo(body, -1, physicsClientId=client)[0] == 1.0, (
        "link a has no inertial: no mass"
    )
    assert pybullet.getNumConstraints(physicsClientId=client) == 0


def mujoco_does_not_read_sdf(native: Native) -> None:
    mujoco = pytest.importorskip("mujoco")
    with pytest.raises(ValueError, match="Unrecognized XML model type: 'sdf'"):
        mujoco.MjModel.from_xml_path(str(ROOT / "assets" / "orthogonal_z.sdf"))


def mujoco_fixes_a_floating_base(native: Native) -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = (
        f"<robot name='r'><link name='a'>{URDF_INERTIAL}</link><link "
        f"name='b'>{URDF_INERTIAL}</link>"
        f"<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 "
        f"1'/>{URDF_LIMIT}</joint>"
        "</robot>"
    )
    model = mujoco.MjModel.from_xml_string(robot)
    assert [model.body(i).name for i in range(model.nbody)] == ["world", "b"]
    assert model.nv == 1


def mujoco_does_not_resolve_package_uris(native: Native) -> None:
    mujoco = pytest.importorskip("mujoco")
    mesh = (
        "<visual><geometry><mesh "
        "filename='package://gripper/meshes/finger.obj'/></geometry></visual>"
    )
    collision = mesh.replace("visual", "collision")
    robot = f"<robot name='r'><link name='a'>{URDF_INERTIAL}{collision}</link></robot>"
    with pytest.raises(ValueError, match="Error opening file"):
        mujoco.MjModel.from_xml_string(robot)


NATIVE: list[Callable[[Native], None]] = [
    joint_pose_is_ignored,
    relative_to_is_ignored,
    inertia_is_ignored,
    include_and_nested_model_are_missing,
    many_joints_refuse_the_whole_file,
    hidden_motors_hold_the_joints,
    urdf_inertia_and_mimic_are_ignored,
    mujoco_does_not_read_sdf,
    mujoco_fixes_a_floating_base,
    mujoco_does_not_resolve_package_uris,
]
"""Checks of the rows of the README's table, in order."""


def test_the_table_has_a_check_for_each_row() -> None:
    table = README.partition("| In the file |")[2].partition("\n\n")[0].splitlines()
    assert len(table) - 2 == len(NATIVE)


@pytest.mark.parametrize("check", NATIVE, ids=lambda check: check.__name__)
def test_a_row_of_the_table_is_what_the_native_loader_does(
    check: Callable[[Native], None], native: Native
) -> None:
    check(native)
