"""Links read back with all that they state."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.diff import differences
from bridge.targets.sdf import to_sdf
from bridge.targets.sdf.document import build
from loaders import model as m
from loaders.inertia import SpatialInertia
from loaders.pose import IDENTITY, Pose, frozen
from tests.support.scenes import UNIT_BOX, link, scene
from tests.support.sdf_writer import read

X = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))


def test_all_values_of_a_link() -> None:
    looks = {
        "transparency": 0.5,
        "cast_shadows": False,
        "roles": ("perception",),
        "renderers": ("r",),
    }
    visual = m.Visual(name="v", X_LG=X, geometry=UNIT_BOX, **looks)
    given = scene(
        [
            link(
                "a",
                collisions=(m.Collision(name="c", X_LG=X, geometry=UNIT_BOX, density=5.0),),
                visuals=(visual,),
                sensors=(m.Sensor(name="s", type="imu", X_LS=X, update_rate=50.0),),
                gravity=False,
                kinematic=True,
                self_collide=False,
                enable_wind=True,
                velocity_decay=(0.1, 0.2),
                added_mass=frozen(np.arange(36.0).reshape(6, 6) + np.arange(36.0).reshape(6, 6).T),
                surface_velocity_axis=(0.0, 1.0, 0.0),
            )
        ],
        lights=(
            m.Light(
                name="a::lamp", type="spot", link="a", X_LLight=X, inner_angle=0.1, outer_angle=0.2
            ),
        ),
    )
    assert differences(build(given, {}).form.scene, read(given)) == ()


def test_a_deformable_link_keeps_its_properties() -> None:
    shape = m.Collision(name="c", X_LG=IDENTITY, geometry=UNIT_BOX)
    wall = ("wall_boundary_condition", "0.0 0.0 0.0 0.0 0.0 1.0")
    properties = (("youngs_modulus", "100000.0"), ("material_model", "linear"), wall)
    given = scene([link("a", collisions=(shape,), deformable=properties)])
    assert read(given).links[0].deformable == properties
    assert "<drake:point_on_plane>0.0 0.0 0.0</drake:point_on_plane>" in to_sdf(given)


@pytest.mark.parametrize("moments", [(0.0038, 0.0036, 0.0002), (1.0, 0.6, 0.4), (0.3, 0.3, 0.0)])
def test_drake_opens_flat_and_thin_links_in_any_orientation(
    moments: tuple[float, float, float],
) -> None:
    """libsdformat computes the principal moments of an inertia with products, and its errors made
    it refuse a world.
    """
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    from pydrake.multibody.plant import MultibodyPlant

    rotations = np.random.default_rng(0).uniform(-3.0, 3.0, (60, 3))
    frames = [Pose.from_xyz_rpy((0.1, 0.2, 0.3), rpy) for rpy in rotations.tolist()]
    inertias = [SpatialInertia.in_frame(2.0, X_LI, np.diag(moments)) for X_LI in frames]
    given = scene([link(f"l{i}", inertia=inertia) for i, inertia in enumerate(inertias)])
    text = str(to_sdf(given, quiet=True))
    model = text[text.index("<model") : text.rindex("</sdf>")]
    plant = MultibodyPlant(0.0)
    world = f'<sdf version="1.12"><world name="w">{model}</world></sdf>'
    parsing.Parser(plant).AddModelsFromString(world, "sdf")
    plant.Finalize()
    context = plant.CreateDefaultContext()
    for i, inertia in enumerate(inertias):
        found = plant.GetBodyByName(f"l{i}").CalcSpatialInertiaInBodyFrame(context)
        about_origin = np.asarray(found.CalcRotationalInertia().CopyToFullMatrix3())
        assert np.asarray(found.get_com()) == pytest.approx(inertia.p_LLcm, abs=1e-12)
        assert about_origin == pytest.approx(inertia.about((0.0, 0.0, 0.0)), abs=1e-12)
