"""The gaps of a comparison: what the model states and no row compares."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from bridge.mechanism import Mechanism
from bridge.parity.results.causes import Gap
from bridge.parity.results.losses import gaps_of_losses
from bridge.parity.results.verdict import Level, Outcome, Row
from loaders.diagnostics import Diagnostic
from loaders.scene_queries.mujoco_settings import Effect, Setting, acting_settings, full_name
from loaders.scene_queries.scoped_names import SEPARATOR

_SHOWN_BY: Mapping[str, str] = {
    "gravity": "bias forces",
    "initial poses": "link poses",
    "Jacobians": "link poses",
    "mass matrix": "one step",
    "bias forces": "one step",
    "inverse dynamics": "one step",
    "order of convergence": "one step",
    "motion without damping": "one step",
    "motion with damping": "one step",
    "motion with rotors": "exported motion",
    "friction": "exported motion",
    "couplings": "witnessed motion",
    "constraint violation": "witnessed motion",
    "friction of shapes": "friction of pairs",
    "actuator laws": "actuator laws",
    "motion with efforts": "actuator efforts",
    "motion with controllers": "actuator efforts",
}
"""Quantities that another quantity shows as well: if it was compared, the first one is no gap."""
_ROWS_OF_SETTINGS: Mapping[str, str] = {
    "body/gravcomp": "bias forces",
    "flag/damper": "exported motion",
    "flag/equality": "exported motion",
    "flag/filterparent": "collidable pairs",
    "flag/frictionloss": "exported motion",
    "flag/passive": "exported motion",
    "flag/spring": "exported motion",
}
"""Quantities that differ between engines if only one of them obeys a setting of MuJoCo."""
_MUJOCO = frozenset({"mujoco", "mujoco-native"})
"""Engines that have all settings of MuJoCo, and whose `compiled settings` are compared."""
_SHOWN_VALUES = 3
"""Number of values of a setting that a reason names."""
NOT_RUN = "not run"
"""The level of a gap that is there because its level was not run."""
_COMPARED = frozenset({Outcome.PASSED, Outcome.EXPLAINED})


def find_gaps(
    rows: Sequence[Row],
    mechanism: Mechanism,
    levels: Collection[Level],
    engines: Mapping[str, bool],
    diagnostics: Iterable[Diagnostic],
) -> tuple[Gap, ...]:
    """Return what the model states and was not compared, each gap once.

    Args:
        rows: All rows.
        mechanism: The mechanism of the model.
        levels: The levels that were compared.
        engines: Whether each engine simulates motion, by its name.
        diagnostics: The fidelity reports of all engines.
    """
    found = [
        *_levels_not_run(mechanism, levels),
        *_motionless_engines(mechanism, levels, engines),
        *_unknown(rows),
        *gaps_of_losses(diagnostics, tuple(engines)),
        *_settings(mechanism, rows, engines),
    ]
    return tuple(dict.fromkeys(found))


def _levels_not_run(mechanism: Mechanism, levels: Collection[Level]) -> Iterator[Gap]:
    """A gap for each level that has something to compare in this model and was not run."""
    moves = bool(mechanism.v_order)
    if Level.MODEL not in levels:
        yield Gap(quantity="parameters and link poses", reason="level L0 was not run", level=NOT_RUN)
    if Level.OPERATORS not in levels and (moves or mechanism.collidable_pairs()):
        yield Gap(quantity="mass matrix, forces and collidable pairs", reason="level L1 was not run", level=NOT_RUN)
    if Level.MOTION not in levels and moves:
        yield Gap(quantity="motion", reason="level L2 was not run", level=NOT_RUN)


def _motionless_engines(mechanism: Mechanism, levels: Collection[Level], engines: Mapping[str, bool]) -> Iterator[Gap]:
    """A gap for each engine that reads the file itself, and therefore does not move."""
    if mechanism.v_order and Level.MOTION in levels:
        for name, moves in engines.items():
            if not moves:
                reason = "an engine that reads the file itself does not move"
                yield Gap(quantity="motion", engines=(name,), reason=reason, level=Level.MOTION)


def _unknown(rows: Sequence[Row]) -> Iterator[Gap]:
    """A gap for each row without a comparison of something that the model states and no other row shows.

    A difference that was measured and proves nothing is always a gap.
    """
    shown = {(row.quantity, row.engines) for row in rows if row.outcome in _COMPARED}
    for row in rows:
        if row.outcome is Outcome.UNKNOWN and row.is_stated:
            other = _SHOWN_BY.get(row.quantity) if row.known_cause is None else None
            if other is None or not _is_shown(other, row.engines, shown):
                yield Gap(
                    quantity=row.quantity, engines=row.engines, subjects=row.subjects, code=row.code, reason=row.cause,
                    level=row.level,
                )  # fmt: skip


def _is_shown(quantity: str, engines: tuple[str, str], shown: Collection[tuple[str, tuple[str, str]]]) -> bool:
    """Return whether a quantity was compared between these engines, or of each of them with the reference."""
    if (quantity, engines) in shown:
        return True
    simulators = [name for name in engines if name not in {"reference", "exact"}]
    return all((quantity, ("reference", name)) in shown for name in simulators) or any(
        quantity == name and set(simulators) <= set(pair) for name, pair in shown
    )


def _settings(mechanism: Mechanism, rows: Sequence[Row], engines: Collection[str]) -> Iterator[Gap]:
    """A gap for each setting of MuJoCo that acts on motion or contact and that no row compares with other engines."""
    others = [name for name in engines if name not in _MUJOCO]
    stated: dict[str, list[Setting]] = {}
    for setting in _relevant(mechanism) if others else ():
        stated.setdefault(setting.path, []).append(setting)
    compared = {(row.quantity, name) for row in rows if row.outcome is not Outcome.UNKNOWN for name in row.engines}
    for path, settings in stated.items():
        row = _ROWS_OF_SETTINGS.get(path)
        lacking = tuple(name for name in others if (row, name) not in compared)
        if lacking:
            yield Gap(
                quantity="settings of MuJoCo",
                engines=lacking,
                subjects=tuple(dict.fromkeys(name for setting in settings for name in setting.subjects)),
                reason=f"{_described(path, settings)} acts on the {settings[0].effect}, and no row compares it",
            )


def _relevant(mechanism: Mechanism) -> list[Setting]:
    """The settings that act, without those of contacts of shapes that can touch nothing, and without laws of actuators.

    A law that an engine lacks is a gap of its own.
    """
    acting = [setting for setting in acting_settings(mechanism.scene) if not setting.path.startswith("actuator/")]
    if not any(setting.effect is Effect.CONTACT for setting in acting):
        return acting
    touching = {name for pair in mechanism.collidable_pairs() for name in pair}
    shapes = {
        f"{link.name}{SEPARATOR}{shape.name}"
        for link in mechanism.scene.links
        if link.name in touching
        for shape in link.collisions
    }
    return [
        setting
        for setting in acting
        if setting.effect is not Effect.CONTACT
        or (shapes.intersection(setting.subjects) if setting.subjects else shapes)
    ]


def _described(path: str, settings: Sequence[Setting]) -> str:
    """The full name of a setting with its values, of which the first few are named."""
    values = tuple(dict.fromkeys(setting.text for setting in settings))
    shown = ", ".join(f'"{value}"' for value in values[:_SHOWN_VALUES])
    more = f" and {len(values) - _SHOWN_VALUES} other values" if len(values) > _SHOWN_VALUES else ""
    return f"{full_name(path)}={shown}{more}"
