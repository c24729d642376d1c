"""Canonical models into simulators, and the proof that the simulators agree."""

from __future__ import annotations

from .mechanism import Mechanism, lower

__all__ = ["Mechanism", "lower"]
