"""Comparison of the mechanics of two scenes: poses at random positions, masses, mass matrices, colliding pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import Position, kind_of, random_position
from loaders.safety.text import shortened
from loaders.scene import Scene
from loaders.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class MechanicalError:
    """The largest differences between the mechanics of scenes A and B."""

    pose: float = 0.0
    """The error of the poses of links, at random positions of the joints [m, or entries of rotation matrices]."""
    mass: float = 0.0
    """The relative error of the masses of links."""
    mass_matrix: float = 0.0
    """The error of the entries of the mass matrix, relative to those of the diagonal that belong to them."""
    missing: tuple[str, ...] = ()
    """Links, and joints that move, which B lacks."""
    added: tuple[str, ...] = ()
    """Joints that move, which A lacks."""
    pairs: tuple[str, ...] = ()
    """Pairs of links that may touch in one of both only."""
    refusal: str = ""
    """The reason for which a simulator compared nothing, such as a file that it cannot read; empty if it did."""

    def is_within(self, tolerance: float) -> bool:
        """Return whether the mechanics are equal within a tolerance."""
        return not self.reasons(tolerance)

    def reasons(self, tolerance: float) -> tuple[str, ...]:
        """Return what is not equal within a tolerance."""
        numbers = (
            ("poses of links", self.pose, ""),
            ("masses", self.mass, " of their value"),
            ("mass matrices", self.mass_matrix, " of their diagonal entries"),
        )
        return (
            *(f"{name} differ by {error:.2g}{of}" for name, error, of in numbers if not error <= tolerance),
            *([f"B lacks {shortened(', '.join(self.missing))}"] if self.missing else ()),
            *([f"only B moves {shortened(', '.join(self.added))}"] if self.added else ()),
            *([f"colliding pairs differ: {shortened(', '.join(self.pairs))}"] if self.pairs else ()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the differences as plain data."""
        return {
            "pose": self.pose,
            "mass": self.mass,
            "mass_matrix": self.mass_matrix,
            "missing": list(self.missing),
            "added": list(self.added),
            "pairs": list(self.pairs),
            **({"refusal": self.refusal} if self.refusal else {}),
        }


def mechanical_error(
    a: Scene,
    b: Scene,
    names: Mapping[str, str] | None = None,
    *,
    configurations: int = 3,
    seed: int = 0,
    pairs: bool = True,
) -> MechanicalError:
    """Compare the mechanics of two scenes; links that only B has may exist if they are massless or welded.

    Args:
        a: Scene A.
        b: Scene B.
        names: Names in B by name in A, where they differ.
        configurations: Number of random positions.
        seed: Seed of the random positions.
        pairs: Whether to compare the pairs of links that may touch, in a time that grows with the square of the links.

    Raises:
        ExportError: if a scene has no mechanism.
    """
    first, second = lower(a), lower(b)
    renamed = dict(names or {})
    renamed |= _free_joints(first, second, renamed)
    missing = _missing(first, second, renamed)
    if missing:
        return MechanicalError(missing=missing)
    rng = np.random.default_rng(seed)
    pose, matrix = 0.0, 0.0
    for _ in range(configurations):
        q = {str(body.joint): random_position(body, rng) for body in first.bodies if body.primitives}
        mapped = {_joint(name, renamed): value for name, value in q.items()}
        pose = max(pose, _pose_error(first.link_poses(q), second.link_poses(mapped), renamed))
        matrix = max(matrix, _matrix_error(first, second, q, mapped, renamed))
    return MechanicalError(
        pose=pose,
        mass=_mass_error(a, b, renamed),
        mass_matrix=matrix,
        added=_added(first, second, renamed),
        pairs=_pairs(first, second, renamed) if pairs else (),
    )


