"""The plugin of MuJoCo, in separate processes since it stays registered, and the assertion of the
pytest plugin.
"""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.pytest_plugin import assert_parity, simulators

# MuJoCo opens SDFormat once the plugin is registered; in separate processes, since it stays
# registered.

ASSETS = Path(__file__).parents[2] / "assets"

ARM = """<sdf version="1.9"><model name="arm"><link name="base"/><link name="tip"><pose>0 0 1 0 0 0</pose></link>
<joint name="elbow" type="revolute"><parent>base</parent><child>tip</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""

TRIANGLES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def run(script: str, cwd: Path) -> str:
    """Run a script in a separate process, check that it succeeded, and return its output."""
    prelude = (
        "import mujoco, bridge\nbridge.mujoco_plugin.register(package_map={'shapes': 'shapes'})\n"
    )
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", prelude + script],
        cwd=cwd,
        env={
            "PYTHONPATH": str(ASSETS.parent),
            "SDFBRIDGE_CACHE": str(cwd / "cache"),
            "HOME": str(cwd),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "arm.sdf").write_text(ARM)
    (tmp_path / "broken.sdf").write_text(ARM.replace("<child>tip", "<child>top"))
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "wedge.obj").write_text(TRIANGLES)
    return tmp_path


def test_from_file_opens_a_model(folder: Path) -> None:
    script = (
        "m = mujoco.MjSpec.from_file('arm.sdf').compile(); print(m.joint('elbow').axis, "
        "m.body('tip').id)"
    )
    assert run(script, folder).split() == ["[0.", "1.", "0.]", "2"]


@pytest.mark.slow
def test_from_file_opens_the_bundled_arm(folder: Path) -> None:
    script = (
        f"print(mujoco.MjSpec.from_file({str(ASSETS / 'arm' / 'model.sdf')!r}).compile().njnt > 2)"
    )
    assert run(script, folder) == "True\n"


def test_an_mjcf_file_attaches_a_model(folder: Path) -> None:
    scene = """<mujoco><asset><model name="arm" file="arm.sdf"/></asset>
    <worldbody><frame pos="0 0 2"><attach model="arm" body="base" prefix="left_"/></frame></worldbody></mujoco>"""
    (folder / "scene.xml").write_text(scene)
    script = (
        "m = mujoco.MjModel.from_xml_path('scene.xml'); print(m.body('left_tip').id, "
        "m.body('left_base').pos[2])"
    )
    assert run(script, folder).split() == ["2", "2.0"]


@pytest.mark.slow
def test_an_invalid_file_raises_the_errors_of_the_loader_every_time(folder: Path) -> None:
    script = """
import resource
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
texts = set()
for i in range(1000):
    if i == 200:
        early = peak()
    try:
        mujoco.MjSpec.from_file('broken.sdf')
    except ValueError as error:
        texts.add(str(error))
(text,) = texts
print(text)
print('grown by', peak() - early, 'kB')
mujoco.MjSpec.from_file('arm.sdf').compile()
"""
    *lines, growth = run(script, folder).splitlines()
    assert any("broken.sdf:2: error" in line and "top" in line for line in lines)
    assert int(growth.split()[-2]) < 8000


@pytest.mark.parametrize("uri", ["package://shapes/wedge.obj", "model://shapes/wedge.obj"])
def test_meshes_are_found_by_uri(folder: Path, uri: str) -> None:
    asset = f'<asset><mesh name="w" file="{uri}"/></asset>'
    xml = f'<mujoco>{asset}<worldbody><geom type="mesh" mesh="w"/></worldbody></mujoco>'
    assert run(f"print(mujoco.MjModel.from_xml_string('''{xml}''').nmeshvert)", folder) == "4\n"


@pytest.mark.slow
def test_a_missing_mesh_is_an_error_of_mujoco(folder: Path) -> None:
    xml = '<mujoco><asset><mesh name="w" file="package://shapes/no.obj"/></asset></mujoco>'
    script = f"""
try:
    mujoco.MjModel.from_xml_string('''{xml}''')
except ValueError as error:
    print(error)
"""
    assert "package://shapes/no.obj" in run(script, folder)


LOGGED = """
import logging, sys
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format='%(levelname)s %(name)s %(message)s')
"""


@pytest.mark.slow
def test_losses_are_logged(folder: Path) -> None:
    limit = "<axis><xyz>0 1 0</xyz><limit><velocity>2</velocity></limit></axis>"
    (folder / "slow.sdf").write_text(ARM.replace("<axis><xyz>0 1 0</xyz></axis>", limit))
    lines = run(
        LOGGED + "mujoco.MjSpec.from_file('slow.sdf'); mujoco.MjSpec.from_file('arm.sdf')", folder
    ).splitlines()
    counted = [line for line in lines if line.startswith("WARNING bridge.mujoco_plugin")]
    assert [line.partition("plugin ")[2] for line in counted] == [
        "slow.sdf: 1 dropped; each is logged at level INFO"
    ]
    assert any(line.startswith("INFO") and "[mjcf.velocity-limit]" in line for line in lines)


@pytest.mark.slow
def test_the_places_that_were_searched_are_logged(folder: Path) -> None:
    script = """
