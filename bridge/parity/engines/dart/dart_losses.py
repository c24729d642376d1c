"""Losses of a mechanism in DART, as diagnostics."""

from __future__ import annotations

from collections.abc import Iterator

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from loaders.diagnostics import Diagnostic, Fate, Where
from loaders.model import BallConstraint, WeldConstraint

from .dart_constraints import follows
from .dart_shapes import is_supported

_TARGET = "dart"


def losses(mechanism: Mechanism) -> tuple[Diagnostic, ...]:
    """Return what DART does not represent of a mechanism."""
    return (
        *_rotors(mechanism),
        *_couplings(mechanism),
        *_constraints(mechanism),
        *_forces(mechanism),
        *_springs(mechanism),
        *_shapes(mechanism),
    )


def _rotors(mechanism: Mechanism) -> Iterator[Diagnostic]:
    for body in mechanism.bodies:
        if any(body.reflected_inertia) and body.source is not None:
            template = "DART has no inertia of rotors; joint {joint} lacks {inertia}"
            yield _lost(
                "dart.rotor-inertia", template, body.source.where, str(body.joint), joint=str(body.joint),
                inertia=max(body.reflected_inertia),
            )  # fmt: skip


def _couplings(mechanism: Mechanism) -> Iterator[Diagnostic]:
    order = mechanism.v_order
    for coupling in mechanism.couplings:
        if follows(mechanism, coupling) is None:
            names = order[coupling.follower][0], order[coupling.leader][0]
            template = "DART does not couple joint {follower}, because it or joint {leader} has several axes"
            yield _lost("dart.coupling", template, coupling.where, *names, follower=names[0], leader=names[1])
        else:
            names = order[coupling.follower][0], order[coupling.leader][0]
            template = "in DART, joint {follower} follows joint {leader} without a reaction on joint {leader}"
            yield _lost("dart.one-way-coupling", template, coupling.where, *names, follower=names[0], leader=names[1])


def _constraints(mechanism: Mechanism) -> Iterator[Diagnostic]:
    for constraint in mechanism.scene.constraints:
        if not isinstance(constraint, BallConstraint | WeldConstraint):
            template = "DART has no constraint of the kind {kind}"
            yield _lost("dart.constraint", template, constraint.where, kind=type(constraint).__name__)
    for tendon in mechanism.scene.tendons:
        yield _lost("dart.constraint", "DART has no constraint of the kind {kind}", tendon.where, kind="Tendon")


def _forces(mechanism: Mechanism) -> Iterator[Diagnostic]:
    for force in (*mechanism.scene.forces, *mechanism.fluid_forces):
        yield _lost(
            "dart.force-element", "DART has no force of the kind {kind}", force.where, kind=type(force).__name__
        )


def _springs(mechanism: Mechanism) -> Iterator[Diagnostic]:
    """The springs of ball joints and free bodies."""
    for body in mechanism.bodies:
        for primitive in body.primitives:
            rotates = primitive.kind in {PrimitiveKind.BALL, PrimitiveKind.FREE}
            if rotates and primitive.limits is not None and primitive.limits.spring_stiffness and body.source:
                template = "DART has no spring of joint {joint}, which has several directions"
                yield _lost("dart.force-element", template, body.source.where, str(body.joint), joint=str(body.joint))


def _shapes(mechanism: Mechanism) -> Iterator[Diagnostic]:
    for body in mechanism.bodies:
        for collision in body.link.collisions:
            if not is_supported(collision):
                template = "DART gets no {kind}, the shape of collision {collision} of link {link}"
                yield _lost(
                    "dart.shape", template, collision.where, body.name, kind=type(collision.geometry).__name__,
                    collision=collision.name, link=body.name,
                )  # fmt: skip


def _lost(code: str, template: str, where: Where, *subjects: str, **arguments: str | float) -> Diagnostic:
    return Diagnostic(code, Fate.DROPPED, template, where, _TARGET, arguments=arguments, subjects=subjects)
