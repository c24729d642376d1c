"""Materials and lights read back with all that they state."""

from __future__ import annotations

from pathlib import Path

import pytest

import bridge
import loaders
from loaders import model as m
from loaders.pose import IDENTITY, Pose
from tests.support.scenes import UNIT_BOX, link, scene
from tests.support.sdf_writer import read


def seen(material: m.Material) -> loaders.Scene:
    return scene(
        [
            link(
                "a",
                visuals=(m.Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX, material=material),),
            )
        ]
    )


def test_colors_and_numbers_of_a_material() -> None:
    material = m.Material(
        diffuse=(0.1, 0.2, 0.3, 1.0),
        ambient=(0.4, 0.5, 0.6, 1.0),
        specular=(0.7, 0.8, 0.9, 1.0),
        emissive=(0.1, 0.1, 0.1, 1.0),
        shininess=3.0,
        metalness=0.5,
        roughness=0.25,
    )
    assert read(seen(material)).links[0].visuals[0].material == material


def test_a_texture_is_copied(tmp_path: Path) -> None:
    (tmp_path / "t.png").write_bytes(b"png")
    sdf = bridge.to_sdf(seen(m.Material(texture=str(tmp_path / "t.png"))))
    assert sdf.assets == {"t.png": b"png"}
    assert "<albedo_map>assets/t.png</albedo_map>" in sdf
    mapped = m.Material(
        texture=str(tmp_path / "t.png"), maps=(("albedo_map", str(tmp_path / "t.png")),)
    )
    assert bridge.to_sdf(seen(mapped)).count("<albedo_map>") == 1
    assert "albedo_map" not in bridge.to_sdf(seen(m.Material(roughness=0.5)))


def test_a_light_of_the_world() -> None:
    light = m.Light(
        name="sun",
        type="point",
        link=m.WORLD,
        X_LLight=Pose.of(p=(0.0, 0.0, 5.0)),
        range=20.0,
        attenuation=(0.5, 0.1, 0.2),
        cast_shadows=True,
        on=False,
        direction=(1.0, 0.0, 0.0),
    )
    (found,) = read(scene([link("a")], lights=(light,))).lights
    fields = (
        "type",
        "range",
        "attenuation",
        "cast_shadows",
        "on",
        "direction",
        "diffuse",
        "specular",
    )
    assert [getattr(found, field) for field in fields] == [
        getattr(light, field) for field in fields
    ]


@pytest.mark.parametrize("intensity", [1.0, 2.0, 0.5])
@pytest.mark.parametrize(
    "angles", [(0.1, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.3), (0.1, 0.2, 0.3)]
)
def test_each_number_of_a_light_is_read_back(
    intensity: float, angles: tuple[float, float, float]
) -> None:
    inner, outer, falloff = angles
    light = m.Light(
        name="sun",
        type="point",
        link=m.WORLD,
        X_LLight=IDENTITY,
        intensity=intensity,
        inner_angle=inner,
        outer_angle=outer,
        falloff=falloff,
    )
    (found,) = read(scene([link("a")], lights=(light,))).lights
    assert (found.intensity, found.inner_angle, found.outer_angle, found.falloff) == (
        intensity,
        *angles,
    )


@pytest.mark.parametrize("attenuation", [(2.0, 1.0, 0.0), (1.0, 2.0, 0.0), (1.0, 1.0, 1.0)])
def test_each_coefficient_of_attenuation_is_read_back(
    attenuation: tuple[float, float, float],
) -> None:
    light = m.Light(
        name="sun",
        type="point",
        link=m.WORLD,
        X_LLight=IDENTITY,
        range=10.0,
        attenuation=attenuation,
    )
    (found,) = read(scene([link("a")], lights=(light,))).lights
    assert found.attenuation == attenuation


@pytest.mark.parametrize("rate", [0.0, 1.0, 30.0])
def test_the_rate_of_a_sensor(rate: float) -> None:
    sensor = m.Sensor(name="s", type="imu", X_LS=IDENTITY, update_rate=rate)
    assert read(scene([link("a", sensors=(sensor,))])).links[0].sensors[0].update_rate == rate
