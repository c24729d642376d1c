"""Real models, in both simulators at once and before Drake as a witness: the verdicts of the public proof."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field

import bridge
import loaders
from bridge.parity import Comparison, Outcome, Row
from loaders.diagnostics import ExportError, Fate
from tests.corpora.models_corpus import Model, alone, compared

BOTH = ("mujoco", "pybullet")
LEVELS = ("L0", "L1")
WITNESS_FAULTS = {
    "drake/drake/multibody/parsing/test/sdf_parser_test/interface_api_test/arm_with_gripper_merge_include.sdf": (
        "Drake takes every link of a URDF that is merged for one at the model's origin"
    ),
    "libsdformat/sdformat/test/sdf/double_pendulum.sdf": "Drake lets a kinematic link move",
    "libsdformat/sdformat/test/integration/fixed_joint_static.urdf": (
        "Drake reads no gazebo element, so that the model is not static"
    ),
}
"""Where Drake is known to be wrong, and why."""
STATES = 3
"""Random states of each comparison."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What is proved of one model."""

    model: str
    invalid: str = ""
    """Why it does not load."""
    dofs: int = 0
    links: int = 0
    verdict: str = ""
    """Of MuJoCo and PyBullet: EQUIVALENT, AGREES or DIFFERS."""
    repaired: bool = False
    """Whether that is with inertias repaired that no body can have, and that MuJoCo refuses."""
    worst: dict[str, float] = field(default_factory=dict)
    """The largest error of each quantity that passed, between the two."""
    causes: tuple[str, ...] = ()
    """Codes, or what differs and where."""
    witness: str = ""
    """Drake's: agrees, AGREES with causes, DIFFERS, or absent."""
    witness_causes: tuple[str, ...] = ()
    crash: str = ""


def prove(model: Model) -> Proof:
    """What is proved of a model, in a process of its own."""
    found, crash, _ = alone(judge, model)
    return dataclasses.replace(found or Proof(model=model.name), crash=crash.strip().rpartition("\n")[2])


def judge(model: Model) -> Proof:
    """What is proved of a model, here."""
    search = {"paths": list(model.paths), "package_map": model.packages}
    try:
        mechanism = bridge.lower(_unseen(loaders.load(model.path, **search)))
    except (loaders.LoadError, ExportError) as error:
        return Proof(model=model.name, invalid=_reason(error))
    known = {"model": model.name, "links": len(mechanism.bodies), "dofs": len(mechanism.v_order)}
    found, repaired = compared(mechanism, (*BOTH, "drake"), levels=LEVELS, configurations=STATES, **search)
    rows = [row for row in found.rows if "drake" not in row.engines]
    witness, witness_causes = _witness(found)
    return Proof(
        **known, verdict=_verdict(rows), worst=_worst(rows), causes=_causes(rows), repaired=repaired,
        witness=witness, witness_causes=witness_causes,
    )  # fmt: skip


def _unseen(scene: loaders.Scene) -> loaders.Scene:
    """Without what is only seen, which no quantity depends on."""
    links = tuple(dataclasses.replace(link, visuals=()) for link in scene.links)
    return dataclasses.replace(scene, links=links, lights=())


def _reason(error: loaders.ModelError) -> str:
    first = next(entry for entry in error.diagnostics if entry.fate is Fate.INVALID)
    return f"{first.message} [{first.code}]"


def _verdict(rows: Iterable[Row]) -> str:
    outcomes = {row.outcome for row in rows}
    if Outcome.FAILED in outcomes:
        return "DIFFERS"
    return "AGREES" if Outcome.EXPLAINED in outcomes else "EQUIVALENT"


def _worst(rows: Iterable[Row]) -> dict[str, float]:
    return {row.quantity: row.error for row in rows if row.engines == BOTH and row.outcome is Outcome.PASSED}


def _causes(rows: Iterable[Row]) -> tuple[str, ...]:
    told = []
    for row in rows:
        if row.outcome is Outcome.FAILED:
            size = f"at {row.where}: {row.error:.1e}" if row.where else row.cause
            told.append(f"{row.quantity} of {' / '.join(row.engines)} {size}")
        elif row.outcome is Outcome.EXPLAINED:
            told.append(row.cause.rpartition("[")[2].rstrip("]") if row.cause.endswith("]") else row.cause)
    return tuple(dict.fromkeys(told))


def _witness(found: Comparison) -> tuple[str, tuple[str, ...]]:
    """Drake against the reference: against the simulators it differs where they do."""
    rows = [row for row in found.rows if row.engines == ("reference", "drake")]
    absent = [row for row in rows if row.quantity == "reading" and row.outcome is Outcome.EXPLAINED]
    if absent:
        return "absent", (absent[0].cause.removeprefix("Drake does not take part: "),)
    return _verdict(rows), _causes(rows)
