"""The scene under construction from directives: models, frames by name, joints and filter groups."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from loaders.context import Context
from loaders.model import WORLD, FilterGroup, FilterRule, Frame, Joint
from loaders.node import Node
from loaders.safety.suggestions import suggestion
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import attach_joints, merge
from loaders.scene_queries.connectivity import is_connection
from loaders.scene_queries.scoped_names import SEPARATOR, local_name
from loaders.spatial import IDENTITY, Pose, frozen

from .free_poses import FreePose, place_free_bodies

GRAVITY = frozen((0.0, 0.0, -9.81))
"""Gravity of Drake [m/s^2], shape (3,), in W."""


@dataclass(frozen=True, slots=True)
class Step:
    """One directive of one file."""

    node: Node
    """The directive."""
    prefix: str
    """Namespace of the directive with a separator at its end, such as ``a::b::``, or empty."""
    context: Context
    """The context of its file."""

    def full(self, name: str) -> str:
        """Return the scoped name of an item in the namespace of the directive; the world is in none."""
        return name if name == WORLD else self.prefix + name


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file, read once for all models made of it."""

    scene: Scene | None
    """The scene of the file; None if it could not be read."""
    findings: range
    """Indices of the diagnostics that were recorded while the file was read."""
    instances: list[str] = field(default_factory=list)
    """Scoped names of the models made of it."""


@dataclass(slots=True)
class SceneBuilder:
    """The scene under construction."""

    context: Context
    """The context of the load."""
    scenes: list[Scene] = field(default_factory=list)
    """The scenes of the models, in order."""
    models: set[str] = field(default_factory=set)
    """Scoped names of all models: of the files, of models nested in them, and of instances without a file."""
    frames: dict[str, tuple[str, Pose]] = field(default_factory=lambda: {WORLD: (WORLD, IDENTITY)})
    """Link L and ``X_LF`` of every frame F, keyed by scoped name."""
    local: dict[str, list[str]] = field(default_factory=dict)
    """Scoped names of frames, keyed by local name."""
    added: list[Frame] = field(default_factory=list)
    """Frames that the directives add."""
    joints: list[Joint] = field(default_factory=list)
    """Welds that the directives add."""
    joint_names: set[str] = field(default_factory=set)
    """Scoped names of all joints."""
    joined: set[frozenset[str]] = field(default_factory=set)
    """Pairs of links that a joint connects; a floating joint does not."""
    free_poses: list[FreePose] = field(default_factory=list)
    """Initial poses of free bodies."""
    groups: list[FilterGroup] = field(default_factory=list)
    """Filter groups that the directives add."""
    rules: list[FilterRule] = field(default_factory=list)
    """Filter rules that the directives add."""
    files: dict[Path, ModelFile] = field(default_factory=dict)
    """The model files, keyed by real path."""
    missing: set[str] = field(default_factory=set)
    """Scoped names of the models and frames that could not be added."""

    def add_joints(self, *joints: Joint) -> None:
        """Add the names and links of joints to those that no weld may repeat."""
        self.joint_names.update(joint.name for joint in joints)
        self.joined.update(frozenset((joint.parent, joint.child)) for joint in joints if is_connection(joint))

    def add_frame(self, name: str, link: str, X_LF: Pose) -> None:
        """Add a frame F that directives may refer to.

        Args:
            name: Scoped name.
            link: Name of the link L to which it is fixed.
            X_LF: Pose of F in L.
        """
        self.frames[name] = (link, X_LF)
        self.local.setdefault(local_name(name), []).append(name)

    def find(self, name: str, node: Node) -> str | None:
        """Return the scoped name of a frame, or None with a diagnostic; an unambiguous local name is sufficient.

        Args:
            name: The name in the directive.
            node: The element that has the name.
        """
        matches = self.matches(name)
        if len(matches) == 1:
            return matches[0]
        if self.follows(name):
            return None
        if matches:
            message = "the name {frame!r} is ambiguous; it may refer to {candidates}"
            hint = "write the scoped name"
        else:
            message = "unknown frame or link {frame!r}"
            hint = suggestion(name, self.frames)
        candidates = tuple(matches)
        subjects = candidates
        node.invalid(
            "directives.unknown-frame",
            message,
            hint=hint,
            leniency="" if matches else "what names it is left out",
            subjects=subjects,
            frame=name,
            candidates=candidates,
        )
        return None

    def follows(self, name: str) -> bool:
        """Return whether a name is unknown only because its model or frame could not be added, which is reported.

        Lenient loading reports each directive that it leaves out.

        Args:
            name: The scoped name.
        """
        scopes = accumulate(name.split(SEPARATOR), lambda scope, part: f"{scope}{SEPARATOR}{part}")
        return not self.context.diagnostics.lenient and any(scope in self.missing for scope in scopes)

    def matches(self, name: str) -> list[str]:
        """Return the scoped names of the frames that a name in a directive may refer to."""
        if name in self.frames:
            return [name]
        return self.local.get(name, []) if SEPARATOR not in name else []

    def scene(self, name: str) -> Scene:
        """Return the scene, with every link at its pose."""
        empty = Scene(name=name, gravity=GRAVITY)
        scene = dataclasses.replace(merge(empty, *self.scenes), gravity=GRAVITY)
        scene = place_free_bodies(attach_joints(scene, self.joints), self.free_poses)
        return dataclasses.replace(
            scene,
            frames=scene.frames + tuple(self.added),
            filter_groups=scene.filter_groups + tuple(self.groups),
            filter_rules=scene.filter_rules + tuple(self.rules),
        )
