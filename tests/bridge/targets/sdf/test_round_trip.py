"""A written document moves as the original, for our reader and Drake, and states the version that
has its elements.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.diff.mechanics import mechanical_error
from loaders import model as m
from loaders.model import JointType
from loaders.pose import IDENTITY
from tests.support.drake_oracle import open_in_drake, pose_error
from tests.support.scenes import joint, link, random_scene, scene
from tests.support.sdf_writer import element, shaped
from tests.support.seeds import seeds

# A written document, read back by our reader and by Drake, moves as the original; writing it again
# changes no byte.

ASSETS = Path(__file__).parents[4] / "assets"
MODELS = (
    "arm/model.sdf",
    "gripper/model.sdf",
    "leg.sdf",
    "double_pendulum.urdf",
    "orthogonal_x.sdf",
)
EVERY_TYPE = (
    *(
        JointType(kind)
        for kind in ("fixed", "revolute", "continuous", "prismatic", "ball", "universal")
    ),
    *(JointType(kind) for kind in ("screw", "planar", "revolute2")),
)


def written(scene: loaders.Scene, folder: Path) -> tuple[loaders.Scene, bridge.targets.sdf.Sdf]:
    """The scene that is read from a written document, and the document."""
    sdf = bridge.to_sdf(scene)
    path = folder / "model.sdf"
    path.write_text(sdf)
    for name, data in sdf.assets.items():
        (folder / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "assets" / name).write_bytes(data)
    return loaders.load(path), sdf


@pytest.mark.parametrize("model", MODELS)
def test_a_model_moves_as_before_and_is_written_the_same_again(model: str, tmp_path: Path) -> None:
    scene = loaders.load(ASSETS / model)
    found, sdf = written(scene, tmp_path)
    assert mechanical_error(scene, found, sdf.names).is_within(1e-12)
    assert str(bridge.to_sdf(found)) == str(sdf)
    assert [d for d in sdf.diagnostics if d.severity == "warning"] == []


@pytest.mark.parametrize(
    "look", ["<material name='Gazebo/Green'/>", "<material name='Gazebo/GreenGlow'/>", ""]
)
def test_a_material_of_gazebo_without_a_color_is_written(look: str, tmp_path: Path) -> None:
    """The color is that of Gazebo's script: of a reference that the URDF does not define, or of its
    extension.
    """
    urdf = tmp_path / "robot.urdf"
    visual = f"<visual><geometry><sphere radius='1'/></geometry>{look}</visual>"
    extension = "<gazebo reference='a'><material>Gazebo/Green</material></gazebo>"
    urdf.write_text(f"<robot name='r'><link name='a'>{visual}</link>{extension}</robot>")
    found = loaders.load(bridge.export_sdf(urdf, tmp_path / "out", quiet=True).path, quiet=True)
    material = found.links[0].visuals[0].material
    assert material is not None
    assert material.diffuse == (0.0, 1.0, 0.0, 1.0)
    assert material.emissive == ((0.0, 1.0, 0.0, 1.0) if "Glow" in look else None)


@pytest.mark.parametrize("seed", seeds(6))
def test_random_joints_of_every_type_move_as_before(seed: int, tmp_path: Path) -> None:
    original = random_scene(
        seed, fixed=bool(seed % 2), kinds=EVERY_TYPE, size=9, axis={"damping": 0.1}
    )
    scene = _with_poses(original)
    found, sdf = written(scene, tmp_path)
    assert mechanical_error(scene, found, sdf.names).is_within(1e-9)
    assert str(bridge.to_sdf(found)) == str(sdf)


def _with_poses(scene: loaders.Scene) -> loaders.Scene:
    """The scene with the poses of links that its joints imply at zero; `random_scene` leaves them
    out.
    """
    poses = bridge.lower(scene).link_poses()
    links = tuple(dataclasses.replace(link, X_WL=poses[link.name]) for link in scene.links)
    return dataclasses.replace(scene, links=links)


@pytest.mark.parametrize("model", ["leg.sdf", "double_pendulum.urdf", "orthogonal_x.sdf"])
def test_drake_reads_the_written_document_as_the_original(model: str, tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    scene = loaders.load(ASSETS / model)
    found, _ = written(scene, tmp_path)
    theirs, ours = (
        open_in_drake(ASSETS / model, scene),
        open_in_drake(tmp_path / "model.sdf", found),
    )
    q = theirs.random_positions(0, scene)
    poses = ours.link_poses(q)
    for name, X_WL in theirs.link_poses(q).items():
        np.testing.assert_allclose(poses[name], X_WL, atol=1e-12)
    v_order = bridge.lower(scene).v_order
    np.testing.assert_allclose(
        ours.mass_matrix(q, v_order), theirs.mass_matrix(q, v_order), atol=1e-9
    )


def test_drake_places_the_links_of_a_nested_model_as_we_do(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    scene = loaders.load(ASSETS / "arm" / "model.sdf")
    found, _ = written(scene, tmp_path)
    oracle = open_in_drake(tmp_path / "model.sdf", found)
    q = oracle.random_positions(1, found)
    poses = bridge.lower(scene).link_poses(q)
    for name, theirs in oracle.link_poses(q).items():
        assert pose_error(poses[name], theirs) < 1e-9


# A document states the version that has its elements; libsdformat's descriptions say which version
# has which.

CAPSULE, CONE = m.Capsule(radius=0.1, length=1.0), m.Cone(radius=0.1, length=1.0)
SCREW = scene([link("a"), link("b")], [joint("j", "a", "b", m.JointType.SCREW, pitch=0.25)])
COUPLED = scene(
    [link("a"), link("b"), link("c")],
    [joint("j", "a", "b"), joint("k", "a", "c")],
    couplings=(m.Coupling(follower="k", leader="j", multiplier=2.0),),
)


def version(given: loaders.Scene, **options: str) -> str | None:
    return element(given, ".", **options).get("version")


@pytest.mark.parametrize(
    ("given", "lowest"),
    [
        (scene([link("a")]), "1.7"),
        (shaped(m.Sphere(radius=1.0)), "1.7"),
        (shaped(CAPSULE), "1.8"),
        (shaped(CONE), "1.11"),
        (COUPLED, "1.11"),
        (SCREW, "1.7"),
    ],
)
def test_the_lowest_version_has_every_element(given: loaders.Scene, lowest: str) -> None:
    assert version(given) == "1.12"
    assert version(given, version="lowest") == lowest
    assert version(given, version="1.9") == "1.9"


def test_a_nested_model_needs_the_version_with_references_into_it() -> None:
    nested = scene(
        [link("a"), link("n::b", model="test::n")],
        [joint("j", "a", "n::b")],
        models=(
            m.Model(name="test", X_WM=IDENTITY, canonical_link="a"),
            m.Model(name="n", X_WM=IDENTITY, canonical_link="n::b"),
        ),
    )
    assert version(nested, version="lowest") == "1.8"


@pytest.mark.parametrize("chosen", ["1.7", "1.9", "1.10", "1.12", "lowest"])
def test_a_screw_has_the_same_pitch_in_every_version(chosen: str) -> None:
    text = bridge.to_sdf(SCREW, version=chosen)
    assert ("screw_thread_pitch" in text) == (chosen in ("1.10", "1.12"))
    found = loaders.load_string(text, format="sdf")
    assert found.joints[0].pitch == pytest.approx(0.25, abs=1e-15)
    assert mechanical_error(SCREW, found).is_within(1e-12)


def test_versions_before_1_10_state_the_pitch_in_radians_per_meter() -> None:
    stated = element(SCREW, ".//thread_pitch", version="1.9").text or ""
    assert float(stated) == pytest.approx(-2.0 * math.pi / 0.25)


def test_what_a_version_lacks_is_reported_and_nothing_else() -> None:
    entries = bridge.to_sdf(shaped(CONE), version="1.9").diagnostics
    (entry,) = [entry for entry in entries if entry.code == "sdfout.version"]
    assert "geometry/cone" in entry.message
    assert not [
        e
        for e in bridge.to_sdf(shaped(CAPSULE), version="1.9").diagnostics
        if e.code == "sdfout.version"
    ]
