"""Causes of differences, gaps, and the meaning of losses.

A piece that moves, touches or pushes leaves the comparison incomplete. A limit of speed or
acceleration, which no engine enforces, restricts the motions for which the verdict holds.
Everything else does not act on the motion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from loaders.diagnostics import Diagnostic, Fate

CHAOS = "parity.chaos"
"""The motion amplifies rounding errors; the bound is the rounding error of a step times the
measured sensitivity.
"""
STEP_ORDER = "parity.step-order"
"""The engines integrate different points of a free body; the bound is what the measured order
predicts.
"""
SCREW = "parity.screw-constraint"
"""A solver connects rotation and translation of a screw; the bound follows from the stiffness of
the constraint.
"""
CONTACT_MODEL = "parity.contact-model"
"""Engines model contact differently; the bound is the tolerance of the class of scenario."""

ITERATIONS = "parity.solver-iterations"
"""A solver stops before its forces have converged; the bound is what the running engine shows with
more iterations.
"""

SOFT = "parity.soft-stops"
"""An MJCF source states soft stops, which PyBullet lacks; the bound is that of a spring and a
damper.
"""

READ_OTHERWISE = frozenset({"mjcf-in.plugin", "mjcf-in.shape"})
"""Codes of shapes that the reader approximates, and that an engine has which reads the file
itself.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A known reason why a quantity is not exact.

    Attributes:
        code: Code of the diagnostic, or one of the codes of this module.
        subjects: Scoped names of the links and joints that the cause is about.
        quantity: The name of the quantity that it explains.
        bound: The largest error that it may explain, computed for this model, in the unit of the
            quantity.
        is_loss: Whether an engine lacks what the model states; the engines then differ, however
            large the bound is.
        text: The cause for people.
    """

    code: str
    subjects: tuple[str, ...]
    quantity: str
    bound: float
    is_loss: bool = False
    text: str = ""

    def explains(self, error: float) -> bool:
        """Return whether an error is within the bound, and nothing of the model is lost."""
        return not self.is_loss and error <= self.bound

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; an infinite bound is a string."""
        bound = self.bound if math.isfinite(self.bound) else str(self.bound)
        return {
            "code": self.code,
            "subjects": list(self.subjects),
            "quantity": self.quantity,
            "bound": bound,
            "is_loss": self.is_loss,
            "text": self.text,
        }


