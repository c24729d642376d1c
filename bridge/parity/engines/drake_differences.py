"""What Drake is known to make of a file otherwise than we do, each with the link or joint that it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from loaders.diagnostics import Diagnostic, Fate
from loaders.scene import Scene


def ledger(
    mechanism: Mechanism, links: Mapping[str, Any], joints: Mapping[str, Any], lines: Sequence[str]
) -> tuple[Diagnostic, ...]:
    """All of it.

    Args:
        mechanism: Ours.
        links: Drake's bodies by our names.
        joints: Drake's joints by our names.
        lines: What Drake said while it read.
    """
    return (
        *_repairs(lines, mechanism.scene),
        *_weights(links, mechanism),
        *_limits_of_continuous(joints, mechanism.scene),
        *_limits_of_screws(joints, mechanism.scene),
        *_pulled(mechanism.scene),
    )


_WARNING = re.compile(r"(?P<file>.*?):(?P<line>\d+): warning: .*inertia", re.DOTALL)


def _repairs(lines: Sequence[str], scene: Scene) -> list[Diagnostic]:
    """The links whose inertia Drake replaced by that of a ball of water: its warnings tell the line."""
    found = []
    for warning in filter(None, map(_WARNING.match, lines)):
        line = int(warning["line"])
        here = [link for link in scene.links if Path(link.where.file).name == Path(warning["file"]).name]
        above = [link for link in here if (link.where.line or 0) <= line]
        if above:
            link = max(above, key=lambda each: each.where.line or 0)
            message = f"Drake finds the inertia of {link.name} impossible, and has another in its place"
            found.append(Diagnostic("drake.replaced-inertia", Fate.APPROXIMATED, message, link.where, "drake"))
    return found


def _weights(links: Mapping[str, Any], mechanism: Mechanism) -> list[Diagnostic]:
    """The links without mass that Drake gives one."""
    massless = (body.link for body in mechanism.bodies if body.inertia.mass == 0.0)
    return [
        Diagnostic(
            "drake.replaced-inertia", Fate.APPROXIMATED, f"Drake gives the link {link.name}, which has no mass, one",
            link.where, "drake",
        )
        for link in massless
        if links[link.name].default_mass() > 0.0
    ]  # fmt: skip


def _pulled(scene: Scene) -> list[Diagnostic]:
    """The links without gravity, which Drake pulls like all others."""
    message = "Drake pulls the link {}, which has no gravity"
    return [
        Diagnostic("drake.link-without-gravity", Fate.APPROXIMATED, message.format(link.name), link.where, "drake")
        for link in scene.links
        if not link.gravity
    ]


def _limits_of_continuous(joints: Mapping[str, Any], scene: Scene) -> list[Diagnostic]:
    found = []
    for joint in scene.joints:
        bounded = joint.name in joints and np.isfinite(joints[joint.name].position_lower_limits()).any()
        if joint.type == "continuous" and bounded:
            message = f"Drake keeps limits of the continuous joint {joint.name}, which has none"
            found.append(Diagnostic("drake.continuous-limits", Fate.APPROXIMATED, message, joint.where, "drake"))
    return found


def _limits_of_screws(joints: Mapping[str, Any], scene: Scene) -> list[Diagnostic]:
    """The screws with limits, which Drake leaves without."""
    limited = (
        joint
        for joint in scene.joints
        if joint.type == "screw" and np.isfinite([joint.axes[0].lower, joint.axes[0].upper]).any()
    )
    return [
        Diagnostic(
            "drake.screw-limits", Fate.DROPPED, f"Drake has no limits of the screw {joint.name}", joint.where, "drake"
        )
        for joint in limited
        if joint.name in joints and not np.isfinite(joints[joint.name].position_lower_limits()).any()
    ]
