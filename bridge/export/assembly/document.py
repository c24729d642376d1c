"""The directives that assemble the parts of a scene."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bridge.export.documents.filter_groups import report_pairs_kept_apart
from bridge.export.pose_format import roll_pitch_yaw
from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import WORLD, Joint, JointType
from loaders.scene import Scene
from loaders.scene_queries.connectivity import static_links
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import Pose, quaternion_to_matrix

from .parts import Part, namespaces
from .text import Lines, add_frame, add_group, add_instance, add_model, add_weld


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A part with its document."""

    part: Part
    uri: str
    """URI of its file."""
    names: Mapping[str, str]
    """Names in the document by name in the scene of the part, where they differ."""
    free_pose: tuple[str, Pose] | None = None
    """Name of its free root and the pose of this, if the document cannot state it."""

    def link(self, name: str) -> str:
        """Return the name of a link in the assembly, given that in the source."""
        local = self.part.links[name]
        return f"{self.part.name}{SEPARATOR}{self.names.get(local, local)}"

    def joint(self, name: str) -> str:
        """Return the name of a joint in its document, given that in the source."""
        local = self.part.joints[name]
        return self.names.get(f"joint {local}", self.names.get(local, local))


class Assembly:
    """A scene as directives."""

    def __init__(self, scene: Scene, placed: Sequence[Placed], report: Report) -> None:
        self._scene, self._placed, self._report = scene, placed, report
        self._of_link = {name: item for item in placed for name in item.part.links}
        self._of_joint = {name: item for item in placed for name in item.part.joints}
        self.is_complete = True
        """Whether no joint or element between models was left out."""
        self.names = self._names()
        """Names in the assembly by name in the source, where they differ."""

    def text(self, comment: str) -> str:
        """Return the text of the directives.

        Args:
            comment: The comment at the top.
        """
        lines: Lines = [f"# {comment}", "directives:"]
        for scope in namespaces(item.part for item in self._placed):
            lines += ["", *add_instance(scope)]
        for item in self._placed:
            positions = dict(self._positions(item.part.joints))
            lines += ["", *add_model(item.part.name, item.uri, positions, item.free_pose)]
        for joint in self._scene.joints:
            if joint.name not in self._of_joint:
                lines += self._weld(joint)
        for frame in self._scene.frames:
            if frame.link == WORLD:
                name = self.names.get(f"frame {frame.name}", frame.name)
                lines += ["", *add_frame(name, WORLD, frame.X_LF)]
        for group in self._group_lines():
            lines += ["", *group]
        self._report_rest()
        empty = f"{lines[0]}\n{lines[1]} []\n"  # without the brackets, YAML reads no value, which Drake refuses
        return "\n".join(lines) + "\n" if len(lines) > 2 else empty

    def _name(self, link: str) -> str:
        return link if link == WORLD else self._of_link[link].link(link)

    def _names(self) -> dict[str, str]:
        links = {name: item.link(name) for item in self._placed for name in item.part.links}
        changed = {old: new for old, new in links.items() if old != new}
        for name, item in self._of_joint.items():
            new = f"{item.part.name}{SEPARATOR}{item.joint(name)}"
            if new != links.get(name, name):
                changed[f"joint {name}" if name in links else name] = new
        frames = {frame.name for frame in self._scene.frames}
        if WORLD in frames:  # a name that Drake reserves
            taken = frames | {item.part.name for item in self._placed}
            candidates = (f"{WORLD}_frame{'_' * i}" for i in range(len(taken) + 1))
            changed[f"frame {WORLD}"] = next(name for name in candidates if name not in taken)
        return changed

    def _positions(self, joints: Iterable[str]) -> Iterable[tuple[str, Sequence[float]]]:
        """Yield the initial positions of joints as Drake has them: a ball joint has roll, pitch and yaw.

        Joints of static models do not move, and are fixed joints in URDF.
        """
        held = static_links(self._scene) - {WORLD}
        for joint in self._scene.joints:
            is_movable = joint.type is not JointType.FLOATING and not {joint.parent, joint.child} & held
            if joint.name in joints and joint.default_position and is_movable:
                q: Sequence[float] = joint.default_position
                if joint.type is JointType.BALL:
                    q = roll_pitch_yaw(quaternion_to_matrix(q))
                yield self._of_joint[joint.name].joint(joint.name), q

    def _weld(self, joint: Joint) -> Lines:
        """Return the weld of two parts; nothing, with a finding, for a joint of another type."""
        if joint.type is not JointType.FIXED or joint.child == WORLD:
            self._lose(joint.name, "joint", (joint.parent, joint.child))
            return []
        X_PC = joint.X_PJ @ joint.X_CJ.inverse()
        return ["", *add_weld(self._name(joint.parent), self._name(joint.child), X_PC)]

    def _group_lines(self) -> Iterable[Lines]:
        stated = {name for item in self._placed for name in item.part.groups}
        members = {
            group.name: [self._of_link[link].link(link) for link in group.links if link in self._of_link]
            for group in self._scene.filter_groups
        }
        empty = {group.name for group in self._scene.filter_groups if not members[group.name] and not group.groups}
        for group in self._scene.filter_groups:
            if group.name in stated | empty:
                continue
            ignored = [rule.b for rule in self._scene.filter_rules if rule.a == group.name and rule.b not in empty]
            yield add_group(_plain(group.name), members[group.name], map(_plain, group.groups), map(_plain, ignored))

    # --- what cannot be said ----------------------------------------------------------------------------------------

    def _report_rest(self) -> None:
        """Report the items that no part has, and the settings of the whole scene."""
        scene, parts = self._scene, [item.part.scene for item in self._placed]
        for kind in ("couplings", "actuators", "constraints", "forces", "fluid_forces"):
            count = sum(len(getattr(part, kind)) for part in parts)
            if count < len(getattr(scene, kind)):
                self._lose(scene.name, f"{len(getattr(scene, kind)) - count} of the {kind}", ())
        self._report_split()
        report_pairs_kept_apart(self._scene, self._report, "dmdout.joined-links")
        self._report_settings()

    def _report_settings(self) -> None:
        """Report the settings of the scene that differ from those of directives; gravity that it assumes is a note."""
        scene = self._scene
        lost = [key for key in ("physics", "keyframes", "tendons", "contact_pairs") if _differs(scene, key)]
        arrays = ("wind", "magnetic_field")
        lost += [key for key in arrays if not np.array_equal(getattr(scene, key), getattr(_DEFAULT, key))]
        if any(light.link == WORLD for light in scene.lights):
            lost.append("lights")
        if not np.array_equal(scene.gravity, _DRAKE_GRAVITY):
            lost.append("gravity")
        is_assumed = np.array_equal(scene.gravity, _DEFAULT.gravity)
        if lost:
            self._report.add(
                Fate.NOTED if lost == ["gravity"] and is_assumed else Fate.DROPPED,
                "dmdout.world-settings",
                "directives have no place for {settings} of the scene; Drake's gravity is 9.81 m/s^2 along -z",
                hint="write SDFormat",
                subjects=(scene.name,),
                settings=tuple(name.replace("_", " ") for name in lost),
            )

    def _report_split(self) -> None:
        """Report the models of which several parts have collisions."""
        colliding: dict[str, set[str]] = defaultdict(set)
        for link in self._scene.links:
            if link.collisions and link.name != WORLD:
                colliding[link.model].add(self._of_link[link.name].part.name)
        for model, parts in colliding.items():
            if len(parts) > 1:
                self._report.add(
                    Fate.APPROXIMATED,
                    "dmdout.split-model",
                    "model {model} becomes {parts}, to whose links SDFormat's rule for collisions in a model does not "
                    "apply",
                    subjects=tuple(sorted(parts)),
                    model=model,
                    parts=tuple(sorted(parts)),
                )

    def _lose(self, name: str, kind: str, ends: Sequence[str]) -> None:
        self.is_complete = False
        self._report.add(
            Fate.DROPPED,
            "dmdout.out-of-scope",
            "directives cannot connect models by {kind} {item}; left it out",
            hint="write SDFormat",
            subjects=(name, *ends),
            kind=kind,
            item=name,
        )


def _plain(name: str) -> str:
    return name.replace(SEPARATOR, "_")


def _differs(scene: Scene, key: str) -> bool:
    return bool(getattr(scene, key) != getattr(_DEFAULT, key))


_DEFAULT = Scene(name="")
_DRAKE_GRAVITY = (0.0, 0.0, -9.81)
"""Gravity of every scene that Drake reads from directives [m/s^2]."""
