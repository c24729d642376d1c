"""Random trees with the names, inertias and meshes that strangers give: PyBullet survives them, and
nothing is left.

They are loaded in a separate process, as a crash would end the one that it happens in.
"""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

from loaders.inertia import SpatialInertia
from loaders.model import Collision, Mesh, Visual
from tests.support.scenes import MOVING, random_pose, random_scene

NAMES = (
    " ",
    "a b",
    "ä/ö::ü",
    "<&>\"'",
    "\u202e",
    "日本語" * 30,
    "n" * 1023,
    "n" * 3000,
    "%s%n%x",
    "../x",
    "$(x)",
    "a\tb",
    "\U0001d518" * 300,
    "]]>",
    "&#10;",
    "\\n",
    "é" * 501,
    "-1",
    "base_link",
    "_",
    "#",
)
INERTIAS = (
    None,
    SpatialInertia.of(0.0),
    SpatialInertia.of(1.0),
    SpatialInertia.of(1.0, (0.1, 0.2, 0.3), np.diag((1.0, 1.0, 50.0))),
    SpatialInertia.of(1e-9, (0.1, 0, 0), 1e-12 * np.eye(3)),
)


def write_meshes(folder: Path) -> None:
    """Good ones, flat ones, broken ones."""
    box = trimesh.creation.box((1, 1, 1))
    for name in ("box.obj", "box.ply", "box.glb", "name with blank ü.obj"):
        box.export(folder / name)
    data = box.export(file_type="stl")
    (folder / "whole.stl").write_bytes(data)
    (folder / "cut.stl").write_bytes(data[:200])
    (folder / "noise.stl").write_bytes(bytes(range(256)))
    (folder / "cut.dae").write_text("<COLLADA>")
    (folder / "empty.obj").write_text("")
    triangle = "f 1 2 3\n"
    points = {
        "flat": "v 0 0 0\nv 1 0 0\nv 0 1 0\n",
        "line": "v 0 0 0\nv 1 0 0\nv 2 0 0\n",
        "point": "v 0 0 0\nv 0 0 0\nv 0 0 0\n",
        "nan": "v nan 0 0\nv 1 0 0\nv 0 1 0\n",
        "far": "v 1e30 0 0\nv 1 0 0\nv 0 1e30 0\n",
        "short": "v 0 0 0\n",
    }
    for name, text in points.items():
        (folder / f"{name}.obj").write_text(text + triangle)


def strange(seed: int, folder: Path):
    """A random scene, half of its names, inertias and shapes replaced."""
    rng = np.random.default_rng(seed)
    kinds = MOVING if rng.random() < 0.7 else MOVING[:2]
    source = random_scene(
        seed, fixed=bool(rng.random() < 0.5), kinds=kinds, size=int(rng.integers(1, 12))
    )
    odd = rng.permutation(len(NAMES))[: len(source.links)]
    new = {
        link.name: NAMES[k]
        for link, k in zip(source.links, odd, strict=False)
        if rng.random() < 0.5
    }
    meshes = sorted(folder.iterdir())

    def shape():
        path = meshes[rng.integers(len(meshes))]
        return Mesh(
            uri=path.name,
            path=str(path),
            scale=tuple(rng.choice([1.0, -1.0, 2.0, 1e-3], 3).tolist()),
        )

    def placed(kind):
        return tuple(
            kind(name="s", X_LG=random_pose(rng), geometry=shape()) for _ in range(rng.integers(2))
        )

    links = [
        dataclasses.replace(
            link,
            name=new.get(link.name, link.name),
            inertia=INERTIAS[rng.integers(len(INERTIAS))] if rng.random() < 0.5 else link.inertia,
            collisions=placed(Collision),
            visuals=placed(Visual),
        )
        for link in source.links
    ]
    joints = [
        dataclasses.replace(
            joint,
            parent=new.get(joint.parent, joint.parent),
            child=new.get(joint.child, joint.child),
            name=NAMES[k] if rng.random() < 0.3 else joint.name,
        )
        for joint, k in zip(source.joints, rng.permutation(len(NAMES)), strict=False)
    ]
    return dataclasses.replace(source, links=tuple(links), joints=tuple(joints))


def say(text: str) -> None:
    """Write at once, so that the last line tells where a crash was."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def run(first: int, last: int, folder: Path) -> None:
    """Load, ask, step and remove; says each number first."""
    import pybullet as p

    from bridge import load_into_pybullet
    from loaders import ModelError

    client = p.connect(p.DIRECT)
    for seed in range(first, last):
        say(f"scene {seed}")
        try:
            loaded = load_into_pybullet(strange(seed, folder), physicsClientId=client)
        except ModelError as error:
            say(f"refused {str(error)[:200]}")
            continue
        loaded.mass_matrix()
        for _ in range(3):
            loaded.step()
        poses = [loaded.link_pose(name).to_vector() for name in loaded.links]
        assert np.isfinite(poses).all(), "a pose is no number"
        loaded.remove()
        assert (p.getNumBodies(client), p.getNumConstraints(client)) == (0, 0), (
            "something is left in PyBullet"
        )
    say("done")


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 30])
def test_other_bodies_of_the_server_change_nothing(tmp_path, first):
    meshes, scratch = tmp_path / "meshes", tmp_path / "scratch"
    meshes.mkdir()
    scratch.mkdir()
    write_meshes(meshes)
    modules = "from pathlib import Path; from tests.bridge.bullet.test_random_trees import run"
    code = f"{modules}; run({first}, {first + 30}, Path({str(meshes)!r}))"
    environment = {**os.environ, "TMPDIR": str(scratch)}
    child = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.stdout.endswith("done\n"), child.stdout[-300:] + child.stderr[-2000:]
    assert "refused" not in child.stdout
    assert [path.name for path in scratch.iterdir() if path.name.startswith("sdfbridge")] == []