def _free_joints(a: Mechanism, b: Mechanism, names: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the joints of free links, which formats state under other names or not at all."""
    free = {body.name: str(body.joint) for body in b.bodies if kind_of(body) is PrimitiveKind.FREE}
    found: dict[str, str] = {}
    for body in a.bodies:
        other = free.get(names.get(body.name, body.name))
        if other is not None and kind_of(body) is PrimitiveKind.FREE:
            found[f"joint {body.joint}"] = other
    return found


def _missing(a: Mechanism, b: Mechanism, names: Mapping[str, str]) -> tuple[str, ...]:
    links = {body.name for body in b.bodies}
    joints = {joint for joint, _ in b.v_order}
    stated = {link.name for link in a.scene.links}  # a body may be a part of a link that a loop is cut at
    lost = [name for body in a.bodies if (name := body.name) in stated and names.get(name, name) not in links]
    lost += [joint for joint, _ in a.v_order if _joint(joint, names) not in joints]
    return tuple(dict.fromkeys(lost))


def _added(a: Mechanism, b: Mechanism, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the joints of B that move and that A lacks, without those of parts of links that loops are cut at."""
    known = {_joint(joint, names) for joint, _ in a.v_order}
    stated = {link.name for link in b.scene.links}
    movable = [str(body.joint) for body in b.bodies if body.primitives and body.name in stated]
    return tuple(joint for joint in movable if joint not in known)


def _joint(name: str, names: Mapping[str, str]) -> str:
    """Return the name of a joint in B; the key of one that shares its name with a link starts with ``joint``."""
    return names.get(f"joint {name}", names.get(name, name))


def _pose_error(a: Mapping[str, Pose], b: Mapping[str, Pose], names: Mapping[str, str]) -> float:
    worst = 0.0
    for name, X_WL in a.items():
        other = b.get(names.get(name, name))
        if other is None:  # a part of a link that a loop is cut at
            continue
        scale = max(1.0, float(np.abs(X_WL.p).max()))
        worst = max(worst, float(np.abs(X_WL.p - other.p).max()) / scale, float(np.abs(X_WL.R - other.R).max()))
    return worst


MAX_DOFS = 300
"""Largest number of velocities for which mass matrices are compared; their time grows with its square."""
SMALLEST = 1e-4
"""Smallest entry of the diagonal to which errors relate, as a part of the largest; links may have no mass."""


def _matrix_error(
    a: Mechanism, b: Mechanism, q: Mapping[str, Position], mapped: Mapping[str, Position], names: Mapping[str, str]
) -> float:
    if not a.v_order or len(a.v_order) > MAX_DOFS:
        return 0.0
    index = {dof: i for i, dof in enumerate(b.v_order)}
    order = [index[_joint(joint, names), component] for joint, component in a.v_order]
    first, second = a.mass_matrix(q), b.mass_matrix(mapped)[np.ix_(order, order)]
    diagonal = np.abs(np.diag(first))
    scale = np.sqrt(np.maximum(diagonal, max(SMALLEST * float(diagonal.max()), 1e-12)))
    return float((np.abs(first - second) / np.outer(scale, scale)).max())


def _mass_error(a: Scene, b: Scene, names: Mapping[str, str]) -> float:
    masses = {link.name: link.inertia.mass for link in b.links if link.inertia is not None}
    stated = [(link.name, link.inertia.mass) for link in a.links if link.inertia is not None]
    pairs = [(mass, masses.get(names.get(name, name), 0.0)) for name, mass in stated]
    return max((abs(x - y) / (abs(x) or abs(y) or 1.0) for x, y in pairs), default=0.0)


def _pairs(a: Mechanism, b: Mechanism, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the pairs that collide in one only, by the policy of each; if that is Drake's, by SDFormat's too.

    For MJCF no other policy is compared: bitmasks, which only some policies use, may become filter groups.
    """
    found: list[str] = []
    policies = (None, "sdformat") if a.default_policy == b.default_policy == "drake" else (None,)
    for policy in policies:
        first = {frozenset(names.get(name, name) for name in pair) for pair in a.collidable_pairs(policy)}
        found += [" and ".join(sorted(pair)) for pair in _changed(first, b.collidable_pairs(policy))]
    return tuple(dict.fromkeys(found))


def _changed(a: set[frozenset[str]], b: frozenset[frozenset[str]]) -> Sequence[frozenset[str]]:
    return sorted(a ^ b, key=sorted)
