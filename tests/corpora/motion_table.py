"""The table of `motion_corpus`: real models in MuJoCo under full control, one line a model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from tests.corpora.models_corpus import FAULTS, MASSES, POSES
from tests.corpora.motion_corpus import FRACTIONS, HOLD, KINDS, TURN, UNBOUNDED, Motion, Run

_Line = Callable[..., str]

TITLE = "## In MuJoCo under full control\n"

_HEAD = """
{models} models run in MuJoCo for a second at the time step of their source, from where its users start (the keyframe
`home` if there is one, zero if not), with contacts among all links that may touch and no ground but their own. Each
actuator gets controls drawn evenly by a seed, a new one every {hold:g} ms, within all the limits that the file states:

* `dcmotor`: efforts within the whole range of control; they fall with speed, and end at the speed limit;
* `position`: positions anywhere between the stops, approached no faster than the speed limit;
* `velocity`: speeds up to the limit.

Speeds and changes of position end at {turn:g} rad or m in a time step, where a file's limit is none (50000 rad/s); a
control without a range is drawn from {unbounded:g} of the unit to both sides. `motor` shows what a motor does that
knows no speed: any effort up to the limit, however fast the joint turns. A warning of MuJoCo's ends a run; the time
step is then divided by {fractions}.

| | {kinds} |
|---|{dashes}|
| without a warning | {quiet} |
| without one at a shorter time step | {shorter} |
| never without one | {never} |
| of these, without a known cause | {strange} |
| not done in time, on a busy machine | {late} |

{repaired} models have inertias that no body can have. They are compared as the others are, export and mechanism both
with the inertias that `inertia="repair"` gives.

| worst error | poses | mass matrix | models |
|---|---|---|---|
| MuJoCo and the mechanism | {own} |
| of these, with repaired inertia | {mended} |
| MuJoCo and Drake, where it reads the file | {drake} |

What the ledger explains is not in these errors; {explained} models have such a thing. Others that differ, all of them
from Drake alone (see [Drake](drake.md)): {differs}.

### Models that warn

`mjcf.light-joint`: the effort that the file states is more than the inertia that it states can bear without the limit
of speed, which MuJoCo has not; most efforts here are round numbers that no motor has. `mjcf.massless-link`,
`lower.massless-free-link`: an effort acts on a link that has no mass.

| model | {kinds} | cause | warning |
|---|{dashes}|---|---|
"""

_OVERLAPS = """
### Links that overlap at the start

By more than 1 mm, and free to touch: MuJoCo pushes them apart from the first step on. Exclude the pair in the source,
or use simpler shapes.

| model | deepest overlap | of |
|---|---|---|
"""

_ALL = """
### All models

Errors of poses in m or rad, of the mass matrix relative to its diagonal; none stands where the ledger explains a
difference, or Drake does not read the file. *quiet* is a second without a warning.

| model | {kinds} | poses | M | poses, Drake | M, Drake | repaired links |
|---|{dashes}|---|---|---|---|---|
"""


def section(motions: Sequence[Motion], line: _Line) -> str:
    """The section, from its title on."""
    known = [motion for motion in motions if not motion.invalid]
    columns = {"kinds": " | ".join(KINDS), "dashes": "|".join("---" for _ in KINDS)}
    loud = [motion for motion in known if motion.crash or any(run.warning for run in motion.runs.values())]
    return "".join(
        (
            TITLE,
            _HEAD.format(**columns, **_counts(known), **_worst(known)),
            *(line(m.model, *_outcomes(m), _cause(m), _warning(m)) for m in loud),
            _OVERLAPS,
            *_overlaps(known, line),
            _ALL.format(**columns),
            *(line(m.model, *_outcomes(m), *_figures(m), len(m.repaired) or "") for m in known),
        )
    )


def _counts(known: Sequence[Motion]) -> dict[str, object]:
    counts = [Counter(_verdict(motion.runs.get(kind)) for motion in known) for kind in KINDS]
    named = {
        verdict: " | ".join(str(count[verdict]) for count in counts)
        for verdict in ("quiet", "shorter", "never", "late")
    }
    strange = [sum(_verdict(m.runs.get(kind)) == "never" and not _cause(m) for m in known) for kind in KINDS]
    return {
        **named,
        "models": len(known),
        "hold": 1e3 * HOLD,
        "turn": TURN,
        "unbounded": UNBOUNDED,
        "fractions": " and ".join(str(f) for f in FRACTIONS[1:]),
        "strange": " | ".join(map(str, strange)),
        "repaired": sum(bool(motion.repaired) for motion in known),
        "explained": sum(bool(motion.explained) for motion in known),
        "differs": ", ".join(f"`{m.model}` ({'; '.join(m.differs)})" for m in known if m.differs) or "none",
    }


def _worst(known: Sequence[Motion]) -> dict[str, str]:
    mended = [motion.errors for motion in known if motion.repaired]
    return {
        "own": _line_of([motion.errors for motion in known]),
        "mended": _line_of(mended),
        "drake": _line_of([motion.drake for motion in known]),
    }


def _line_of(errors: Iterable[dict[str, float]]) -> str:
    found = [error for error in errors if error]
    worst = (max((error[key] for error in found if key in error), default=0.0) for key in (POSES, MASSES))
    return " | ".join((*(f"{error:.0e}" for error in worst), str(len(found))))


def _verdict(run: Run | None) -> str:
    if run is None:
        return "late"
    if math.isinf(run.step):
        return "never"
    return "shorter" if run.warning else "quiet"


def _outcomes(motion: Motion) -> Iterator[str]:
    for kind in KINDS:
        run = motion.runs.get(kind)
        if run is None:
            yield f"**{motion.crash or 'not run'}**"
        elif math.isinf(run.step):
            yield "**warns**"
        else:
            yield f"**warns**, quiet at {1e3 * run.step:.3g} ms" if run.warning else "quiet"


def _cause(motion: Motion) -> str:
    return ", ".join(motion.causes) or FAULTS.get(motion.model, "")


def _warning(motion: Motion) -> str:
    found = {run.warning: kind for kind, run in reversed(motion.runs.items()) if run.warning}
    return "; ".join(f"{kind}: {warning.removesuffix(' ')}" for warning, kind in reversed(found.items()))


def _overlaps(known: Iterable[Motion], line: _Line) -> Iterator[str]:
    for motion in known:
        depth, names = next((run.overlap for run in motion.runs.values()), (0.0, ""))
        if depth > 1e-3:
            yield line(motion.model, f"{1e3 * depth:.3g} mm", names)


def _figures(motion: Motion) -> Iterator[str]:
    for errors in (motion.errors, motion.drake):
        for key in (POSES, MASSES):
            yield f"{errors[key]:.0e}" if key in errors else ""
