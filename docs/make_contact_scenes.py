"""Write the section of ``docs/contact.md`` on scenes with closed forms, and its picture.

Run it from the root of the project, with the test extra installed: ``python
docs/make_contact_scenes.py``. It takes a minute.
"""

from __future__ import annotations

import datetime
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import bridge  # noqa: E402
import loaders  # noqa: E402
from bridge.parity.contact import STANDING, contact_rows  # noqa: E402
from bridge.parity.engine import as_exported, factory_of  # noqa: E402
from docs.table_cells import version  # noqa: E402
from tests.corpora.models_corpus import models  # noqa: E402

PAGE = ROOT / "docs" / "contact.md"
PICTURE = ROOT / "docs" / "pictures" / "plots" / "contact.svg"
START, END = "<!-- scenes -->", "<!-- end of scenes -->"
G, STEPS, ENGINES = 9.8, (1e-3, 5e-4), ("mujoco", "pybullet")
SURFACE = (
    "<surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction>"
    "<bounce><restitution_coefficient>{e}</restitution_coefficient></bounce></surface>"
)
BODY = """<model name="{name}"><pose>{x} 0 {z} {roll} 0 0</pose><link name="l"><inertial><mass>1</mass><inertia>
<ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz></inertia></inertial><collision name="c">
<geometry>{shape}</geometry>{surface}</collision></link>{joint}</model>"""
CUBE = "<box><size>.2 .2 .2</size></box>"
FINGER = "<box><size>.02 .1 .4</size></box>"
BALL = "<sphere><radius>.1</radius></sphere>"
WHEEL = "<cylinder><radius>.1</radius><length>.2</length></cylinder>"
RAIL = """<joint name="j" type="prismatic"><parent>world</parent><child>l</child><axis><xyz>{axis}</xyz>
<limit><lower>-9</lower><upper>9</upper></limit><dynamics><spring_stiffness>{k}</spring_stiffness>
<spring_reference>{reference}</spring_reference></dynamics></axis></joint>"""
MU, SLOPE, SOFT = 0.3, math.radians(20.0), 1e-2


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A scene with a closed form.

    Attributes:
        name: Its name.
        bodies: The bodies in SDF.
        slope: Angle by which gravity is tilted towards x [rad].
        exact: The closed form at a time [s].
        read: The same of the poses of the links.
        seconds: Duration [s].
        words: The closed form in words.
        surface: Friction and restitution.
    """

    name: str
    bodies: str
    slope: float = 0.0
    exact: Callable[[float], float]
    read: Callable[[Any], float]
    seconds: float
    words: str
    surface: tuple[float, float] = (MU, 0.0)


def _body(name: str, shape: str, z: float, moment: float, **more: Any) -> str:
    fields = {"x": 0.0, "roll": 0.0, "joint": "", "surface": "{surface}"} | more
    return BODY.format(name=name, shape=shape, z=z, moment=moment, **fields)


def _finger(name: str, side: int, effort: float) -> str:
    rail = RAIL.format(axis=f"{-side} 0 0", k=SOFT, reference=effort / SOFT)
    return _body(name, FINGER, 2.0, 0.01, x=side * 0.11, joint=rail)


def _along(link: str, axis: int, start: float = 0.0) -> Callable[[Any], float]:
    return lambda poses: float(poses[link].p[axis]) - start


def _bounced(t: float) -> float:
    """Height of a ball that falls from 0.3 m and keeps 0.6 of its speed."""
    fall = math.sqrt(2.0 * 0.3 / G)
    if t < fall:
        return 0.3 - 0.5 * G * t**2
    up = 0.6 * G * fall
    rest = t - fall
    return up * rest - 0.5 * G * rest**2


_RAIL = RAIL.format(axis="0 0 -1", k=0, reference=0)
_HOLD, _DROP = 1.25, 0.8
_ACROSS = G * math.sin(SLOPE)
_BLOCK = _ACROSS - MU * G * math.cos(SLOPE)


def _gripper(part: float) -> str:
    effort = part * G / (2.0 * MU)
    fingers = _finger("left", -1, effort) + _finger("right", 1, effort)
    return _body("cube", CUBE, 2.0, 0.01, joint=_RAIL) + fingers


SCENES = (
    Scene(
        name="block", bodies=_body("b", CUBE, 0.1, 0.0067), slope=SLOPE, seconds=0.5,
        exact=lambda t: 0.5 * _BLOCK * t**2, read=_along("b::l", 0),
        words="slides with g (sin a - mu cos a)",
    ),
    Scene(
        name="ball", bodies=_body("b", BALL, 0.4, 0.004), seconds=0.5, surface=(MU, 0.6),
        exact=_bounced, read=_along("b::l", 2, 0.1), words="keeps 0.6 of its speed",
    ),
    Scene(
        name="roller", bodies=_body("b", WHEEL, 0.1, 0.005, roll=math.pi / 2.0), slope=SLOPE,
        seconds=0.5, exact=lambda t: 0.5 * 2.0 / 3.0 * _ACROSS * t**2, read=_along("b::l", 0),
        words="rolls with 2/3 g sin a",
    ),
    Scene(
        name="box stack", seconds=2.0,
        bodies="".join(_body(f"b{k}", CUBE, 0.1 + 0.2 * k, 0.0067) for k in range(3)),
        exact=lambda _t: 0.5, read=_along("b2::l", 2), words="the third cube stays at 0.5 m",
    ),
    Scene(
        name="gripper, 1.25 of the force", bodies=_gripper(_HOLD), seconds=0.5,
        exact=lambda _t: 0.0, read=_along("cube::l", 2, 2.0), words="holds the cube",
    ),
    Scene(
        name="gripper, 0.8 of the force", bodies=_gripper(_DROP), seconds=0.5,
        exact=lambda t: -0.5 * (1.0 - _DROP) * G * t**2, read=_along("cube::l", 2, 2.0),
        words="lets it fall with 0.2 g",
    ),
)  # fmt: skip


def scene_of(scene: Scene) -> loaders.Scene:
    """Return a scene with a ground that has the surface of the bodies."""
    mu, e = scene.surface
    surface = SURFACE.format(mu=mu, e=e)
    ground = (
        "<model name='ground'><static>true</static><link name='l'><collision name='c'><geometry>"
        f"<plane><normal>0 0 1</normal></plane></geometry>{surface}</collision></link></model>"
    )
    gravity = f"{G * math.sin(scene.slope)} 0 {-G * math.cos(scene.slope)}"
    text = (
        f"<sdf version='1.10'><world name='w'><gravity>{gravity}</gravity>"
        f"<physics name='p' type='ode'><max_step_size>{STEPS[0]}</max_step_size></physics>"
        f"{ground}{scene.bodies.replace('{surface}', surface)}</world></sdf>"
    )
    return loaders.load_string(text, format="sdf", quiet=True)


def motion(scene: Scene, engine: str, step: float) -> np.ndarray:
    """Return times and values, shape (n, 2)."""
    opened = as_exported(factory_of(engine))(bridge.lower(scene_of(scene)))
    found = []
    try:
        opened.set_step(step)
        opened.set_state({}, {})
        for k in range(round(scene.seconds / 0.01)):
            opened.step(round(0.01 / step))
            found.append((0.01 * (k + 1), scene.read(opened.link_poses())))
    finally:
        opened.close()
    return np.array(found)


def main() -> None:
    """Measure, draw and write."""
    lines, drawn = [], []
    for scene in SCENES:
        cells, curves = [], []
        for engine in ENGINES:
            for step in STEPS:
                found = motion(scene, engine, step)
                curves.append((f"{engine}, {1e3 * step:g} ms", found))
                exact = np.array([scene.exact(t) for t in found[:, 0]])
                cells.append(f"{1e3 * np.abs(found[:, 1] - exact).max():.2g} mm")
        span = np.ptp([scene.exact(t) for t in curves[0][1][:, 0]])
        lines.append(f"| {scene.name} | {scene.words} | {span:.2g} m | {' | '.join(cells)} |")
        drawn.append((scene, curves))
    draw(drawn)
    write([*lines, *standing()])


def standing() -> list[str]:
    """Return the line of a quadruped that stands for five seconds on its own feet, if the package
    of the robot is installed.
    """
    found = [model for model in models() if model.name.endswith("a1_description/urdf/a1.urdf")]
    lines = []
    for model in found:
        scene = loaders.load(model.path, package_map=model.packages, quiet=True)
        named = [(name, factory_of(name)) for name in ENGINES]
        rows = contact_rows(bridge.lower(scene), named, 0, ())
        shown = [row for row in rows if row.quantity == STANDING]
        cells = [f"{1e3 * error:.2g} mm" for row in shown for _, error in row.convergence]
        lines.append(f"| quadruped (a1) | stands for 5 s | 0 m | {' | '.join(cells)} |")
    return lines


def write(lines: list[str]) -> None:
    """Write the section."""
    names = " | ".join(f"{engine}, {1e3 * step:g} ms" for engine in ENGINES for step in STEPS)
    versions = ", ".join(f"{name} {version(name)}" for name in ENGINES)
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    section = f"""{START}
## Scenes with closed forms