def cause_of(diagnostic: Diagnostic, quantity: str, bound: float, remark: str = "") -> Cause:
    """Return the cause that a diagnostic of an engine states.

    Args:
        diagnostic: The diagnostic.
        quantity: The quantity that it explains.
        bound: The largest error that it may explain.
        remark: Text to add to the message.
    """
    return Cause(
        code=diagnostic.code,
        subjects=diagnostic.subjects,
        quantity=quantity,
        bound=bound,
        is_loss=diagnostic.fate is Fate.DROPPED and bool(diagnostic.target),
        text=f"{diagnostic.message} [{diagnostic.code}]{remark}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that the model states and that was not compared.

    Attributes:
        quantity: What was not compared.
        engines: The engines concerned; empty for all.
        subjects: Scoped names of the links, joints and shapes concerned; empty for the whole model.
        code: Code of the diagnostic that reports the loss; empty if there is none.
        reason: Why it was not compared, for people.
        level: The level that would compare it; ``not run`` if that was not run, empty if it belongs
            to no level.
    """

    quantity: str
    engines: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    code: str = ""
    reason: str = ""
    level: str = ""

    def __str__(self) -> str:
        engines = f" in {' and '.join(self.engines)}" if self.engines else ""
        code = f" [{self.code}]" if self.code else ""
        return f"{self.quantity}{engines}: {self.reason}{code}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "quantity": self.quantity,
            "engines": list(self.engines),
            "subjects": list(self.subjects),
            "code": self.code,
            "reason": self.reason,
            "level": self.level,
        }


_SHAPES, _CONTACT, _COUPLINGS = "shapes", "contact parameters", "couplings"
LOST: Mapping[str, str] = {
    "dart.constraint": "constraints",
    "dart.coupling": _COUPLINGS,
    "dart.force-element": "forces between links",
    "dart.one-way-coupling": _COUPLINGS,
    "dart.rotor-inertia": "rotor inertia",
    "dart.shape": _SHAPES,
    "drake.deformable": "deformation",
    "drake.mimic-ignored": _COUPLINGS,
    "drake.screw-limits": "limits",
    "drake.shared-damping": "damping",
    "drake.universal-limits": "limits",
    "gazebo.added-mass": "added mass",
    "gazebo.joint": "actuators",
    "gazebo.plugin-moves": "plugins that move something",
    "lower.coupling-without-freedom": _COUPLINGS,
    "lower.curve-of-several-pieces": "joint motion",
    "lower.gearbox-without-hinges": _COUPLINGS,
    "lower.kinematic-in-joint": "kinematic links",
    "mesh.degenerate": _SHAPES,
    "mesh.incomplete": _SHAPES,
    "mesh.missing": _SHAPES,
    "mesh.unreadable": _SHAPES,
    "mjcf-in.actuator": "actuators",
    "mjcf-in.plugin": "plugins",
    "mjcf.added-mass": "added mass",
    "mjcf.bushing": "forces between links",
    "mjcf.contact-dissipation": _CONTACT,
    "mjcf.contact-pair": _CONTACT,
    "mjcf.contact-pairs": _CONTACT,
    "mjcf.contact-stiffness": _CONTACT,
    "mjcf.coupling": _COUPLINGS,
    "mjcf.deformable": "deformation",
    "mjcf.empty-range": "limits",
    "mjcf.empty-shape": _SHAPES,
    "mjcf.fluid-force": "forces of a fluid",
    "mjcf.friction-direction": _CONTACT,
    "mjcf.heightmap": _SHAPES,
    "mjcf.hydroelastic": _CONTACT,
    "mjcf.moving-plane": _SHAPES,
    "mjcf.mujoco-element": "elements of MuJoCo",
    "mjcf.restitution-threshold": _CONTACT,
    "mjcf.slip": _CONTACT,
    "mjcf.static-friction": _CONTACT,
    "mjcf.surface-velocity": _CONTACT,
    "mjcf.tendon": "tendons",
    "mjcf.tendon-damping": "tendons",
    "mjcf.velocity-decay": "velocity decay",
    "mjcf.wind": "wind",
    "pybullet.added-mass": "added mass",
    "pybullet.ball-limit": "limits",
    "pybullet.contact-property": _CONTACT,
    "pybullet.coupling": _COUPLINGS,
    "pybullet.deformable": "deformation",
    "pybullet.empty-range": "limits",
    "pybullet.floating-dynamics": "dynamics of free links",
    "pybullet.inactive-constraint": "constraints that are switched off",
    "pybullet.locked-joint": "joint motion",
    "pybullet.mujoco-element": "elements of MuJoCo",
    "pybullet.mujoco-settings": "settings of MuJoCo",
    "pybullet.rotor-inertia": "rotor inertia",
    "pybullet.shape-dropped": _SHAPES,
    "pybullet.soft-stop": "stops",
    "pybullet.stated-tendon": "tendons",
    "pybullet.surface-velocity": _CONTACT,
    "pybullet.tendon-joint": "tendons",
    "pybullet.velocity-decay": "velocity decay",
    "pybullet.wind": "wind",
    "sdf.image-geometry": _SHAPES,
    "sdf.population": "links",
    "sdf.second-shape": _SHAPES,
    "sdf.state-scale": "sizes",
    "sdf.state-velocity": "initial velocities",
    "srdf.unknown-link": "collidable pairs",
    "urdf.embedded-sdf": "parts in SDFormat",
    "urdf.gazebo-pose": "initial pose",
    "urdf.inertia-scaling": "inertia",
    "urdf.limit-ignored": "limits",
    "urdf.mimic-ignored": _COUPLINGS,
    "urdf.no-shape": _SHAPES,
    "urdf.second-shape": _SHAPES,
}
"""Lost quantities, by the code of the diagnostic that reports it."""
ASSUMED: Mapping[str, str] = {
    "drake.replaced-inertia": "inertia",
    "mjcf.zero-effort": "effort limits",
}
"""Quantities that an engine chooses because the file states nothing that it can simulate, by the
code that says so.
"""
CONDITIONS: Mapping[str, str] = {
    "mjcf.acceleration-limit": (
        "accelerations stay within the limits of the model, which no engine enforces"
    ),
    "mjcf.velocity-limit": "speeds stay within the limits of the model, which no engine enforces",
    "pybullet.acceleration-limit": (
        "accelerations stay within the limits of the model, which no engine enforces"
    ),
    "pybullet.velocity-limit": (
        "speeds stay within the limits of the model, which no engine enforces"
    ),
    "urdf.quaternion-version": "quaternions in a file of URDF 1.0 have no meaning",
    "xml.repeated-element": "the first of repeated elements counts",
    "xml.unread": "elements of the file that the reader does not know have no meaning",
}
"""Conditions of the verdict, by the code of the diagnostic that reports the loss."""
WITHOUT_EFFECT = frozenset(
    {
        "directives.ignored-namespace", "directives.unused-pose", "drake.idle-actuator",
        "drake.old-compliance", "mjcf.actuator", "mjcf.contact-solver", "mjcf.keyframe-actuator",
        "mjcf.keyframe-joint", "mjcf.keyframe-pose", "mjcf.light", "mjcf.sensor",
        "mjcf.view-target", "resource.not-found", "sdf.elastic-modulus", "sdf.extra-element",
        "sdf.include-empty", "sdf.road", "srdf.duplicate-state", "srdf.empty-state",
        "srdf.state-joint", "srdf.state-value", "srdf.unknown-joint", "urdf.actuator-ignored",
        "urdf.transmission-extra", "urdf.transmission-type", "urdf.unknown-joint",
        "urdf.unknown-reference",
    }
)  # fmt: skip
"""Losses that change no motion: lights, sensors, named states, what Drake does not use either, and
the like.

A file that is not found is reported again by what it was needed for, as a missing mesh or texture.
"""


def gaps_of_losses(diagnostics: Iterable[Diagnostic], engines: Mapping[str, str]) -> list[Gap]:
    """Return a gap for each loss and each assumption that acts on the motion, in the order of the
    diagnostics.

    Args:
        diagnostics: The fidelity reports of the engines.
        engines: The target of the diagnostics of each engine that is compared, by its name.
    """
    lost = [entry for entry in diagnostics if _is_lost(entry)]
    return [
        Gap(
            quantity={**LOST, **ASSUMED}.get(entry.code, "pieces that lenient loading skipped"),
            engines=tuple(name for name, target in engines.items() if target == entry.target),
            subjects=entry.subjects,
            code=entry.code,
            reason=entry.message,
        )
        for entry in lost
    ]


def _is_lost(entry: Diagnostic) -> bool:
    is_dropped = entry.fate is Fate.DROPPED and entry.code in LOST
    return is_dropped or entry.fate is Fate.SKIPPED or entry.code in ASSUMED


def conditions(diagnostics: Iterable[Diagnostic]) -> tuple[str, ...]:
    """Return what must hold for the verdict, each condition once."""
    met = (CONDITIONS[entry.code] for entry in diagnostics if entry.code in CONDITIONS)
    return tuple(dict.fromkeys(met))
