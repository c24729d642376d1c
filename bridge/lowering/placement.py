"""Move a mechanism as a whole: a new pose of the world frame of its scene."""

from __future__ import annotations

import dataclasses

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, Closure, PrimitiveKind
from bridge.mechanism.connections import BodyConnection, MechanismConstraint
from bridge.mechanism.coordinates import kind_of
from loaders.spatial import Pose


def placed(mechanism: Mechanism, X_WN: Pose) -> Mechanism:
    """Return the mechanism moved as a whole: everything that was fixed in the world is fixed in frame N.

    Args:
        mechanism: The mechanism.
        X_WN: Pose of N in the world.
    """
    return dataclasses.replace(
        mechanism,
        bodies=tuple(_placed_body(body, X_WN) for body in mechanism.bodies),
        closures=tuple(_placed_closure(closure, X_WN) for closure in mechanism.closures),
        constraints=tuple(_placed_constraint(constraint, X_WN) for constraint in mechanism.constraints),
        force_elements=tuple(_placed_connection(element, X_WN) for element in mechanism.force_elements),
        fluid_forces=tuple(dataclasses.replace(f, X_WS=X_WN @ f.X_WS) for f in mechanism.fluid_forces),
    )


def _placed_body(body: Body, X_WN: Pose) -> Body:
    is_on_world = body.parent == ROOT and kind_of(body) is not PrimitiveKind.FREE
    X_PF = X_WN @ body.X_PF if is_on_world else body.X_PF
    return dataclasses.replace(body, link=dataclasses.replace(body.link, X_WL=X_WN @ body.link.X_WL), X_PF=X_PF)


def _placed_closure(closure: Closure, X_WN: Pose) -> Closure:
    joint = closure.joint
    X_PJ = X_WN @ joint.X_PJ if closure.parent == ROOT else joint.X_PJ
    X_CJ = X_WN @ joint.X_CJ if closure.child == ROOT else joint.X_CJ
    return dataclasses.replace(closure, joint=dataclasses.replace(joint, X_PJ=X_PJ, X_CJ=X_CJ))


def _placed_constraint(constraint: MechanismConstraint, X_WN: Pose) -> MechanismConstraint:
    return _placed_connection(constraint, X_WN) if isinstance(constraint, BodyConnection) else constraint


def _placed_connection(connection: BodyConnection, X_WN: Pose) -> BodyConnection:
    X_AP = X_WN @ connection.X_AP if connection.body_a == ROOT else connection.X_AP
    X_BQ = X_WN @ connection.X_BQ if connection.body_b == ROOT else connection.X_BQ
    return dataclasses.replace(connection, X_AP=X_AP, X_BQ=X_BQ)
