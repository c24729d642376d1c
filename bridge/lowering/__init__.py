"""Lowering: from a `Scene` to a `Mechanism`, once for every target."""

from .lower import lower

__all__ = ["lower"]