try:
    mujoco.MjModel.from_xml_string('<mujoco><asset><mesh name="w" file="package://shapes/no.obj"/></asset></mujoco>')
except ValueError:
    pass
"""
    assert str(Path("shapes") / "no.obj") in run(LOGGED + script, folder).partition("tried ")[2]


# --- options --------------------------------------------------------------------------------------

DRIVEN = ARM.replace("</axis>", "<limit><effort>5</effort></limit></axis>")


def test_importing_the_plugin_of_sdfbridge_registers_it(folder: Path) -> None:
    code = (
        "import mujoco, sdfbridge.mujoco_plugin; "
        "print(mujoco.MjSpec.from_file('arm.sdf').compile().nbody)"
    )
    environment = {
        "PYTHONPATH": str(ASSETS.parent),
        "SDFBRIDGE_CACHE": str(folder / "cache"),
        "HOME": str(folder),
    }
    command = [sys.executable, "-W", "error", "-c", code]
    child = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    assert child.stdout == "3\n"


@pytest.mark.slow
def test_a_later_call_changes_actuators_and_base_and_keeps_the_rest(folder: Path) -> None:
    (folder / "driven.sdf").write_text(DRIVEN)
    script = """
def sizes():
    model = mujoco.MjSpec.from_file('driven.sdf').compile()
    return model.nu, model.nv
print(*sizes())
bridge.mujoco_plugin.register(actuators='position')
print(*sizes())
bridge.mujoco_plugin.register(base='fixed')
print(*sizes())
bridge.mujoco_plugin.register(actuators='none')
print(*sizes())
"""
    assert run(script, folder).splitlines() == ["0 7", "1 7", "1 1", "0 1"]


@pytest.mark.slow
def test_an_unknown_option_is_refused_and_changes_nothing(folder: Path) -> None:
    script = """
try:
    bridge.mujoco_plugin.register(actuators='servo')
except ValueError as error:
    print(error)
print(mujoco.MjSpec.from_file('arm.sdf').compile().nu)
"""
    text = run(script, folder)
    assert "unknown value 'servo' of actuators; expected one of: none, motor" in text
    assert text.endswith("\n0\n")


# The assertion that engines agree; the items of pytest are tested with the plugin in
# `tests/sdfbridge`.


def test_the_assertion_holds_for_mujoco_and_fails_for_its_own_reader(assets: Path) -> None:
    assert assert_parity(assets / "double_pendulum.urdf", ["mujoco"]).agreement == "EQUIVALENT"
    with pytest.raises(AssertionError, match="repeat with: sdfbridge compare"):
        assert_parity(assets / "double_pendulum.urdf", ["mujoco-urdf"])


def test_the_tolerances_of_pyproject_are_keywords_too(assets: Path) -> None:
    native = (assets / "double_pendulum.urdf", ["mujoco-urdf"])
    assert assert_parity(*native, tolerance=math.inf).agreement == "DIFFERS"
    assert (
        assert_parity(*native, tolerances={"L0": math.inf, "L1": math.inf}).agreement == "DIFFERS"
    )
    with pytest.raises(AssertionError, match="L1 "):
        assert_parity(*native, tolerances={"L0": math.inf})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"tolerance": -1.0}, "invalid tolerance -1.0; expected a number of at least 0"),
        ({"tolerance": math.nan}, "invalid tolerance nan"),
        ({"tol": "0.1"}, "invalid tolerance '0.1'"),
        ({"tolerances": {"L9": 1.0}}, "unknown level 'L9' of tolerances; expected one of: L0, L1"),
        ({"tolerances": 1.0}, "tolerances must be a table with a number for each of L0, L1"),
        ({"tol": 1.0, "tolerance": 1.0}, "tol and tolerance are the same option; give one of them"),
    ],
)
def test_a_tolerance_that_is_none_is_refused_before_anything_is_compared(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        assert_parity("no such file", **wrong)


def test_every_simulator_is_closed_at_the_end(assets: Path) -> None:
    pybullet = pytest.importorskip("pybullet")
    with simulators() as start:
        engine = start(assets / "double_pendulum.urdf", "pybullet")
        assert pybullet.isConnected(engine._client)
    assert not pybullet.isConnected(engine._client)
