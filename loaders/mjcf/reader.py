"""The MJCF reader: from a document to a scene."""

from __future__ import annotations

from functools import partial
from typing import Any

from loaders.context import Context
from loaders.diagnostics import Diagnostics, Fate
from loaders.mjcf import codes
from loaders.model import Keyframe
from loaders.node import Node
from loaders.pose import frozen, quaternion_to_matrix
from loaders.scene import Scene

from .actuator import carried_actuators, read_actuators
from .body import BALL, FREE, read_frames, read_links, read_model, read_skins, read_soft_bodies
from .compiled_model import Source
from .compiler import CompileError, compile_text, independent, may_ask, refusals
from .constraint import (
    read_constraints,
    read_couplings,
    read_equality_elements,
    read_excludes,
    read_pairs,
    read_tendons,
)
from .geom import read_sky
from .limits import Inputs
from .sensor import read_lights, read_sensors, with_cameras
from .settings import (
    is_merged,
    memory_of,
    merged_settings,
    read_gravity,
    read_looks,
    read_physics,
    report_options_of_include,
    report_warnings,
    stated_settings,
)
from .unsupported import report_left_out, report_unsupported, report_unused_assets

_NAMELESS = "MuJoCo Model"


def read(root: Node, context: Context) -> Scene | None:
    """Read a document with the root element ``<mujoco>``.

    The scene has one model, with a link for each body. Findings go to ``context.diagnostics``;
    after an error the result is None.

    Source: MuJoCo's XML reference; ``docs/mjcf_input.md`` states what a scene carries.

    Args:
        root: The root element.
        context: The context of the load.
    """
    source = compile_document(root, context)
    main = context.resources.main
    if source is not None and main is not None and str(main) != root.file:
        report_options_of_include(root)
    return (
        None if source is None else _scene(root.attributes.get("model") or _NAMELESS, root, source)
    )


def compile_document(root: Node, context: Context, *, whole: bool = False) -> Source | None:
    """Let MuJoCo compile a document; return None after an error, with the findings in
    ``context.diagnostics``.

    Args:
        root: The root element ``<mujoco>``.
        context: The context of the load.
        whole: Whether MuJoCo gets every mesh, and not only those on which the numbers of a scene
            depend.
    """
    inputs = Inputs(context, whole=whole)
    text = inputs.add(root)
    if _has_errors(context.diagnostics) and not may_ask(context.diagnostics, root, inputs):
        return None
    try:
        assets = inputs.assets
        compiled = compile_text(
            text, inputs.models, assets.contents, assets.fetch if assets.has_deferred() else None
        )
    except CompileError as error:
        _report_refusals(error, text, inputs, root)
        return None
    if _has_errors(context.diagnostics):
        return None
    return Source(
        compiled=compiled,
        lines=inputs.lines,
        assets=inputs.assets,
        diagnostics=context.diagnostics,
        file=root.file,
    )


def _report_refusals(error: CompileError, text: str, inputs: Inputs, root: Node) -> None:
    """Report everything that MuJoCo refuses, at its place in the source."""
    contents = dict(inputs.assets.contents)
    compiled = partial(compile_text, assets=contents)
    found = refusals(error, text, inputs.models, compiled)
    for refusal in (
        independent(found, root.diagnostics, inputs) if _has_errors(root.diagnostics) else found
    ):
        node, reason = (
            inputs.lines.node(refusal.line) or root,
            refusal.reason.replace("{", "{{").replace("}", "}}"),
        )
        # each reason is a kind, so that all are listed
        code = codes.REFUSED.variant(f"MuJoCo refuses <{{element}}>: {reason}")
        node.report(code, hint=_hint(reason, inputs), element=node.tag)


def _hint(reason: str, inputs: Inputs) -> str:
    """Return what to do about a refusal, for which the small shape in place of a missing mesh may
    be the reason.
    """
    missing = any(asset.path is None for asset in inputs.assets.files.values())
    if missing and any(word in reason for word in ("inertia", "volume")):
        return (
            "provide the missing files first: each is replaced by a small shape, and the "
            "refusal may be due to its inertia"
        )
    return "see MuJoCo's XML reference"


def _has_errors(diagnostics: Diagnostics) -> bool:
    return any(entry.fate is Fate.INVALID for entry in diagnostics)


