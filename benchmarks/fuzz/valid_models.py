"""Valid models of SDFormat, drawn at random: every joint type, shape and quantity, with ordinary
and extreme numbers.

What libsdformat accepts may still be more than a target can hold. The exports of such a model
compile, or refuse it.
"""

from __future__ import annotations

import random
from collections.abc import Callable

_JOINTS = (
    "revolute",
    "continuous",
    "prismatic",
    "ball",
    "universal",
    "screw",
    "revolute2",
    "fixed",
    "gearbox",
)
_LENGTHS = (0.001, 0.05, 0.1, 0.3, 1.0, 1.0, 2.5, 1e-9, 1e-5, 1e6, 1e12)
_NAMES = (
    "l{}",
    "link {}",
    "l-{}",
    "l.{}",
    "é{}",
    "a/b{}",
    "world_{}",
    "{}",
    "x&amp;y{}",
    "&lt;{}&gt;",
    "l'{}",
    "ł&#10;{}",
)


def valid_model(rng: random.Random) -> bytes:
    """Return a document with one model, or a world of two.

    Args:
        rng: The source of chance.
    """
    models = [_model(f"m{i}", rng) for i in range(rng.choice((1, 1, 2)))]
    if len(models) == 1:
        return f'<sdf version="1.9">{models[0]}</sdf>'.encode()
    return f'<sdf version="1.9"><world name="w">{"".join(models)}</world></sdf>'.encode()


def _model(name: str, rng: random.Random) -> str:
    form = rng.choice(_NAMES) if rng.random() < 0.2 else "l{}"
    count = rng.choice((1, 2, 3, 5, 8))
    links = [form.format(i) for i in range(count)]
    parts = [_link(link, rng) for link in links]
    for i, child in enumerate(links[1:], 1):
        parent = rng.choice(links[:i]) if rng.random() < 0.9 else "world"
        parts.append(_joint(f"j{i}", parent, child, rng))
    if count > 2 and rng.random() < 0.2:
        parts.append(_joint("loop", links[-1], links[0], rng))
    static = f"<static>{rng.choice(('true', 'false'))}</static>" if rng.random() < 0.2 else ""
    return f'<model name="{name}">{static}{_pose(rng)}{"".join(parts)}</model>'


def _link(name: str, rng: random.Random) -> str:
    shapes = "".join(
        _shape(rng.choice(("visual", "collision")), i, rng) for i in range(rng.choice((0, 1, 1, 2)))
    )
    return f'<link name="{name}">{_pose(rng)}{_inertial(rng)}{shapes}</link>'