Worlds as they are exported, friction {MU:g}, slope {math.degrees(SLOPE):g} degrees; the largest
distance from the closed form in half a second (the stack: two seconds).

| scene | closed form | way | {names} |
|---|---|---|{"---|" * 4}
{chr(10).join(lines)}

An impact takes MuJoCo some steps, in which the ball goes deeper, and
PyBullet pushes a ball that arrives within a step out again, which adds up to 0.08 of its speed. MuJoCo's
friction creeps where it holds, and its stack sinks.

![Motion in these scenes](pictures/plots/contact.svg)

Written by `docs/make_contact_scenes.py` on {date}, with {versions}.
{END}
"""
    text = PAGE.read_text(encoding="utf-8").partition(START)[0].rstrip()
    PAGE.write_text(f"{text}\n\n{section}", encoding="utf-8")


def draw(drawn: list[tuple[Scene, list[tuple[str, np.ndarray]]]]) -> None:
    """Draw the motions over the closed forms."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "sdfbridge", "font.size": 9, "svg.fonttype": "none"}):
        figure = Figure(figsize=(9.0, 5.0), layout="constrained")
        for axes, (scene, curves) in zip(figure.subplots(2, 3).flat, drawn, strict=True):
            times = curves[0][1][:, 0]
            exact = [scene.exact(t) for t in times]
            axes.plot(times, exact, color="0.75", linewidth=5, label="closed form")
            for (label, found), style in zip(curves, ("-", "--", "-.", ":"), strict=True):
                axes.plot(found[:, 0], found[:, 1], style, linewidth=1.2, label=label)
            middle, half = np.mean(exact), max(0.6 * np.ptp(exact), 0.005)
            axes.set(title=scene.name, xlabel="s", ylabel="m", ylim=(middle - half, middle + half))
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=5)
        figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
