"""Models as SDFormat can represent them: each link in a model, and each model with a link."""

from __future__ import annotations

import dataclasses

from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import WORLD, Model
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR, root_model
from loaders.spatial import IDENTITY, Pose


def with_representable_models(scene: Scene, report: Report) -> Scene:
    """Return the scene with the models that a document needs, and with joint frames that coincide.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    known = {model.name for model in scene.models}
    missing = dict.fromkeys(link.model for link in scene.links if link.model not in known)
    models = [*scene.models]
    for name in missing:
        link = next(link for link in scene.links if link.model == name)
        models.append(Model(name=name or "model", X_WM=IDENTITY, canonical_link=link.name))
    links = tuple(dataclasses.replace(link, model="model") if not link.model else link for link in scene.links)
    scene = dataclasses.replace(scene, models=tuple(models), links=links)
    return _with_coinciding_frames(_without_empty(scene, report), report)


def _without_empty(scene: Scene, report: Report) -> Scene:
    """Return the scene without models that have no link, in themselves or nested, and are not static."""
    used = {link.model for link in scene.links} | {model.name for model in scene.models if model.static}
    holding = {name[:i] for name in used for i in range(len(name)) if name.startswith(SEPARATOR, i)}
    root = root_model(scene)
    kept = used | holding | ({root.name} if root is not None and used else set())
    empty = [model for model in scene.models if model.name not in kept]
    for model in empty:
        report.add(
            Fate.NOTED,
            "sdfout.empty-model",
            "model {model} has no link, which SDFormat does not allow; left it out",
            model.where,
            subjects=(model.name,),
            model=model.name,
        )
    gone = {model.name for model in empty}
    return dataclasses.replace(scene, models=tuple(model for model in scene.models if model.name not in gone))


def _with_coinciding_frames(scene: Scene, report: Report) -> Scene:
    """Return the scene with joints whose frames on parent and child coincide at the zero configuration."""
    poses = {link.name: link.X_WL for link in scene.links}
    joints = []
    for joint in scene.joints:
        X_WP, X_WC = poses.get(joint.parent, IDENTITY), poses.get(joint.child, IDENTITY)
        X_PJ = X_WP.inverse() @ X_WC @ joint.X_CJ
        scale = max(1.0, float(abs(X_WC.p).max()), float(abs(X_WP.p).max()))
        if (joint.parent != WORLD and joint.parent not in poses) or X_PJ.is_close(joint.X_PJ, 1e-9 * scale):
            joints.append(joint)
        else:
            report.add(
                Fate.APPROXIMATED,
                "sdfout.joint-frame",
                "the frames of joint {joint} on parent and child are {distance:.3g} m apart at the zero configuration; "
                "used that on the child",
                joint.where,
                subjects=(joint.name,),
                joint=joint.name,
                distance=_distance(X_PJ, joint.X_PJ),
            )
            joints.append(dataclasses.replace(joint, X_PJ=X_PJ))
    return dataclasses.replace(scene, joints=tuple(joints))


def _distance(a: Pose, b: Pose) -> float:
    return float(sum((a.p - b.p) ** 2) ** 0.5)
