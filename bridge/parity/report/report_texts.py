"""The fixed texts of the report: meanings of verdicts, levels and terms."""

from __future__ import annotations

from bridge.parity.results.verdict import Outcome

MEANINGS = {
    "EQUIVALENT": "Every quantity that the model states was compared and agrees within its tolerance.",
    "AGREES": "Every quantity that the model states was compared; differences are within the bounds of known causes.",
    "INCOMPLETE": "Nothing differs, but the quantities listed below, which the model states, were not compared.",
    "DIFFERS": "A quantity differs by more than a known cause explains, or an engine lacks part of the model.",
}
LEVELS = {
    "L0": "parameters of the model, and link poses at random positions",
    "L1": "mass matrix and forces at random states",
    "L2": "motion without contact",
    "L3": "conservation of energy and momentum",
    "L4": "contact",
}
SHOWN = {
    "all": "all",
    "differing": "✗ ≈ differences",
    "unknown": "? not compared",
    "passed": "✓ passed",
}
"""Choices of the rows to show: the key of a style, and the label."""
SORTED = {
    "outcome": "outcome, the worst first",
    "error": "error over tolerance",
    "name": "quantity",
    "file": "order of the comparison",
}
"""Choices of the order of the rows: the key of a style, and the label."""
COUNTED = {
    Outcome.FAILED: "different",
    Outcome.EXPLAINED: "explained by a known cause",
    Outcome.UNKNOWN: "not compared",
    Outcome.PASSED: "within tolerance",
}
"""Words of the summary, the worst first."""
GLOSSARY = {
    "reference": "Kinematics and dynamics that sdfbridge computes from the model itself, without a simulator.",
    "quantity": "What is compared, at every random state and every link or joint; a row has the largest error.",
    "tolerance": "The largest error that counts as rounding. An empty unit means a relative error.",
    "known cause": "A property of an engine, such as single precision, with the largest error that it may explain for "
    "this model. An error beyond that bound is a difference.",
    "not compared": "An engine does not report the quantity, or it lacks a part of the model; the reason is stated.",
    "order": "The power of the time step with which the distance from the exact motion shrinks; 1 for the methods of "
    "MuJoCo and PyBullet.",
    "name[k]": "Velocity k, from 0, of a joint with several: the second axis of a universal joint is name[1]; a free "
    "link has name[0] to name[2] for its origin and name[3] to name[5] for its rotation.",
    "Ixx to Iyz": "Moments and products of inertia about the center of mass, in the axes of the link.",
    "fidelity": "What an engine cannot represent of the model, or represents with an error, each with its code.",
}
