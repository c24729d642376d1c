"""``<mujoco>`` in a URDF: MuJoCo's options, and the settings of its compiler that change masses;
``<mujoco_inputs>``: elements for the MJCF that mujoco_ros2_control runs.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from loaders.context import Context
from loaders.deferred import Deferred
from loaders.engine_settings import MUJOCO, ROS2_CONTROL, XML_TEXT, with_mujoco_settings
from loaders.inertia import SpatialInertia
from loaders.model import EngineElement, Link
from loaders.model.link import total_mass
from loaders.node import Node, escaped, mark_read
from loaders.pose import frozen
from loaders.scene import Scene
from loaders.urdf import codes

_check_part: Callable[[Node], None] = Deferred("loaders.mjcf.limits:check_part")
_FIELDS = {"gravity": "gravity", "wind": "wind", "magnetic": "magnetic_field"}
"""Vectors of ``<option>`` that are fields of a scene."""
_FOLDERS = ("meshdir", "assetdir")
_MASSES = ("boundmass", "boundinertia", "settotalmass", "balanceinertia")
_WITHOUT_EFFECT = frozenset(
    {*_FOLDERS, *_MASSES, "texturedir", "strippath", "fusestatic", "discardvisual", "angle"}
    | {"usethread", "convexhull", "autolimits", "saveinertial", "alignfree"}
)
"""Attributes of ``<compiler>`` that are obeyed, or that change no motion and no contact of a
URDF."""


def with_mesh_folders(root: Node, context: Context) -> Context:
    """Return the context in which meshes are also searched for in the folders that MuJoCo's
    compiler would search.

    Args:
        root: The ``<robot>``.
        context: The context of the load.
    """
    elements = [element.peek("compiler") for element in root.children if element.tag == MUJOCO]
    compilers = [element for element in elements if element is not None]
    stated = [compiler.attributes.get(key) for compiler in compilers for key in _FOLDERS]
    names = [name for name in stated if name]
    if not names:
        return context
    base = os.path.dirname(root.file)
    folders = tuple(Path(os.path.normpath(os.path.join(base, name))) for name in names)
    return dataclasses.replace(
        context, resources=dataclasses.replace(context.resources, mesh_folders=folders)
    )


def with_mujoco_element(scene: Scene, root: Node) -> Scene:
    """Return the scene with the settings of the ``<mujoco>`` elements of a robot.

    Args:
        scene: The scene.
        root: The ``<robot>``.
    """
    for element in root.all(MUJOCO):
        for option in element.all("option"):
            scene = _with_option(scene, option)
        for compiler in element.all("compiler"):
            scene = dataclasses.replace(scene, links=_compiled(scene.links, compiler))
        for other in element.children:
            if other.tag not in {"option", "compiler"}:
                if other.tag != "size":
                    other.report(codes.MUJOCO_OPTIONS, tag=other.tag)
                mark_read(other)
        mark_read(element)
    return scene


def _with_option(scene: Scene, option: Node) -> Scene:
    """Return the scene with the fields and the settings of an ``<option>``."""
    step = option.maybe_number("@timestep", minimum=0.0)
    vectors: dict[str, Any] = {
        field: frozen(option.numbers("@" + name, 3))
        for name, field in _FIELDS.items()
        if name in option.attributes
    }
    settings = dict(_settings(option))
    if settings.pop("flag/gravity", "enable") == "disable":
        vectors["gravity"] = frozen(np.zeros(3))
    physics = scene.physics if step is None else dataclasses.replace(scene.physics, time_step=step)
    return dataclasses.replace(scene, physics=with_mujoco_settings(physics, settings), **vectors)


def _settings(option: Node) -> Iterator[tuple[str, str]]:
    """Yield the options and flags that are no fields of a scene, by path."""
    known = {"timestep", *_FIELDS}
    yield from (
        (f"option/{name}", text) for name, text in option.attributes.items() if name not in known
    )
    for flag in option.all("flag"):
        yield from ((f"flag/{name}", text) for name, text in flag.attributes.items())


def _compiled(links: tuple[Link, ...], compiler: Node) -> tuple[Link, ...]:
    """Return links with the masses and inertias that MuJoCo's compiler makes of theirs."""
    for name, text in compiler.attributes.items():
        if name not in _WITHOUT_EFFECT:
            compiler.report(codes.MUJOCO_OPTIONS_COMPILER, name=name, text=text)
    least = compiler.number("@boundmass", 0.0)
    least_moment = compiler.number("@boundinertia", 0.0)
    is_balanced = compiler.flag("@balanceinertia", False)
    total = compiler.number("@settotalmass", -1.0)
    if least > 0.0 or least_moment > 0.0 or is_balanced:
        links = tuple(
            link
            if link.inertia is None
            else dataclasses.replace(
                link, inertia=_bounded(link.inertia, least, least_moment, is_balanced)
            )
            for link in links
        )
    mass = total_mass(links)
    if total <= 0.0 or mass <= 0.0:
        return links
    factor = total / mass
    return tuple(
        link
        if link.inertia is None
        else dataclasses.replace(link, inertia=_scaled(link.inertia, factor))
        for link in links
    )


def _bounded(
    inertia: SpatialInertia, mass: float, moment: float, is_balanced: bool
) -> SpatialInertia:
    """Return an inertia with at least some mass and principal moments; with three equal moments if
    they violate the triangle inequality and are to be balanced.
    """
    moments, axes = np.linalg.eigh(inertia.I_Lcm)
    bounded = np.maximum(moments, moment) if moment > 0.0 else moments
    if is_balanced and bounded[0] + bounded[1] < bounded[2]:
        bounded = np.full(3, bounded.mean())
    changed = not np.array_equal(bounded, moments)
    I_Lcm = frozen(axes @ np.diag(bounded) @ axes.T) if changed else inertia.I_Lcm
    return SpatialInertia(max(inertia.mass, mass), inertia.p_LLcm, I_Lcm)


def _scaled(inertia: SpatialInertia, factor: float) -> SpatialInertia:
    return SpatialInertia(factor * inertia.mass, inertia.p_LLcm, frozen(factor * inertia.I_Lcm))


# --- mujoco_ros2_control --------------------------------------------------------------------------


def read_mujoco_inputs(root: Node) -> tuple[EngineElement, ...]:
    """Return the parts of the ``<mujoco_inputs>`` elements of a robot, each with its text.

    Args:
        root: The ``<robot>``.
    """
    return tuple(
        EngineElement(
            engine=ROS2_CONTROL,
            name=f"{part.tag}_{number}",
            section="mujoco_inputs",
            tag=part.tag,
            settings=((XML_TEXT, _text_of(part)),),
            where=part.where,
        )
        for number, part in enumerate(_parts(root))
    )


def _parts(root: Node) -> Iterator[Node]:
    for element in root.all("mujoco_inputs"):
        mark_read(element)
        for part in element.children:
            _check_part(part)
            yield part


def _text_of(node: Node) -> str:
    """Return an element as XML; `loaders.xml` limits its depth."""
    attributes = "".join(
        f' {name}="{escaped(value)}"' for name, value in node.attributes.items() if ":" not in name
    )
    inside = "".join(map(_text_of, node.children))
    return f"<{node.tag}{attributes}>{inside}</{node.tag}>"
