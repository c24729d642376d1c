"""Known differences between Drake's reading of a file and this project's, as diagnostics about links and joints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from loaders.diagnostics import Diagnostic, Fate
from loaders.model import Joint, Link
from loaders.scene import Scene

_TARGET = "drake"


def known_differences(
    mechanism: Mechanism, links: Mapping[str, Any], joints: Mapping[str, Any], log: Sequence[str]
) -> tuple[Diagnostic, ...]:
    """Return all known differences of one model.

    Args:
        mechanism: The model as this project reads it.
        links: Drake's bodies by scoped link name.
        joints: Drake's joints by scoped joint name.
        log: The lines that Drake logged while it read the file.
    """
    return (
        *_repaired_inertias(log, mechanism.scene),
        *_added_masses(links, mechanism),
        *_limits_of_continuous_joints(joints, mechanism.scene),
        *_limits_of_screws(joints, mechanism.scene),
        *_gravity(mechanism.scene.links),
    )


_WARNING = re.compile(r"(?P<file>.*?):(?P<line>\d+): warning: .*inertia", re.DOTALL)


def _repaired_inertias(log: Sequence[str], scene: Scene) -> Iterator[Diagnostic]:
    """The links whose invalid inertia Drake replaced: its warning states the line, and nothing else tells the link."""
    for warning in filter(None, map(_WARNING.match, log)):
        line = int(warning["line"])
        in_file = [link for link in scene.links if Path(link.where.file).name == Path(warning["file"]).name]
        before = [link for link in in_file if (link.where.line or 0) <= line]
        if before:
            link = max(before, key=lambda each: each.where.line or 0)
            yield _about_link(
                "drake.replaced-inertia", "Drake finds the inertia of link {link} invalid and replaces it", link
            )


def _added_masses(links: Mapping[str, Any], mechanism: Mechanism) -> Iterator[Diagnostic]:
    """The links without mass to which Drake gives a mass."""
    for body in mechanism.bodies:
        if body.inertia.mass == 0.0 and links[body.name].default_mass() > 0.0:
            yield _about_link("drake.replaced-inertia", "link {link} has no mass; Drake gives it one", body.link)


def _gravity(links: Iterable[Link]) -> Iterator[Diagnostic]:
    """The links without gravity."""
    for link in links:
        if not link.gravity:
            yield _about_link(
                "drake.link-without-gravity", "Drake applies gravity to link {link}, which has none", link
            )


def _limits_of_continuous_joints(joints: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """The continuous joints to which Drake gives limits."""
    for joint in scene.joints:
        if joint.type == "continuous" and joint.name in joints and _has_limits(joints[joint.name]):
            template = "Drake keeps the limits of joint {joint}; a continuous joint has none"
            yield _about_joint("drake.continuous-limits", Fate.APPROXIMATED, template, joint)


def _limits_of_screws(joints: Mapping[str, Any], scene: Scene) -> Iterator[Diagnostic]:
    """The screw joints whose limits Drake drops."""
    for joint in scene.joints:
        limited = joint.type == "screw" and np.isfinite([joint.axes[0].lower, joint.axes[0].upper]).any()
        if limited and joint.name in joints and not _has_limits(joints[joint.name]):
            yield _about_joint("drake.screw-limits", Fate.DROPPED, "Drake ignores the limits of screw {joint}", joint)


def _has_limits(joint: Any) -> bool:
    return bool(np.isfinite(joint.position_lower_limits()).any())


def _about_link(code: str, template: str, link: Link) -> Diagnostic:
    return Diagnostic(
        code, Fate.APPROXIMATED, template, link.where, _TARGET, arguments={"link": link.name}, subjects=(link.name,)
    )


def _about_joint(code: str, fate: Fate, template: str, joint: Joint) -> Diagnostic:
    return Diagnostic(
        code, fate, template, joint.where, _TARGET, arguments={"joint": joint.name}, subjects=(joint.name,)
    )