def _inertial(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.15:
        return ""
    if kind < 0.25:
        return (
            f"<inertial "
            f'auto="true"><density>{rng.choice((1, 1000, 1e-6, 1e9))}</density></inertial>'
        )
    mass = rng.choice((0.1, 1.0, 10.0, 1e-9, 1e9))
    moment = mass * rng.choice((1e-4, 0.1, 1.0, 1e-12))
    values = {
        "ixx": moment,
        "iyy": moment * rng.choice((1.0, 1.5)),
        "izz": moment * rng.choice((1.0, 1.5, 0.6)),
    }
    values |= {name: moment * rng.choice((0.0, 0.0, 0.05)) for name in ("ixy", "ixz", "iyz")}
    inertia = "".join(f"<{name}>{value!r}</{name}>" for name, value in values.items())
    return f"<inertial>{_pose(rng)}<mass>{mass!r}</mass><inertia>{inertia}</inertia></inertial>"


def _pose(rng: random.Random) -> str:
    if rng.random() < 0.4:
        return ""
    far = rng.choice((1.0, 1.0, 1.0, 1e-9, 1e6))
    angle = rng.choice((0.0, 1.5707963267948966, rng.uniform(-4, 4)))
    numbers = [rng.uniform(-far, far) for _ in range(3)] + [angle] * 3
    return f"<pose>{' '.join(map(repr, numbers))}</pose>"


def _length(rng: random.Random) -> float:
    return rng.choice(_LENGTHS[:7]) if rng.random() < 0.9 else rng.choice(_LENGTHS)


def _shape(tag: str, number: int, rng: random.Random) -> str:
    geometry = rng.choice(_SHAPES)(rng)
    return f'<{tag} name="{tag}{number}">{_pose(rng)}<geometry>{geometry}</geometry></{tag}>'


def _box(rng: random.Random) -> str:
    return f"<box><size>{_length(rng)} {_length(rng)} {_length(rng)}</size></box>"


def _sphere(rng: random.Random) -> str:
    return f"<sphere><radius>{_length(rng)}</radius></sphere>"


def _round(rng: random.Random) -> str:
    tag = rng.choice(("cylinder", "capsule", "cone"))
    return f"<{tag}><radius>{_length(rng)}</radius><length>{_length(rng)}</length></{tag}>"


def _ellipsoid(rng: random.Random) -> str:
    return f"<ellipsoid><radii>{_length(rng)} {_length(rng)} {_length(rng)}</radii></ellipsoid>"


def _plane(rng: random.Random) -> str:
    return (
        f"<plane><normal>0 {rng.choice((0, 1))} 1</normal><size>{_length(rng)} "
        f"{_length(rng)}</size></plane>"
    )


def _mesh(rng: random.Random) -> str:
    file = rng.choice(("mesh.obj", "mesh.stl", "mesh.dae", "mesh.glb", "mesh.ply", "mesh.off"))
    scale = rng.choice(
        (
            "1 1 1",
            "1 1 1",
            "0.1 2 1",
            "-1 1 1",
            "1 -1 -1",
            "1e-6 1e-6 1e-6",
            "1e6 1e6 1e6",
            "1e-9 1 1",
        )
    )
    return f"<mesh><uri>{file}</uri><scale>{scale}</scale></mesh>"


def _polyline(rng: random.Random) -> str:
    lines = []
    for _ in range(rng.choice((1, 1, 2))):
        points = [(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(rng.choice((3, 4, 7)))]
        lines.append("".join(f"<point>{x!r} {y!r}</point>" for x, y in points))
    return "".join(f"<polyline>{line}<height>{_length(rng)}</height></polyline>" for line in lines)


def _terrain(rng: random.Random) -> str:
    size = f"{_length(rng)} {_length(rng)} {_length(rng)}"
    return f"<heightmap><uri>height.png</uri><size>{size}</size></heightmap>"


_SHAPES: tuple[Callable[[random.Random], str], ...] = (
    _box, _sphere, _round, _ellipsoid, _plane, _mesh, _mesh, _polyline, _terrain,
)  # fmt: skip


def _joint(name: str, parent: str, child: str, rng: random.Random) -> str:
    kind = rng.choice(_JOINTS)
    axes = {"ball": 0, "fixed": 0, "universal": 2, "revolute2": 2, "gearbox": 2}.get(kind, 1)
    extra = (
        f"<screw_thread_pitch>{rng.choice((0.1, -0.1, 1e-6, 1e6))}</screw_thread_pitch>"
        if kind == "screw"
        else ""
    )
    if kind == "gearbox":
        extra = f"<gearbox_ratio>{rng.choice((1.0, -3.0, 1e6))}</gearbox_ratio>"
        extra += (
            f"<gearbox_reference_body>{parent}</gearbox_reference_body>"
            if parent != "world"
            else ""
        )
    tags = "".join(_axis(tag, rng) for tag in ("axis", "axis2")[:axes])
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{_pose(rng)}{ends}{extra}{tags}</joint>'


def _axis(tag: str, rng: random.Random) -> str:
    xyz = rng.choice(("0 0 1", "0 1 0", "1 0 0", "0 0 -1", "0.6 0.8 0", "1 1 1", "1e-9 0 1"))
    xyz = "1 0 0" if tag == "axis2" and xyz == "0 0 1" else xyz
    limits = rng.choice(
        (
            "",
            "<lower>-1</lower><upper>1</upper>",
            "<lower>0</lower><upper>0</upper>",
            "<lower>1</lower><upper>2</upper>",
            "<lower>-1e16</lower><upper>1e16</upper>",
            "<lower>-1e-12</lower><upper>1e-12</upper>",
            "<effort>0</effort>",
            "<lower>-100</lower><upper>100</upper><effort>1e9</effort><velocity>1e-6</velocity>",
        )
    )
    dynamics = rng.choice(
        (
            "",
            "<damping>0.1</damping><friction>0.1</friction>",
            "<damping>1e9</damping>",
            "<spring_stiffness>10</spring_stiffness><spring_reference>0.5</spring_reference>",
            "<spring_stiffness>1e12</spring_stiffness>",
        )
    )
    return f"<{tag}><xyz>{xyz}</xyz><limit>{limits}</limit><dynamics>{dynamics}</dynamics></{tag}>"
