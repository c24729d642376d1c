"""Compare real models in both simulators, with a witness that reads the file by itself: Drake, or
MuJoCo for MJCF. The results are in ``docs/proof.md``.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import bridge
import loaders
from bridge.parity import Comparison, Outcome, Row
from loaders.diagnostics import ExportError, Fate
from tests.corpora.model_batch import SECONDS, do_each
from tests.corpora.models_corpus import Model, compare_or_repair

BOTH = ("mujoco", "pybullet")
LEVELS = ("L0", "L1")
"""Levels that need no motion."""
MOVING_SECONDS = 900.0
"""Time limit of one model where motion is compared [s]."""
WITNESS_FAULTS = {
    "drake/drake/multibody/parsing/test/sdf_parser_test/interface_api_test/arm_with_gripper_merge_include.sdf": (
        "Drake places every link of a merged URDF at the origin of the model"
    ),
    "drake/drake/multibody/parsing/test/sdf_parser_test/interface_api_test/top.sdf": (
        "Drake places a frame that is attached to a joint at the origin of the child link"
    ),
    "drake/drake/multibody/parsing/test/sdf_parser_test/interface_api_test/top_merge_include_world.sdf": (
        "Drake attaches the frame of a model that has merged links of URDF only to the world"
    ),
    "drake/drake/multibody/contact_solvers/test/particle_with_infinite_inertia.sdf": (
        "libsdformat, by which Drake reads the file, takes 1 m for a radius of zero"
    ),
    "drake/features/sdf/geometry_cone_heightmap.sdf": "Drake ignores cones of SDFormat",
    **dict.fromkeys(
        (
            "gazebo_models/lunar_tranquillitatis_pit",
            "gazebo_models/vrc_driving_terrain",
            "gazebo_models/winding_valley_heightmap",
            "libsdformat/gazebo_models/apollo15_landing_site_1000x1000/model-1_4.sdf",
            *(
                f"libsdformat/gazebo_models/lunar_tranquillitatis_pit/model{k}.sdf"
                for k in ("", "-1_4")
            ),
            "libsdformat/gazebo_models/vrc_driving_terrain/model.sdf",
            "libsdformat/gazebo_models/winding_valley_heightmap/model.sdf",
        ),
        "Drake ignores height maps",
    ),
    "gazebo_models/hoop_red": "Drake ignores polylines",
    "libsdformat/gazebo_models/hoop_red/model.sdf": "Drake ignores polylines",
    "libsdformat/sdformat/test/sdf/link_duplicate_cousin_collisions.sdf": (
        "Drake gives an empty collision no shape"
    ),
    "libsdformat/sdformat/test/sdf/double_pendulum.sdf": "Drake lets a kinematic link move",
    **dict.fromkeys(
        (
            "gazebo_models/pioneer2dx",
            "gazebo_models/pioneer3at",
            *(f"libsdformat/gazebo_models/pioneer2dx/model{k}.sdf" for k in ("", "-1_3", "-1_4")),
            *(f"libsdformat/gazebo_models/pioneer3at/model{k}.sdf" for k in ("", "-1_3", "-1_4")),
        ),
        "Drake reads no plugin of Gazebo, which here limits the torque of the wheels",
    ),
    "example-robot-data/robots/tiago_pro_description/robots/tiago_pro.urdf": (
        "Drake reads no ros2_control, where this robot states its actuators"
    ),
    "libsdformat/sdformat/test/integration/fixed_joint_static.urdf": (
        "Drake ignores the gazebo element that makes the model static"
    ),
}
"""Files that Drake is known to read incorrectly, and why."""
STATES = 3
"""Number of random states of each comparison."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Verdict on one model."""

    model: str
    invalid: str = ""
    """First error that prevents loading."""
    dofs: int = 0
    links: int = 0
    verdict: str = ""
    """Verdict on MuJoCo and PyBullet: EQUIVALENT, AGREES or DIFFERS."""
    named: bool = False
    """Whether each row that fails names a diagnostic of what a simulator cannot hold."""
    repaired: bool = False
    """Whether non-physical inertias were repaired, because MuJoCo refuses them."""
    worst: dict[str, float] = field(default_factory=dict)
    """The largest error of each quantity that passed, between MuJoCo and PyBullet."""
    causes: tuple[str, ...] = ()
    """Codes of known causes, or differences with their place."""
    witness: str = ""
    """Verdict on the witness: EQUIVALENT, AGREES, DIFFERS, or absent."""
    witness_causes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    """What was not compared in MuJoCo and PyBullet at these levels."""
    crash: str = ""
    date: str = ""
    """Day on which it was compared, as in ISO 8601; empty if that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """A model and the levels at which to compare it."""

    model: Model
    levels: tuple[str, ...] = LEVELS

    def __str__(self) -> str:
        return f"{self.model.name} at {', '.join(self.levels)}"


def prove_all(
    models: Sequence[Model], *, levels: tuple[str, ...] = LEVELS, seconds: float | None = None
) -> list[Proof]:
    """Compare models, each in a separate process.

    Args:
        models: The models.
        levels: The levels.
        seconds: Time limit of one model; None for the default of these levels.
    """
    found = {proof.model: proof for proof in prove_each(models, levels=levels, seconds=seconds)}
    return [found[model.name] for model in models]


def prove_each(
    models: Sequence[Model], *, levels: tuple[str, ...] = LEVELS, seconds: float | None = None
) -> Iterator[Proof]:
    """Compare models, each in a separate process, and yield each verdict once it is there.

    Args:
        models: The models.
        levels: The levels.
        seconds: Time limit of one model; None for the default of these levels.
    """
    limit = (
        (SECONDS if set(levels) <= set(LEVELS) else MOVING_SECONDS) if seconds is None else seconds
    )
    tasks = [Comparable(model=model, levels=levels) for model in models]
    for _, proof in do_each(_judge_at_levels, tasks, _crashed, seconds=limit):
        yield proof


def _crashed(task: Comparable, crash: str) -> Proof:
    return Proof(model=task.model.name, crash=crash, date=_today())


def _judge_at_levels(task: Comparable) -> Proof:
    return judge(task.model, task.levels)


def judge(model: Model, levels: Sequence[str] = LEVELS) -> Proof:
    """Compare a model in this process."""
    search = {"paths": list(model.paths), "package_map": model.packages}
    witness = witness_of(model)
    try:
        scene = loaders.load(model.path, **search)
        mechanism = bridge.lower(_without_visuals(scene) if witness == "drake" else scene)
    except (loaders.LoadError, ExportError) as error:
        return Proof(model=model.name, invalid=_reason(error), date=_today())
    known = {
        "date": _today(),
        "model": model.name,
        "links": len(mechanism.bodies),
        "dofs": len(mechanism.v_order),
    }
    comparison, repaired = compare_or_repair(
        mechanism, (*BOTH, witness), levels=levels, configurations=STATES, **search
    )
    rows = [row for row in comparison.rows if witness not in row.engines]
    witness_verdict, witness_causes = _witness(comparison, witness)
    return Proof(
        **known,
        verdict=_verdict(rows),
        named=all(row.code for row in rows if row.outcome is Outcome.FAILED),
        worst=_worst(rows),
        causes=_causes(rows),
        repaired=repaired,
        witness=witness_verdict,
        witness_causes=witness_causes,
        gaps=_gaps(comparison, witness),
    )


def witness_of(model: Model) -> str:
    """Return the engine that reads a model by itself: Drake, or MuJoCo for MJCF."""
    return "mujoco-native" if model.path.suffix == ".xml" else "drake"


def _today() -> str:
    return datetime.datetime.now(tz=datetime.UTC).date().isoformat()


def _without_visuals(scene: loaders.Scene) -> loaders.Scene:
    """Return the scene without visuals and lights, which affect no motion."""
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
    """The largest errors; those of motions are measured against other scales, except that of one
    step.
    """
    passed = (row for row in rows if row.engines == BOTH and row.outcome is Outcome.PASSED)
    return {
        row.quantity: row.error
        for row in passed
        if row.level in LEVELS or row.quantity == "one step"
    }


def _gaps(comparison: Comparison, witness: str) -> tuple[str, ...]:
    """What the simulators did not compare at the levels that were run."""
    gaps = (gap for gap in comparison.gaps if gap.level != "not run" and witness not in gap.engines)
    return tuple(dict.fromkeys(gap.code or gap.quantity for gap in gaps))


def _causes(rows: Iterable[Row]) -> tuple[str, ...]:
    causes = []
    for row in rows:
        if row.outcome is Outcome.FAILED:
            size = f"at {row.where}: {row.error:.1e}" if row.where else row.cause
            code = f" [{row.code}]" if row.code else ""
            causes.append(f"{row.quantity} of {' / '.join(row.engines)} {size}{code}")
        elif row.outcome is Outcome.EXPLAINED:
            causes.append(row.code or row.cause)
    return tuple(dict.fromkeys(causes))


def _witness(comparison: Comparison, witness: str) -> tuple[str, tuple[str, ...]]:
    """Compare the witness with the reference, and MuJoCo's reading of the original also with the
    export, so that errors of the simulators do not count. Drake has no partner in MuJoCo, and the
    visuals that it reads were left out of the model.
    """
    partners = ("reference", "mujoco") if witness == "mujoco-native" else ("reference",)
    rows = [
        row
        for row in comparison.rows
        if row.engines in [(partner, witness) for partner in partners]
        and (row.quantity != "visual shapes" or witness != "drake")
    ]
    absent = [row for row in rows if row.quantity == "reading" and row.outcome is Outcome.UNKNOWN]
    if absent:
        return "absent", (absent[0].cause.removeprefix("Drake does not take part: "),)
    return _verdict(rows), _causes(rows)
