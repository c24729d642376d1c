"""Reports of the content of a model that a scene cannot hold."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from loaders.diagnostics import Fate, Where
from loaders.mjcf.compilation.source import Source

_DROPPED = {"eq": "equality constraint", "tendon": "tendon", "actuator": "actuator", "pair": "contact pair"}
_NOTED = {"sensor": "sensor", "key": "keyframe", "camera": "camera", "light": "light", "site": "site"}
"""Kinds of elements that are not carried: those that change the motion, and those that do not."""


def report_unsupported(source: Source) -> None:
    """Report everything of a model that the scene does not hold."""
    for fate, kinds in ((Fate.DROPPED, _DROPPED), (Fate.NOTED, _NOTED)):
        for kind, noun in kinds.items():
            _report_elements(fate, kind, noun, source)
    _report_dofs(source)
    _report_bodies(source)
    _report_fluid(source)


def _report_elements(fate: Fate, kind: str, noun: str, source: Source) -> None:
    names = source.names(kind)
    if names:
        message = "{count} elements are not carried: {kind} {names}"
        where = source.where(kind, 0)
        source.diagnostics.add(
            fate, "mjcf-in.not-carried", message, where, subjects=names, count=len(names), kind=noun, names=names
        )


def _report_bodies(source: Source) -> None:
    """Report gravity compensation in part, soft bodies and plugins."""
    model, where = source.model, Where(source.file)
    partial = np.flatnonzero((model.body_gravcomp != 0.0) & (model.body_gravcomp != 1.0)).tolist()
    for b in partial:
        message, name = "body {name}: partial gravity compensation is not carried", source.link(b)
        source.diagnostics.add(
            Fate.DROPPED, "mjcf-in.gravcomp", message, source.where("body", b), subjects=(name,), name=name
        )
    if model.nflex:
        message = "{count} soft bodies (flex) are not carried; their particles are links without forces between them"
        source.diagnostics.add(Fate.DROPPED, "mjcf-in.soft-body", message, where, count=model.nflex)
    if model.nplugin:
        message = "{count} plugins are not carried"
        source.diagnostics.add(Fate.DROPPED, "mjcf-in.plugin", message, where, count=model.nplugin)


def _report_dofs(source: Source) -> None:
    model = source.model
    kinds = model.jnt_type[model.dof_jntid]
    dropped = {
        "armature": model.dof_armature != 0.0,
        "damping": (model.dof_damping != 0.0) & (kinds == 0),
        "friction": (model.dof_frictionloss != 0.0) & (kinds < 2),
    }
    for quantity, dofs in dropped.items():
        _report_joints(source, quantity, model.dof_jntid[np.flatnonzero(dofs)].tolist())
    _report_joints(source, "stiffness", np.flatnonzero((model.jnt_stiffness != 0.0) & (model.jnt_type < 2)).tolist())
    _report_joints(source, "limits", np.flatnonzero(model.jnt_limited & (model.jnt_type == 1)).tolist())


def _report_joints(source: Source, quantity: str, joints: Iterable[int]) -> None:
    names = source.names("joint")
    for j in dict.fromkeys(joints):
        source.diagnostics.add(
            Fate.DROPPED,
            "mjcf-in.joint-dynamics",
            "joint {name}: its {quantity} is not carried",
            source.where("joint", j),
            subjects=(names[j],),
            name=names[j],
            quantity=quantity,
        )


def _report_fluid(source: Source) -> None:
    options = source.model.opt
    if options.density or options.viscosity:
        message = "the fluid (density {density:g}, viscosity {viscosity:g}) is not carried"
        source.diagnostics.add(
            Fate.DROPPED,
            "mjcf-in.fluid",
            message,
            Where(source.file),
            density=float(options.density),
            viscosity=float(options.viscosity),
        )
