"""Mistakes of the calling programmer: each is a `TypeError`, `ValueError` or `KeyError` that says
what was expected.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sdfbridge

PENDULUM = Path(__file__).parents[1] / "assets" / "double_pendulum.urdf"


def load(**options: Any) -> Any:
    return sdfbridge.load(PENDULUM, **options)


def compare(**options: Any) -> Any:
    return sdfbridge.compare(PENDULUM, **{"levels": "L0", "configurations": 1, **options})


def files(**options: Any) -> Any:
    return sdfbridge.compare(PENDULUM, PENDULUM, **options)


def mechanism() -> Any:
    return sdfbridge.lower(load())


LED = """<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/>
<joint name="u" type="universal"><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis>
<axis2><xyz>0 1 0</xyz></axis2></joint>
<joint name="k" type="revolute"><parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz>
<mimic joint="u" axis="axis2"><multiplier>2</multiplier></mimic></axis></joint></model></sdf>"""


def led() -> Any:
    return sdfbridge.lower(sdfbridge.load_string(LED, format="sdf"))


CALLS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "option": (
        lambda: load(pathes=[]),
        TypeError,
        "unknown option 'pathes'; did you mean 'paths'?",
    ),
    "limits": (
        lambda: load(limits=5),
        TypeError,
        "limits: expected Limits, such as Limits(files=5_000), not 5",
    ),
    "empty name": (
        lambda: sdfbridge.load(""),
        ValueError,
        "expected the path of a file, not an empty text",
    ),
    "folder as a path": (
        lambda: sdfbridge.load("."),
        sdfbridge.LoadError,
        "cannot read the file: Is a directory",
    ),
    "number of paths": (
        lambda: load(paths=3),
        TypeError,
        "paths: expected a list of folders, as in ['models'], not 3",
    ),
    "number as a path": (
        lambda: load(paths=[3]),
        TypeError,
        "paths: expected the path of a folder, not 3",
    ),
    "package": (
        lambda: load(package_map={"a": b"x"}),
        TypeError,
        "package_map['a']: expected the path of a folder, not b'x'",
    ),
    "overrides": (
        lambda: load(overrides=3),
        TypeError,
        "overrides: expected the path of a TOML file, not 3",
    ),
    "srdf": (lambda: load(srdf=3), TypeError, "srdf: expected the path of an SRDF file, not 3"),
    "no such file to resolve": (
        lambda: sdfbridge.resolve("nowhere.sdf"),
        FileNotFoundError,
        "nowhere.sdf: error: cannot read the file: No such file",
    ),
    "folder to resolve": (
        lambda: sdfbridge.resolve("tests"),
        sdfbridge.LoadError,
        "tests: error: cannot read the",
    ),
    "no output": (
        lambda: sdfbridge.export_mjcf(PENDULUM, None),  # type: ignore[arg-type]
        TypeError,
        "out_dir: expected the path of a folder, not None",
    ),
    "output of bytes": (
        lambda: sdfbridge.export_urdf(PENDULUM, b"out"),  # type: ignore[arg-type]
        TypeError,
        "out_dir: expected the path of a folder, not b'out'",
    ),
    "no sources": (
        lambda: sdfbridge.batch(None),  # type: ignore[arg-type]
        TypeError,
        "sources: expected files, folders or patterns, such as ['models'], not None",
    ),
    "format": (
        lambda: sdfbridge.load_string("", format="urd"),
        ValueError,
        "unknown format 'urd'; expected one of: sdf",
    ),
    "bytes": (
        lambda: sdfbridge.load_string(b"<robot/>", format="urdf"),  # type: ignore[arg-type]
        TypeError,
        "expected the document as text, not bytes",
    ),
    "flag": (lambda: load(strict="no"), TypeError, "strict = 'no'; expected True or False"),
    "flag of an export": (
        lambda: sdfbridge.to_urdf(PENDULUM, couplings="off"),
        TypeError,
        "couplings = 'off'; expected",
    ),  # type: ignore[typeddict-item]
    "flag of a comparison": (
        lambda: compare(lenient=[]),
        TypeError,
        "lenient = []; expected True or False",
    ),
    "force": (
        lambda: sdfbridge.export_mjcf(PENDULUM, "/nowhere/out", force="no", quiet=True),  # type: ignore[arg-type]
        TypeError,
        "force = 'no'; expected True or False",
    ),
    "actuators": (
        lambda: sdfbridge.to_mjcf(PENDULUM, actuators="motors"),  # type: ignore[typeddict-item]
        ValueError,
        (
            "unknown value 'motors' of actuators; expected one of: none, motor, dcmotor, position, "
            "velocity"
        ),
    ),
    "no engines": (
        lambda: compare(engines=[]),
        ValueError,
        "engines is empty; expected one or more engines",
    ),
    "engine": (
        lambda: compare(engines="mujocoo"),
        ValueError,
        "unknown engine 'mujocoo'; expected one of: reference",
    ),
    "number of engines": (
        lambda: compare(engines=2),
        TypeError,
        "engines = 2; expected one or more engines, such as",
    ),
    "no levels": (
        lambda: compare(levels=()),
        ValueError,
        "levels is empty; expected one or more levels, such as L0",
    ),
    "number of levels": (
        lambda: compare(levels=0),
        TypeError,
        "levels = 0; expected one or more levels, such as L0",
    ),
    "level": (
        lambda: compare(levels="9"),
        ValueError,
        "unknown level '9'; expected one of: L0, L1",
    ),
    "configurations in words": (
        lambda: compare(configurations="3"),
        ValueError,
        "configurations = '3'; expected a whole",
    ),
    "seed": (
        lambda: compare(seed="a"),
        ValueError,
        "seed = 'a'; expected a whole number of at least 0",
    ),
    "tolerance": (
        lambda: files(tolerance=-1.0),
        ValueError,
        "tolerance = -1.0; expected a number of at least 0",
    ),
    "tolerance in words": (
        lambda: files(tolerance="1e-3"),
        ValueError,
        "tolerance = '1e-3'; expected a number of at",
    ),
    "tolerance that is none": (
        lambda: files(tolerance=math.nan),
        ValueError,
        "tolerance = nan; expected a number of",
    ),
    "half a configuration": (
        lambda: compare(configurations=1.5),
        ValueError,
        "expected a whole number of at least 1",
    ),
    "treatment": (
        lambda: compare(inertia="fix"),
        ValueError,
        "unknown value 'fix' of inertia; expected one of: keep",
    ),
    "position": (
        lambda: compare(positions={"elbo": 1.0}),
        ValueError,
        "unknown joint 'elbo'; did you mean 'elbow'?",
    ),
    "position in words": (
        lambda: mechanism().link_poses({"elbow": "0.3"}),
        ValueError,
        "joint 'elbow' needs 1 finite number, not '0.3'",
    ),
    "one number for two of a leader": (
        lambda: led().with_followers({"u": 0.3}),
        ValueError,
        "joint 'u' needs 2 finite numbers, not 0.3",
    ),
    "position of a leader in words": (
        lambda: led().with_followers({"u": "x"}),
        ValueError,
        "joint 'u' needs 2 finite numbers, not 'x'",
    ),
    "truth as a position": (
        lambda: mechanism().link_poses({"elbow": True}),
        ValueError,
        "finite number, not True",
    ),
    "list of positions": (
        lambda: mechanism().link_poses([0, 0]),
        TypeError,
        "expected a mapping by name of joint, such",
    ),
    "array of positions": (
        lambda: mechanism().link_poses(np.zeros(9)),
        TypeError,
        "such as {'elbow': 0.3}, not array(",
    ),
    "list to follow": (
        lambda: mechanism().with_followers([0.0]),
        TypeError,
        "expected a mapping by name of joint",
    ),
    "joint": (
        lambda: mechanism().link_poses({"nope": 1}),
        KeyError,
        "'nope'; expected one of: elbow, shoulder",
    ),
    "joint, as a value": (
        lambda: mechanism().mass_matrix({"elbo": 1}),
        ValueError,
        "did you mean 'elbow'?",
    ),
    "fixed joint": (
        lambda: mechanism().link_poses({"mount": 1}),
        ValueError,
        "'mount' is fixed and takes no value",
    ),
    "attribute": (
        lambda: sdfbridge.lod,
        AttributeError,
        "module 'sdfbridge' has no attribute 'lod'",
    ),  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_call_says_what_was_expected(name: str) -> None:
    call, error, message = CALLS[name]
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


LOADS = {
    "client": (
        {"physicsClientId": "x"},
        TypeError,
        "expected the id of a physics server or a BulletClient, not 'x'",
    ),
    "no such client": (
        {"physicsClientId": 77},
        ValueError,
        "no physics server has the id 77; call pybullet.connect",
    ),
    "position": (
        {"basePosition": [0, 0]},
        ValueError,
        "invalid basePosition (0.0, 0.0); expected x, y, z",
    ),
    "angles": ({"baseOrientation": [0, 0, 1]}, ValueError, "expected a quaternion x, y, z, w"),
    "scale": (
        {"globalScaling": "2"},
        ValueError,
        "invalid globalScaling '2'; expected a positive number",
    ),
    "flags": (
        {"flags": "sleep"},
        TypeError,
        "flags: expected PyBullet's flags, such as pybullet.URDF_ENABLE_SLEEPING",
    ),
    "policy": (
        {"policy": "drke"},
        ValueError,
        "unknown policy 'drke'; expected one of: neighbors, drake, sdformat",
    ),
}


@pytest.mark.parametrize("name", LOADS)
def test_a_wrong_argument_of_loading_leaves_pybullet_as_it_was(
    name: str, bullet_client: int
) -> None:
    import pybullet

    options, error, message = LOADS[name]
    with pytest.raises(error) as caught:
        sdfbridge.load_into_pybullet(PENDULUM, **{"physicsClientId": bullet_client, **options})  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert pybullet.getNumBodies(bullet_client) == 0


@pytest.mark.parametrize("value", ["a", math.nan, (1.0, 2.0), None])
def test_a_wrong_position_names_its_joint(value: Any, bullet_client: int) -> None:
    robot = sdfbridge.load_into_pybullet(PENDULUM, physicsClientId=bullet_client)
    with pytest.raises(ValueError, match=r"joint 'elbow' needs 1 finite number, not "):
        robot.set_positions({"elbow": value})
