"""Scene: its queries, and its form as plain data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from .collision_pairs import excluded_pairs
from .deferred import Deferred
from .diagnostics import FindingList, LossSummary
from .limits import Limits
from .model import WORLD, Collision, Geometry, Joint, JointAxis, Link, SceneData, Visual, by_name
from .pose import IDENTITY
from .text import counted

_GEOMETRY_KEYS = (
    "size", "radius", "length", "radii", "normal", "scale", "uri", "submesh", "height", "sampling",
)  # fmt: skip
_AXIS_KEYS = ("lower", "upper", "effort", "velocity", "acceleration", "damping", "friction")


def to_dict(scene: SceneData) -> dict[str, Any]:
    """Return a scene in the conformance format: poses are ``[x, y, z, qw, qx, qy, qz]``, infinite
    numbers ``"inf"``.
    """
    links = by_name(scene.links)
    X_WL = {WORLD: IDENTITY} | {name: link.X_WL for name, link in links.items()}
    return {
        "sdfbridge": 1,
        "name": scene.name,
        "gravity": scene.gravity.tolist(),
        "models": {
            model.name: {
                "X_WM": model.X_WM.to_vector(),
                "canonical_link": model.canonical_link,
                "static": model.static,
            }
            for model in scene.models
        },
        "links": {link.name: _link(link) for link in scene.links},
        "joints": {joint.name: _joint(joint) for joint in scene.joints},
        "frames": {
            frame.name: {
                "link": frame.link,
                "X_LF": frame.X_LF.to_vector(),
                "X_WF": (X_WL[frame.link] @ frame.X_LF).to_vector(),
            }
            for frame in scene.frames
        },
        "excluded_collision_pairs": sorted(sorted(pair) for pair in excluded_pairs(scene)),
        "diagnostics": [
            {
                "severity": entry.severity,
                "code": entry.code,
                "message": entry.message,
                "file": entry.where.file,
                "line": entry.where.line,
            }
            for entry in scene.diagnostics
        ],
    }


def _link(link: Link) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "X_WL": link.X_WL.to_vector(),
        "mass": None,
        "com": None,
        "inertia": None,
    }
    if link.inertia is not None:
        I = link.inertia.I_Lcm  # noqa: E741
        plain["mass"] = link.inertia.mass
        plain["com"] = link.inertia.p_LLcm.tolist()
        plain["inertia"] = [
            float(I[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        ]
    plain["collisions"] = _shapes(link.collisions)
    plain["visuals"] = _shapes(link.visuals)
    return plain


def _shapes(shapes: Iterable[Collision | Visual]) -> dict[str, Any]:
    return {
        shape.name: {"X_LG": shape.X_LG.to_vector(), **_geometry(shape.geometry)}
        for shape in shapes
    }


def _geometry(geometry: Geometry) -> dict[str, Any]:
    names = {field.name for field in fields(geometry)}
    sizes = {key: _plain(getattr(geometry, key)) for key in _GEOMETRY_KEYS if key in names}
    return {"geometry": type(geometry).__name__.lower(), **sizes}


def _joint(joint: Joint) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "type": str(joint.type),
        "parent": joint.parent,
        "child": joint.child,
        "X_PJ": joint.X_PJ.to_vector(),
        "X_CJ": joint.X_CJ.to_vector(),
        "axes": [_axis(axis) for axis in joint.axes],
    }
    if joint.type == "screw":
        plain["screw_thread_pitch"] = joint.pitch
    return plain


def _axis(axis: JointAxis) -> dict[str, Any]:
    return {"xyz": axis.xyz.tolist(), **{key: _plain(getattr(axis, key)) for key in _AXIS_KEYS}}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


_scene_card: Callable[..., str] = Deferred("loaders.picture:scene_card")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene(SceneData):
    """The content of one file and of the files that it includes; see `loaders.model.SceneData` for
    the fields.
    """

    def __post_init__(self) -> None:
        """Give the diagnostics their form for notebooks."""
        object.__setattr__(self, "diagnostics", FindingList(self.diagnostics))

    def _repr_html_(self) -> str:
        return _scene_card(self, "Scene")

    def __repr__(self) -> str:
        counts = ((self.models, "model"), (self.links, "link"), (self.joints, "joint"))
        text = ", ".join(counted(len(items), noun) for items, noun in counts)
        source = f" from {self.source[-80:]}" if self.source else ""
        return f"<Scene {self.name[:60]!r}: {text}{source}>"

    def to_dict(self, *, limits: Limits | None = None) -> dict[str, Any]:
        """Return the scene as plain data in the conformance format, which ``sdfbridge info --json``
        prints.

        Args:
            limits: Limits on the call; only ``pairs`` counts.

        Raises:
            LoadError: if more pairs of links are excluded than the limit.
        """
        with LossSummary(self.source, quiet=True, limits=limits):
            return to_dict(self)

    def excluded_collision_pairs(
        self, policy: str | None = None, *, limits: Limits | None = None
    ) -> frozenset[frozenset[str]]:
        """Return the pairs of links with collisions that are excluded from contact; see
        `excluded_pairs`.

        Args:
            policy: The rule for pairs that no filter group names: ``drake``, ``sdformat``,
                ``mujoco`` or ``pybullet``; None is that of the source's format.
            limits: Limits on the call; only ``pairs`` counts.

        Raises:
            LoadError: if there are more pairs than the limit.
            ValueError: if the policy is unknown.
        """
        with LossSummary(self.source, quiet=True, limits=limits):
            return excluded_pairs(self, policy)
