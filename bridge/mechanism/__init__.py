"""The mechanism: how a scene moves, and the reference kinematics and dynamics."""

from .mechanism import Mechanism

__all__ = ["Mechanism"]
