"""Buoyancy, drag and lift, which Gazebo's plugins exert and which no element of a document states."""

from __future__ import annotations

import dataclasses

from bridge.export.report import Report
from bridge.fluid.forces import described
from loaders.diagnostics import Fate
from loaders.scene import Scene


def without_fluid_forces(scene: Scene, report: Report, code: str) -> Scene:
    """Return the scene without the forces of a fluid.

    Args:
        scene: The scene.
        report: Receives one finding for each force, with all its values.
        code: Code of the findings.
    """
    for force in scene.fluid_forces:
        report.add(
            Fate.DROPPED,
            code,
            "the document has no place for the force of a fluid on link {link}, {force}; left it out",
            force.where,
            hint="add the plugin that exerts it to the document",
            subjects=(force.link,),
            link=force.link,
            force=described(force),
        )
    return dataclasses.replace(scene, fluid_forces=()) if scene.fluid_forces else scene
