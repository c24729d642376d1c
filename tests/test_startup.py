"""The modules that a first import and a first load need, and those that they must not import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOK = ("html", "loaders.picture")
PLUGINS = ("loaders.gazebo.plugins",)
OTHER_FORMATS = ("loaders.drake.directives", "loaders.mjcf", "yaml")
NETWORK = ("email", "http", "importlib.metadata", "ssl", "urllib.request")
MESHES = ("PIL", "collada", "loaders.meshes", "trimesh")
SDF = ("loaders.sdf.reader", "loaders.sdf.include", "loaders.sdf.upgrade")
ALWAYS_LATER = (*NOTEBOOK, *PLUGINS, *OTHER_FORMATS, *NETWORK, *MESHES)
"""Packages and modules that no plain model needs."""
MOST_OF_A_URDF, MOST_OF_AN_SDF = 60, 65
"""Largest number of modules of the project that a first load imports; 59 and 64 in November
2026.
"""
URDF = (
    '<robot name="r"><link name="l"><visual><geometry><box size="1 1 '
    '1"/></geometry></visual></link></robot>'
)
SDF_TEXT = '<sdf version="1.9"><model name="m"><link name="l"/></model></sdf>'


def modules_after(code: str, cwd: Path = ROOT) -> set[str]:
    """The modules of a fresh process after some code."""
    code = f"import sys; import loaders, bridge\n{code}\nprint(*sys.modules)"
    run = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    return set(
        subprocess.run(run, capture_output=True, text=True, check=True, cwd=cwd).stdout.split()
    )


def within(names: set[str], packages: tuple[str, ...]) -> set[str]:
    """The modules that are among packages, or in one of them."""
    return {name for name in names for package in packages if f"{name}.".startswith(f"{package}.")}


def own(names: set[str]) -> set[str]:
    """The modules of the project."""
    return within(names, ("loaders", "bridge", "sdfbridge"))


def test_an_import_imports_the_packages_alone() -> None:
    names = modules_after("")
    assert own(names) == {"loaders", "loaders.deferred", "bridge"}
    assert "numpy" not in names


def test_the_help_of_the_command_needs_neither_numpy_nor_versions() -> None:
    help_text = (
        "import contextlib, io, bridge.cli\nwith contextlib.redirect_stdout(io.StringIO()), "
    )
    names = modules_after(
        f"{help_text}contextlib.suppress(SystemExit): bridge.cli.main(['--help'])"
    )
    assert (
        within(names, ("numpy", "lxml", "importlib.metadata", "email", "loaders.formats")) == set()
    )


@pytest.mark.parametrize("command", ["convert", "batch", "view"])
def test_the_help_of_a_conversion_needs_no_target(command: str) -> None:
    code = "import contextlib, io, bridge.cli\nwith contextlib.redirect_stdout(io.StringIO()): "
    names = modules_after(f"{code}bridge.cli.main(['{command}', '--help'])")
    heavy = ("numpy", "lxml", "mujoco", "loaders.formats", "bridge.mechanism", "bridge.lowering")
    assert within(names, heavy) == set()
    assert within(names, ("bridge.targets",)) == {
        "bridge.targets",
        "bridge.targets.options",
        "bridge.targets.target",
    }


@pytest.mark.parametrize(
    ("name", "text", "later", "most"),
    [
        ("m.urdf", URDF, (*ALWAYS_LATER, *SDF), MOST_OF_A_URDF),
        (
            "m.sdf",
            SDF_TEXT,
            (*ALWAYS_LATER, "loaders.urdf.geometry", "loaders.urdf.reader"),
            MOST_OF_AN_SDF,
        ),
    ],
)
def test_a_first_load_imports_only_what_the_file_needs(
    tmp_path: Path, name: str, text: str, later: tuple[str, ...], most: int
) -> None:
    (tmp_path / name).write_text(text)
    names = modules_after(f"loaders.load({str(tmp_path / name)!r})")
    assert within(names, later) == set()
    assert len(own(names)) <= most


def test_a_file_that_needs_more_gets_it(tmp_path: Path) -> None:
    plugin = '<plugin name="p" filename="libgazebo_ros_control.so"/>'
    (tmp_path / "m.urdf").write_text(URDF.replace("</robot>", f"<gazebo>{plugin}</gazebo></robot>"))
    code = f"loaders.load({str(tmp_path / 'm.urdf')!r}, quiet=True)._repr_html_()"
    assert {"loaders.gazebo.plugins", "html"} <= modules_after(code)


def test_a_load_into_pybullet_imports_nothing_for_notebooks() -> None:
    code = (
        "import pybullet; bridge.load_into_pybullet(sys.argv[0], "
        "physicsClientId=pybullet.connect(pybullet.DIRECT))"
    )
    names = modules_after(
        code.replace("sys.argv[0]", repr(str(ROOT / "assets/double_pendulum.urdf")))
    )
    assert within(names, NOTEBOOK) == set()


def test_the_registry_of_codes_needs_no_target_and_no_engine() -> None:
    names = modules_after("import bridge.diagnostic_codes")
    heavy = ("numpy", "lxml", "mujoco", "pybullet", "bridge.lowering", "bridge.mechanism")
    assert within(names, heavy) == set()
    loaded = {name.rpartition(".")[2] for name in within(names, ("bridge.targets",))}
    assert loaded == {"targets", "mjcf", "pybullet", "sdf", "urdf", "codes", "options"}


# A fork while other threads load and export, import and compile: the child can do all of it.

FORKS = """
import os, signal, sys, threading, time
import bridge, loaders
MJCF = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
stop = threading.Event()
def work():
    while not stop.is_set():
        bridge.to_mjcf("assets/arm/model.sdf", quiet=True)
        bridge.to_sdf(loaders.load_string(MJCF, format='mjcf', quiet=True), quiet=True)
threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
ended = 0
for _ in range(int(sys.argv[1])):
    time.sleep(0.1)
    child = os.fork()
    if not child:
        signal.alarm(200)  # of the clock: on a busy machine imports take a minute
        bridge.to_mjcf("assets/arm/model.sdf", quiet=True)
        bridge.to_sdf(loaders.load_string(MJCF, format='mjcf', quiet=True), quiet=True)
        os._exit(0)
    ended += os.waitpid(child, 0)[1] == 0
stop.set()
for thread in threads:
    thread.join()
print(ended)
"""


SLOW_IMPORT = """
import os, signal, sys, threading, time
import loaders.deferred
loaders.deferred._MAX_WAIT = 0.5
sys.path.insert(0, sys.argv[1])
threading.Thread(target=lambda: __import__("slow")).start()
time.sleep(0.1)
child = os.fork()
if not child:
    signal.alarm(100)
    import slow
    os._exit(slow.last)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_waits_for_an_import_as_long_as_it_goes_on(tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    names = "abcd"
    for name in names:
        (tmp_path / "slow" / f"{name}.py").write_text("import time; time.sleep(0.25)\n")
    imports = "\n".join(f"import slow.{name}" for name in names)
    (tmp_path / "slow" / "__init__.py").write_text(f"{imports}\nlast = 3\n")
    command = [sys.executable, "-W", "ignore", "-c", SLOW_IMPORT, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "3\n"


@pytest.mark.slow
def test_a_child_of_a_process_with_busy_threads_ends() -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKS, "8"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "8\n"