def _scene(name: str, root: Node, source: Source) -> Scene:
    links, joints = read_links(name, source)
    groups, rules = read_excludes(source)
    settings = merged_settings(source) if is_merged(source) else stated_settings(root)
    report_warnings(source)
    report_unsupported(source)
    report_left_out(source)
    report_unused_assets(source)
    return Scene(
        name=name,
        gravity=read_gravity(source),
        physics=read_physics(
            (*settings, *memory_of(root), *read_looks(source), *read_sky(source)), source
        ),
        wind=frozen(source.model.opt.wind),
        magnetic_field=frozen(source.model.opt.magnetic),
        models=(read_model(name, links, root.where, source),),
        links=with_cameras(links, name, source),
        joints=tuple(joints),
        frames=read_frames(name, source),
        lights=read_lights(source),
        couplings=read_couplings(source),
        actuators=read_actuators(source),
        constraints=read_constraints(source),
        filter_groups=groups,
        filter_rules=rules,
        contact_pairs=read_pairs(links, source),
        tendons=read_tendons(source),
        engine_elements=(
            *read_soft_bodies(source),
            *read_skins(source),
            *read_equality_elements(source),
            *read_sensors(source),
        ),
        keyframes=tuple(_keyframe(k, source) for k in range(source.model.nkey)),
    )


# --- keyframes ------------------------------------------------------------------------------------


def _keyframe(k: int, source: Source) -> Keyframe:
    model, poses = source.model, _poses(k, source)
    controls, activations = model.key_ctrl[k], model.key_act[k]
    actuators = carried_actuators(source) if any(controls) or any(activations) else []
    positions = _positions(k, model)
    return Keyframe(
        name=source.names("key")[k],
        joints=source.names("joint"),
        positions=positions,
        velocities=_velocities(k, positions, model),
        actuators=tuple(source.names("actuator")[i] for i in actuators),
        controls=tuple(_slice(controls, *_controls(i, model)) for i in actuators),
        activations=tuple(
            _slice(activations, model.actuator_actadr[i], model.actuator_actnum[i])
            for i in actuators
        ),
        links=tuple(poses),
        poses=tuple(poses.values()),
        where=source.where("key", k),
    )


def _positions(k: int, model: Any) -> tuple[tuple[float, ...], ...]:
    """Return the position of each joint; that of a free joint is the pose of its body in the
    world.
    """
    values = model.key_qpos[k]
    places = zip(model.jnt_qposadr, model.jnt_type, strict=True)
    return tuple([tuple(values[start : start + _SIZES.get(kind, 1)]) for start, kind in places])


def _velocities(
    k: int, positions: tuple[tuple[float, ...], ...], model: Any
) -> tuple[tuple[float, ...], ...]:
    """Return the velocity of each joint; nothing if all are zero."""
    values = model.key_qvel[k]
    if not any(values):
        return ()
    places = zip(model.jnt_dofadr, model.jnt_type, positions, strict=True)
    return tuple(_velocity(values, start, kind, position) for start, kind, position in places)


def _velocity(
    values: list[float], start: int, kind: int, position: tuple[float, ...]
) -> tuple[float, ...]:
    """Return the velocity of a joint; angular ones of MuJoCo are in the axes of the body, those of
    a scene are not.
    """
    if kind not in _SIZES:
        return _slice(values, start, 1)
    linear = _slice(values, start, 3) if kind == FREE else ()
    R = quaternion_to_matrix(position[-4:])
    return (*linear, *(R @ _slice(values, start + len(linear), 3)).tolist())


def _controls(i: int, model: Any) -> tuple[int, int]:
    """Return the first control of an actuator, and their number, which is 1 in older versions of
    MuJoCo.
    """
    addresses = getattr(model, "actuator_ctrladr", None)
    return (i, 1) if addresses is None else (int(addresses[i]), int(model.actuator_ctrlnum[i]))


def _slice(values: list[float], start: int, count: int) -> tuple[float, ...]:
    return tuple(values[start : start + count])


_SIZES = {FREE: 7, BALL: 4}
"""Length of a position in ``qpos``, where it is not 1."""
_ROUNDING = 1e-12
"""Largest difference of poses that are the same."""


def _poses(k: int, source: Source) -> dict[str, tuple[float, ...]]:
    """Return the pose of each mocap body that a keyframe moves, by the name of its link."""
    model, found = source.model, {}
    for b, i in enumerate(model.body_mocapid):
        if i >= 0:
            stated = (*_slice(model.key_mpos[k], 3 * i, 3), *_slice(model.key_mquat[k], 4 * i, 4))
            drawn = (*model.body_pos[b], *model.body_quat[b])
            if any(abs(x - y) > _ROUNDING for x, y in zip(stated, drawn, strict=True)):
                found[source.link(b)] = stated
    return found
