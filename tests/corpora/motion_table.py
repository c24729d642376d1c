"""Table of the results of ``motion_corpus``: real models in MuJoCo under full control, one row for
each model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from tests.corpora.models_corpus import FAULTS, MASSES, POSES
from tests.corpora.motion_corpus import FRACTIONS, HOLD, KINDS, TURN, UNBOUNDED, Motion, Run

_Line = Callable[..., str]

TITLE = "## In MuJoCo under full control\n"

_HEAD = """
{models} models run in MuJoCo for a second at the time step of their source, from the keyframe `home` if there is
one, else from zero, with contacts between all links that may collide and without additional ground. Each actuator
gets uniformly distributed random controls, a new one every {hold:g} ms, within all limits of the file:

* `dcmotor`: efforts within the control range, which decrease with speed and vanish at the speed limit;
* `position`: positions within the joint limits, approached no faster than the speed limit;
* `velocity`: speeds up to the limit.

Commanded speeds and changes of position are limited to {turn:g} rad or m per time step, because limits of some
files are placeholders (50000 rad/s). Controls without a range are within -{unbounded:g} and {unbounded:g}. `motor`
has no speed limit: any effort up to the limit at any speed. A warning of MuJoCo ends a run; the time step is then
divided by {fractions}.

| | {kinds} |
|---|{dashes}|
| without a warning | {quiet} |
| without a warning at a smaller time step | {shorter} |
| with a warning at every time step | {never} |
| of these, without a known cause | {strange} |
| exceeded the time limit | {late} |

{repaired} models have non-physical inertias. Their export and mechanism are compared with the inertias of
`inertia="repair"`.

| worst error | poses | mass matrix | models |
|---|---|---|---|
| MuJoCo and the mechanism | {own} |
| of these, with repaired inertia | {mended} |
| MuJoCo and Drake, where it reads the file | {drake} |

These errors do not include differences with a known cause, which {explained} models have. Models that differ for other
reasons, all of them from Drake only (see [Drake](drake.md)): {differs}.

### Models that warn

`mjcf.light-joint`: the inertia of the file cannot bear the effort limit of the file without the speed limit, which
MuJoCo does not support; most of these effort limits are placeholders. `mjcf.massless-link`,
`lower.massless-free-link`: an effort acts on a link without mass. `mjcf.pivoted-contact`: links that turn about their
center of mass touch, and MuJoCo takes the inverse mass of their contacts as zero; with a pivot that is 1 mm off the
center `breakable_test` runs without a warning.

| model | {kinds} | cause | warning |
|---|{dashes}|---|---|
"""

_OVERLAPS = """
### Links that overlap initially

Links that may collide and overlap by more than 1 mm. MuJoCo pushes them apart from the first step on. Exclude the
pair in the source, or use simpler shapes.

| model | deepest overlap | of |
|---|---|---|
"""

_ALL = """
### All models

Errors of poses in m or rad, of the mass matrix relative to its diagonal; empty if a difference has a known cause, or
if Drake does not read the file. *quiet* is a second without a warning.

| model | {kinds} | poses | M | poses, Drake | M, Drake | repaired links |
|---|{dashes}|---|---|---|---|---|
"""


def section(motions: Sequence[Motion], line: _Line) -> str:
    """Return the section with its title."""
    known = [motion for motion in motions if not motion.invalid]
    columns = {"kinds": " | ".join(KINDS), "dashes": "|".join("---" for _ in KINDS)}
    loud = [
        motion
        for motion in known
        if motion.crash or any(run.warning for run in motion.runs.values())
    ]
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
    strange = [
        sum(_verdict(m.runs.get(kind)) == "never" and not _cause(m) for m in known)
        for kind in KINDS
    ]
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
        "differs": ", ".join(f"`{m.model}` ({'; '.join(m.differs)})" for m in known if m.differs)
        or "none",
    }


def _worst(known: Sequence[Motion]) -> dict[str, str]:
    repaired = [motion.errors for motion in known if motion.repaired]
    return {
        "own": _line_of([motion.errors for motion in known]),
        "mended": _line_of(repaired),
        "drake": _line_of([motion.drake for motion in known]),
    }


def _line_of(errors: Iterable[dict[str, float]]) -> str:
    compared = [error for error in errors if error]
    worst = (
        max((error[key] for error in compared if key in error), default=0.0)
        for key in (POSES, MASSES)
    )
    return " | ".join((*(f"{error:.0e}" for error in worst), str(len(compared))))


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
    warnings = {run.warning: kind for kind, run in reversed(motion.runs.items()) if run.warning}
    return "; ".join(
        f"{kind}: {warning.removesuffix(' ')}" for warning, kind in reversed(warnings.items())
    )


def _overlaps(known: Iterable[Motion], line: _Line) -> Iterator[str]:
    for motion in known:
        depth, names = next((run.overlap for run in motion.runs.values()), (0.0, ""))
        if depth > 1e-3:
            yield line(motion.model, f"{1e3 * depth:.3g} mm", names)


def _figures(motion: Motion) -> Iterator[str]:
    for errors in (motion.errors, motion.drake):
        for key in (POSES, MASSES):
            yield f"{errors[key]:.0e}" if key in errors else ""
