"""Links of a URDF: mass properties, shapes, materials and contact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loaders
from loaders.model import Box, Capsule, Cylinder, Mesh, Plane, Sphere
from loaders.model.contact import torsional_length
from tests.support.urdf_documents import BLUE, RED, codes, robot
from tests.support.urdf_robots import SPHERE

# Mass properties of the links of a URDF.


def test_an_inertia_is_turned_into_the_axes_of_the_link() -> None:
    """A quarter turn about z swaps the x and y moments."""
    scene = robot(
        "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass "
        "value='2'/>"
        "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1'/></inertial></link>"
    )
    inertia = scene.links[0].inertia
    assert inertia is not None
    assert inertia.mass == 2.0
    np.testing.assert_allclose(inertia.p_LLcm, (1, 2, 3))
    np.testing.assert_allclose(inertia.I_Lcm, ((2, -0.1, 0), (-0.1, 1, 0), (0, 0, 2.5)), atol=1e-15)


def test_a_missing_inertial_stays_missing() -> None:
    assert robot("<link name='a'/>").links[0].inertia is None


def test_a_mass_without_inertia_is_a_point() -> None:
    scene = robot("<link name='a'><inertial><mass value='2'/></inertial></link>")
    assert scene.links[0].inertia is not None
    assert not scene.links[0].inertia.I_Lcm.any()
    assert codes(scene) == ["urdf.missing-inertia"]


def test_lenient_loading_takes_a_mass_from_a_density_as_isaac_gym_does() -> None:
    """A box of 0.2 m x 0.3 m x 0.4 m at 500 kg/m^3, moved by 1 m in x, has 12 kg."""
    collision = (
        "<collision><origin xyz='1 0 0'/><geometry><box size='.2 .3 .4'/></geometry></collision>"
    )
    text = (
        f"<robot name='r'><link name='a'>{collision}<inertial><density "
        f"value='500'/></inertial></link></robot>"
    )
    with pytest.raises(loaders.LoadError, match="lenient=True"):
        loaders.load_string(text, format="urdf")
    inertia = loaders.load_string(text, format="urdf", lenient=True, quiet=True).links[0].inertia
    assert inertia is not None
    np.testing.assert_allclose((inertia.mass, *inertia.p_LLcm), (12, 1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(inertia.I_Lcm, np.diag((0.25, 0.2, 0.13)), atol=1e-15)


@pytest.mark.parametrize("inside", ["", "<density value='0'/>", "<density value='500'/>"])
def test_lenient_loading_leaves_out_an_inertial_without_a_mass(inside: str) -> None:
    text = f"<robot name='r'><link name='a'><inertial>{inside}</inertial></link></robot>"
    (link,) = loaders.load_string(text, format="urdf", lenient=True, quiet=True).links
    assert link.inertia is None


# Shapes, names and materials in a URDF.


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("<box size='1 2 3'/>", Box(size=(1, 2, 3))),
        ("<sphere radius='2'/>", Sphere(radius=2)),
        ("<cylinder radius='2' length='3'/>", Cylinder(radius=2, length=3)),
        ("<capsule radius='2' length='3'/>", Capsule(radius=2, length=3)),
        ("<mesh filename='x.stl'/><capsule radius='2' length='3'/>", Capsule(radius=2, length=3)),
        ("<plane normal='0 0 2'/>", Plane(normal=(0, 0, 1))),
        ("<mesh filename='x.stl' scale='1 -2 3'/>", Mesh(uri="x.stl", path=None, scale=(1, -2, 3))),
        (
            "<mesh filename='x.stl' scale='0.5'/>",
            Mesh(uri="x.stl", path=None, scale=(0.5, 0.5, 0.5)),
        ),
    ],
)
def test_shapes(shape: str, expected: object) -> None:
    for tag in ("visual", "collision"):
        scene = robot(f"<link name='a'><{tag}><geometry>{shape}</geometry></{tag}></link>")
        shapes = scene.links[0].visuals or scene.links[0].collisions
        assert shapes[0].geometry == expected


def test_shapes_have_names_of_their_own_or_made_ones() -> None:
    sphere = "<geometry><sphere radius='1'/></geometry>"
    scene = robot(
        f"<link name='a'><collision>{sphere}</collision><collision>{sphere}</collision>"
        f"<collision name='hit'>{sphere}</collision><collision "
        f"name='hit'>{sphere}</collision></link>"
    )
    assert [c.name for c in scene.links[0].collisions] == [
        "a_collision",
        "a_collision_1",
        "hit",
        "hit_1",
    ]
    assert codes(scene) == ["urdf.duplicate-name"]


def test_an_unknown_shape_is_left_out_and_named() -> None:
    scene = robot("<link name='a'><collision><geometry><blob/></geometry></collision></link>")
    assert scene.links[0].collisions == ()
    assert codes(scene) == ["urdf.no-shape"]


VISUAL = "<visual><geometry><sphere radius='1'/></geometry>{}</visual>"


def colors(body: str) -> list[object]:
    return [
        visual.material and visual.material.diffuse
        for link in robot(body).links
        for visual in link.visuals
    ]


def test_materials_are_known_by_name_wherever_they_stand() -> None:
    named = VISUAL.format("<material name='m'/>")
    own = VISUAL.format(f"<material name='own'>{BLUE}</material>")
    again = VISUAL.format("<material name='own'/>")
    body = f"<link name='a'>{named}{own}{again}{VISUAL.format('')}</link>"
    red, blue = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.5)
    assert colors(body + f"<material name='m'>{RED}</material>") == [red, blue, blue, None]


def test_of_two_materials_of_one_name_the_first_counts_where_it_is_only_named() -> None:
    body = f"<material name='m'>{RED}</material><material name='m'>{BLUE}</material>"
    scene = robot(body + "<link name='a'>" + VISUAL.format("<material name='m'/>") + "</link>")
    assert scene.links[0].visuals[0].material.diffuse == (1.0, 0.0, 0.0, 1.0)
    assert "urdf.duplicate-material" in codes(scene)


def test_an_unknown_material_is_noticed() -> None:
    assert codes(robot("<link name='a'>" + VISUAL.format("<material name='m'/>") + "</link>")) == [
        "urdf.unknown-material"
    ]


def test_a_texture_is_found(tmp_path: Path) -> None:
    (tmp_path / "t.png").write_bytes(b"")
    visual = VISUAL.format("<material name='m'><texture filename='t.png'/></material>")
    text = f"<robot name='r'><link name='a'>{visual}</link></robot>"
    scene = loaders.load_string(text, format="urdf", base=tmp_path)
    assert scene.links[0].visuals[0].material.texture == str(tmp_path / "t.png")


def test_a_missing_texture_is_one_finding_and_the_material_is_known() -> None:
    painted = "<visual><geometry><sphere radius='1'/></geometry><material name='m'/></visual>"
    material = "<material name='m'><texture filename='none.png'/></material>"
    text = f"<robot name='r'>{material}<link name='a'>{painted}</link></robot>"
    assert codes(loaders.load_string(text, format="urdf", quiet=True)) == ["resource.not-found"]


def test_a_geometry_may_have_a_name_and_a_shape_may_lack_its_geometry() -> None:
    named = robot(
        "<link name='a'><visual><geometry name='g'><sphere radius='1'/></geometry></visual></link>"
    )
    assert (len(named.links[0].visuals), codes(named)) == (1, [])
    bare = robot("<link name='a'><visual/></link>")
    assert (bare.links[0].visuals, len(codes(bare))) == ((), 1)


def test_only_the_unknown_shape_is_reported_of_an_element_that_it_makes_useless() -> None:
    scene = robot(
        "<link name='a'><collision><origin xyz='0 0 "
        "1'/><geometry><torus/></geometry></collision></link>"
    )
    assert codes(scene) == ["urdf.no-shape"]


# PyBullet's <contact> of a link.


def test_pybullets_contact_is_read() -> None:
    contact = (
        "<contact><lateral_friction value='0.8'/><rolling_friction "
        "value='0.01'/><spinning_friction value='0.02'/>"
        "<restitution value='0.5'/><stiffness value='3000'/><damping value='10'/><contact_erp "
        "value='0.2'/></contact>"
    )
    surface = robot(f"<link name='a'>{contact}{SPHERE}</link>").links[0].collisions[0].surface
    friction = surface.friction
    assert (friction.mu, friction.mu2, friction.rolling, friction.torsional) == (
        0.8,
        0.8,
        0.01,
        0.02,
    )
    assert torsional_length(friction) == 0.02
    assert (surface.restitution, surface.stiffness, surface.damping, surface.soft_erp) == (
        0.5,
        3000,
        10,
        0.2,
    )
