"""The end of a load: checks, repair of inertias, filter groups, and the error that refuses a
source.
"""

from __future__ import annotations

import dataclasses
import errno
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from loaders import codes
from loaders.collision_pairs import connected_components, is_connection, is_weld, static_links
from loaders.diagnostics import Diagnostic, Diagnostics, Fate, FindingList, LoadError
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Collision, FilterGroup, FilterRule, Joint, Link, Mesh, Visual
from loaders.scene import Scene

from .validation import check_scene


def resolve(scene: Scene, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the links of member groups in each filter group; report unknown groups.

    Args:
        scene: The scene.
        diagnostics: Record for the findings.
    """
    if not (scene.filter_groups or scene.filter_rules):
        return scene
    groups: dict[str, FilterGroup] = {}
    for group in scene.filter_groups:
        if groups.setdefault(group.name, group) is not group:
            diagnostics.add(
                codes.DRAKE_DUPLICATE_GROUP,
                group.where,
                subjects=(group.name, *group.links),
                group=group.name,
            )
    for group in groups.values():
        _check_groups_exist(group.groups, groups, group, diagnostics)
    for rule in scene.filter_rules:
        _check_groups_exist((rule.b,), groups, rule, diagnostics)
    resolved = tuple(_resolved(group, groups) for group in groups.values())
    return scene if resolved == scene.filter_groups else replace(scene, filter_groups=resolved)


def _resolved(group: FilterGroup, groups: Mapping[str, FilterGroup]) -> FilterGroup:
    """Return a group with the links of its member groups, each link once."""
    if not group.groups and len(set(group.links)) == len(group.links):
        return group
    return replace(group, links=_closure(group, groups), groups=())


def _check_groups_exist(
    names: Iterable[str],
    groups: Mapping[str, FilterGroup],
    source: FilterGroup | FilterRule,
    diagnostics: Diagnostics,
) -> None:
    for name in names:
        if name not in groups:
            owner = source.name if isinstance(source, FilterGroup) else source.a
            diagnostics.add(codes.DRAKE_UNKNOWN_GROUP, source.where, subjects=(owner,), group=name)


def _closure(group: FilterGroup, groups: Mapping[str, FilterGroup]) -> tuple[str, ...]:
    """Return the links of a group and of its direct and indirect member groups; cycles are
    allowed.
    """
    links: dict[str, None] = {}
    seen = {group.name}
    pending = [group]
    while pending:
        here = pending.pop()
        links.update(dict.fromkeys(here.links))
        for name in here.groups:
            if name not in seen and name in groups:
                seen.add(name)
                pending.append(groups[name])
    return tuple(links)


def with_held_roots(scene: Scene, diagnostics: Diagnostics) -> Scene:
    """Return the scene without the virtual joints of links that a document which includes their
    file carries or holds by other joints; report the remaining ones.

    Args:
        scene: The scene.
        diagnostics: Record for one finding for each link that is held.
    """
    held = [joint for joint in scene.joints if joint.virtual]
    if not held:
        return scene
    superseded = _superseded(scene, held)
    for joint in held:
        if joint.name not in superseded:
            _report_held(scene, joint, diagnostics)
    joints = tuple(joint for joint in scene.joints if joint.name not in superseded)
    return replace(scene, joints=joints) if superseded else scene


def _superseded(scene: Scene, held: Iterable[Joint]) -> set[str]:
    """Return the names of the virtual joints of links that are static, or whose tree hangs on the
    world or on another model by another joint.
    """
    joints = [joint for joint in scene.joints if is_connection(joint) and not joint.virtual]
    model_of = {link.name: link.model for link in scene.links} | {WORLD: WORLD}

    def is_inside(joint: Joint) -> bool:
        return not joint.virtual and model_of.get(joint.parent) == model_of.get(joint.child)

    trees = connected_components(replace(scene, models=()), is_inside)
    tree_of = {name: i for i, tree in enumerate(trees) for name in tree}
    outside = [joint for joint in joints if not is_inside(joint)]
    carried = {
        tree_of.get(joint.parent if joint.child == WORLD else joint.child) for joint in outside
    }
    static = static_links(scene)
    return {
        joint.name for joint in held if joint.child in static or tree_of[joint.child] in carried
    }


def _report_held(scene: Scene, joint: Joint, diagnostics: Diagnostics) -> None:
    groups = connected_components(scene, lambda other: is_weld(other) and not other.virtual)
    welded = set(next(group for group in groups if joint.child in group))
    mass = sum(link.inertia.mass for link in scene.links if link.inertia and link.name in welded)
    code = codes.URDF_HELD_ROOT_OF_MASS if mass else codes.URDF_HELD_ROOT
    arguments: dict[str, Any] = {"mass": mass} if mass else {}
    diagnostics.add(code, joint.where, subjects=(joint.child,), link=joint.child, **arguments)


_JOINTS_LEFT_OUT = codes.URDF_SEVERAL_ROOTS.name
"""Code of the finding that links are not connected, which a joint with an error may connect."""
_SCENE_CHECKS = "model."
"""Start of the codes of the checks of a scene, in which harmless values stand for invalid ones."""


def without_consequences(
    others: Iterable[Diagnostic], errors: Iterable[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Return the findings that hold whatever the errors are.

    A check of the scene does not hold for a link or a joint that has an error inside, since the
    value with the error was replaced by a harmless one.

    Args:
        others: Warnings and notes of a load that failed.
        errors: Its errors.
    """
    places = {(error.where.file, error.where.path) for error in errors}
    invalid = {(file, part) for file, path in places for part in _enclosing(path)}
    has_joint_error = any("/joint" in path for _, path in places)
    kept = []
    for entry in others:
        is_check = entry.code.startswith(_SCENE_CHECKS)
        if is_check and (entry.where.file, entry.where.path) in invalid:
            continue
        if not (has_joint_error and entry.code == _JOINTS_LEFT_OUT):
            kept.append(entry)
    return tuple(kept)


def _enclosing(path: str) -> list[str]:
    """Return the paths of the elements around an element."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(2, len(parts))]


def repair_inertias(scene: Scene, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the nearest physical inertia for each link whose own is not physical.

    Args:
        scene: The scene.
        diagnostics: Record for one finding for each link that is repaired, with the size of the
            change.
    """
    repaired: dict[str, SpatialInertia] = {}
    for link in scene.links:
        stated = link.inertia
        if stated is not None and (defects := stated.defects()):
            used = repaired[link.name] = stated.repaired()
            largest = float(np.abs(stated.I_Lcm).max())
            change = float(np.abs(used.I_Lcm - stated.I_Lcm).max())
            diagnostics.add(
                codes.MODEL_REPAIRED_INERTIA,
                link,
                link=link.name,
                defects=tuple(defects),
                mass=used.mass - stated.mass,
                change=change,
                percent=100.0 * change / largest if largest else 0.0,
            )
    return with_inertias(scene, repaired)


def with_inertias(scene: Scene, inertias: Mapping[str, SpatialInertia]) -> Scene:
    """Return a scene with the inertias of some links, by their names, in place of their own."""
    if not inertias:
        return scene
    links = tuple(
        dataclasses.replace(link, inertia=inertias.get(link.name, link.inertia))
        for link in scene.links
    )
    return dataclasses.replace(scene, links=links)


class MissingFileError(LoadError, FileNotFoundError):
    """Error: the source does not exist.

    Attributes:
        errno: `errno.ENOENT`.
    """

    def __init__(self, *parts: tuple[Diagnostic, ...]) -> None:
        super().__init__(*parts)
        self.errno = errno.ENOENT


class Reading(NamedTuple):
    """The result of the readers."""

    scene: Scene | None
    """The scene as far as it could be read."""
    file: str
    """Path of the file."""
    diagnostics: Diagnostics
    """The findings."""


def finish(read: Callable[..., Reading], *, strict: bool, lenient: bool) -> Scene:
    """Return the scene of a source.

    Args:
        read: Reads the source, given ``lenient``.
        strict: Whether anything lost or approximated is an error.
        lenient: Whether to skip invalid elements instead of refusing the file.

    Raises:
        LoadError: if the source has errors; it states whether lenient loading reads the source.
        ValueError: if the load is to be both strict and lenient.
    """
    if strict and lenient:
        raise ValueError("strict and lenient exclude each other; expected at most one of them")
    try:
        return _checked(read(lenient=lenient), strict, lenient)
    except LoadError as error:
        if not all(entry.leniency for entry in error.diagnostics):
            raise
        refusal = error
    skipped: tuple[Diagnostic, ...] = ()
    with suppress(LoadError):
        scene = _checked(read(lenient=True), strict=False, lenient=True)
        skipped = tuple(entry for entry in scene.diagnostics if entry.fate is Fate.SKIPPED)
    raise LoadError(refusal.diagnostics, refusal.others, skipped)


def _checked(reading: Reading, strict: bool, lenient: bool) -> Scene:
    scene, source, diagnostics = reading
    if scene is not None:
        scene = with_held_roots(resolve(scene, diagnostics), diagnostics)
        scene = repair_inertias(scene, diagnostics) if lenient else scene
        check_scene(scene, diagnostics)
    diagnostics.add_unlisted()
    try:
        diagnostics.raise_for(LoadError, strict=strict)
    except LoadError as error:
        kind = MissingFileError if _is_missing(source, error.diagnostics) else LoadError
        raise kind(
            error.diagnostics, without_consequences(error.others, error.diagnostics)
        ) from None
    if scene is None:  # a reader returns nothing only after reporting why
        raise LoadError(tuple(diagnostics))
    _complete(scene, source, diagnostics)
    return scene


def _complete(scene: Scene, source: str, diagnostics: Diagnostics) -> None:
    """Give a scene its source and its findings, in place: nobody else has it yet, and a copy takes
    1 % of a load.
    """
    object.__setattr__(scene, "source", source)
    object.__setattr__(scene, "diagnostics", FindingList(diagnostics))


def check_readable(source: str, found: tuple[Diagnostic, ...]) -> None:
    """Raise an error if the file of a source could not be opened.

    Args:
        source: Path of the file.
        found: The findings of the readers.

    Raises:
        LoadError: if it could not be opened; a `MissingFileError` if there is none.
    """
    unreadable = tuple(
        entry
        for entry in found
        if entry.code == codes.FILE_UNREADABLE.name and entry.where.file == source
    )
    if unreadable:
        raise (MissingFileError if _is_missing(source, unreadable) else LoadError)(unreadable)


def _is_missing(source: str, found: tuple[Diagnostic, ...]) -> bool:
    """Return whether a source was not read because it does not exist."""
    named = any(
        entry.code == codes.FILE_UNREADABLE.name and str(entry.where.file) == source
        for entry in found
    )
    return named and not os.path.exists(source)


def with_references(scene: Scene) -> Scene:
    """Return a scene whose COLLADA visuals refer to the collision mesh of their link at the same
    pose.

    A visual has none if there is no collision mesh of another file at its pose, or several. A scene
    without COLLADA visuals is returned as it is.
    """
    if not any(_is_collada(visual) for link in scene.links for visual in link.visuals):
        return scene
    return dataclasses.replace(scene, links=tuple(map(_with_references, scene.links)))


def _is_collada(shape: Visual) -> bool:
    mesh = shape.geometry
    return isinstance(mesh, Mesh) and mesh.path is not None and mesh.path.lower().endswith(".dae")


def _with_references(link: Link) -> Link:
    meshes = [
        (shape, shape.geometry) for shape in link.collisions if isinstance(shape.geometry, Mesh)
    ]
    if not meshes:
        return link
    return dataclasses.replace(
        link, visuals=tuple(_referring(visual, meshes) for visual in link.visuals)
    )


def _referring(visual: Visual, meshes: list[tuple[Collision, Mesh]]) -> Visual:
    drawn = visual.geometry
    if not isinstance(drawn, Mesh) or not _is_collada(visual):
        return visual
    found = [
        mesh
        for collision, mesh in meshes
        if mesh.path not in (None, drawn.path) and collision.X_LG.is_close(visual.X_LG, 1e-9)
    ]
    if len(found) != 1:
        return visual
    reference = dataclasses.replace(found[0], uri="")
    return dataclasses.replace(visual, geometry=dataclasses.replace(drawn, reference=reference))
