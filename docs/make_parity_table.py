"""Write ``docs/proof.md``: the verdict on every model, MuJoCo against PyBullet, with a witness that
reads the file by itself: Drake, or MuJoCo for MJCF.

Run it from the root of the project, with the test extra installed and the corpus beside the project
or named by ``SDFBRIDGE_CORPUS``: ``python docs/make_parity_table.py --journal out.jsonl``. Verdicts
that journals hold are taken as they are, the other files are compared in an order of which each
part is a sample of all sources, and what is found is appended to the last journal, so that an
interrupted run goes on where it ended, and what it has found stands for the others;
``--only-page`` writes the page from the journals alone. ``--levels L0,L1`` leaves motion out and
takes about twenty minutes on two cores. ``--only WORD`` compares the models whose names contain the
word, ``--most-bytes N`` the files that are no larger; ``--page FILE`` writes another file than
``docs/proof.md``.
"""

from __future__ import annotations

import argparse
import datetime
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from docs.table_cells import cell, shortened, version, write_page  # noqa: E402
from tests.corpora.models_corpus import FAULTS, Model, mjcf_models, models  # noqa: E402
from tests.corpora.proof_corpus import LEVELS, STATES, WITNESS_FAULTS, Proof, prove_each  # noqa: E402
from tests.corpora.proof_journal import append, read_journals  # noqa: E402

_PACKAGES = ("mujoco", "pybullet", "drake", "numpy", "example-robot-data", "icub-models")
_MOST_WORDS = 120
"""Number of characters of a message that a cell has."""
_WORDS = {
    "EQUIVALENT": "every quantity agrees to 1e-9",
    "AGREES": "each difference has a known cause",
    "EQUIVALENT, repaired": (
        "MuJoCo refuses the non-physical inertia of the file; compared with the repaired inertia"
    ),
    "AGREES, repaired": "the same, and each difference has a known cause",
    "fault": "the file itself is wrong, as stated in its row",
    "DIFFERS, named": (
        "each quantity that differs names the diagnostic of what a simulator cannot hold"
    ),
    "DIFFERS": "a quantity differs beyond the bound of any known cause, without such a diagnostic",
    "crash": "the process ended unexpectedly, or exceeded its time",
}

_HEAD = """# Verdicts on real models

Models of Gazebo's collection ({gazebo} with their meshes), of the tests of libsdformat and Drake, of three packages
of robots, and of {mjcf} files of MJCF by others: {all} files, of which {read} load. Each is loaded into MuJoCo and
PyBullet; both are compared with each other and with the mechanism at {levels} ([Comparing simulators](parity.md)) in
{states} random states: masses, centers of mass, inertias, limits, damping, couplings, joint motion, link poses,
Jacobians, mass matrix, bias forces, inverse dynamics, constraint violation, collision pairs.{motion}

A witness reads the original file with its own parser: Drake, which is compared with the same mechanism, and for MJCF
MuJoCo, whose reading is compared with the mechanism and with the export.

The verdict is that over the rows alone; the last column lists what a model states and what was not compared at these
levels, by diagnostic code or quantity: with such gaps `sdfbridge compare` says INCOMPLETE
([What EQUIVALENT means](equivalence.md)).

![Numbers of verdicts](pictures/plots/proof.svg)

| verdict on MuJoCo and PyBullet | models | |
|---|---|---|
{verdicts}

| witness | Drake | MuJoCo, for MJCF |
|---|---|---|
{witnesses}

Largest error between MuJoCo and PyBullet of all quantities that passed:

| quantity | error |
|---|---|
{worst}

Known causes of the differences, by diagnostic code:

| cause | models |
|---|---|
{causes}

Written by `docs/make_parity_table.py` on {date}, with {versions}.

{ages}
| model | links | dof | MuJoCo and PyBullet | worst | witness | not compared |
|---|---|---|---|---|---|---|
"""
_MOTION = """

L2 moves the smooth model and the exported one, in the simulators and in Drake, and touches each shape of the model."""

_TAIL = """
## Files that do not load

| file | first error |
|---|---|
"""


def main() -> None:
    """Compare every model and write the page."""
    arguments = _arguments()
    levels = tuple(arguments.levels.split(","))
    all_models = [*models(), *mjcf_models()]
    named = [
        model
        for model in all_models
        if not arguments.only or any(word in model.name for word in arguments.only)
    ]
    chosen = [model for model in named if model.path.stat().st_size <= arguments.most_bytes]
    known = read_journals(arguments.journal, levels)
    for proof in [] if arguments.only_page else _missing(chosen, known, levels, arguments):
        known[proof.model] = proof
    proofs = [known[model.name] for model in chosen if model.name in known]
    left = [model.name for model in all_models if model not in chosen or model.name not in known]
    write_page(arguments.page, page(proofs, left, levels))


def _missing(
    chosen: Sequence[Model],
    known: Mapping[str, Proof],
    levels: tuple[str, ...],
    arguments: argparse.Namespace,
) -> Iterator[Proof]:
    """Compare the models that no journal holds, and write them to the last
    journal.
    """
    missing = [model for model in spread(chosen) if model.name not in known]
    for proof in prove_each(missing, levels=levels, seconds=arguments.seconds):
        for path in arguments.journal[-1:]:
            append(path, proof, levels)
        yield proof


def spread(chosen: Sequence[Model]) -> list[Model]:
    """Return models in an order of which each part has as large a share of every source.

    Args:
        chosen: The models.
    """
    sources: dict[str, list[Model]] = {}
    for model in sorted(chosen, key=lambda model: sha256(model.name.encode()).digest()):
        sources.setdefault(model.name.partition("/")[0], []).append(model)
    placed = [
        ((number + 0.5) / len(models), name, model)
        for name, models in sources.items()
        for number, model in enumerate(models)
    ]
    return [model for _, _, model in sorted(placed, key=lambda each: each[:2])]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Write the verdict on every model.")
    parser.add_argument("--levels", default="L0,L1,L2", help="levels to compare")
    parser.add_argument(
        "--only", action="append", default=[], metavar="WORD", help="models whose names contain it"
    )
    parser.add_argument(
        "--most-bytes", type=float, default=math.inf, metavar="N", help="size of the largest file"
    )
    parser.add_argument(
        "--page", type=Path, default=ROOT / "docs" / "proof.md", help="file to write"
    )
    parser.add_argument(
        "--journal", type=Path, action="append", default=[], metavar="FILE", help="known verdicts"
    )
    parser.add_argument("--only-page", action="store_true", help="compare nothing")
    parser.add_argument("--seconds", type=float, help="time limit of one model")
    return parser.parse_args()


def page(proofs: Sequence[Proof], left: Sequence[str] = (), levels: Sequence[str] = LEVELS) -> str:
    """Return the page; the files of the names in ``left`` are not compared yet."""
    read = [proof for proof in proofs if not proof.invalid]
    unread = [proof for proof in proofs if proof.invalid]
    refusals = (_line(proof.model, proof.invalid) for proof in unread)
    head = _head(proofs, read, levels)
    if left:
        note = (
            f"[{len(left)} other files](#files-that-are-not-compared-yet) are not compared yet; "
            f"those that are have the same share of each source."
        )
        head = head.replace("| verdict on", f"{note}\n\n| verdict on", 1)
    last = max((proof.date for proof in proofs), default="")
    rows = (_row(proof, last) for proof in read)
    return "".join((head, *rows, _TAIL, *refusals, *_unfinished(left)))


def _unfinished(left: Sequence[str]) -> Iterator[str]:
    if left:
        yield "\n## Files that are not compared yet\n\n| file |\n|---|\n"
        yield from (_line(name) for name in left)


def _head(proofs: Sequence[Proof], read: Sequence[Proof], levels: Sequence[str]) -> str:
    verdicts = Counter(map(_verdict, read))
    mjcf = [proof for proof in read if proof.model.startswith("mjcf/")]
    of_mjcf = Counter(proof.witness or "none" for proof in mjcf)
    witnesses = Counter(proof.witness or "none" for proof in read)
    causes = Counter(cause for proof in read if proof.verdict == "AGREES" for cause in proof.causes)
    return _HEAD.format(
        ages=_ages(proofs),
        all=len(proofs),
        gazebo=sum(proof.model.startswith("gazebo_models/") for proof in proofs),
        mjcf=sum(proof.model.startswith("mjcf/") for proof in proofs),
        levels=" and ".join((", ".join(levels[:-1]), levels[-1])) if levels[1:] else levels[0],
        motion=_MOTION if "L2" in levels else "",
        read=len(read),
        states=STATES,
        verdicts="\n".join(
            f"| {word} | {verdicts[word]} | {meaning} |" for word, meaning in _WORDS.items()
        ),
        witnesses="\n".join(
            f"| {word} | {count - of_mjcf[word]} | {of_mjcf[word]} |"
            for word, count in sorted(witnesses.items())
        ),
        worst="\n".join(f"| {name} | {error:.0e} |" for name, error in _worst(read).items()),
        causes="\n".join(f"| `{cause}` | {count} |" for cause, count in causes.most_common()),
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        versions=", ".join(f"{name} {version(name)}" for name in _PACKAGES),
    )


def _ages(proofs: Sequence[Proof]) -> str:
    """Return on which days the rows were compared; the last column of older rows has their day."""
    days = Counter(proof.date for proof in proofs)
    last = max(days, default="")
    older = [
        f"{count} on {day or 'an earlier day'}"
        for day, count in sorted(days.items())
        if day != last
    ]
    if not older:
        return f"All models were compared on {last}.\n" if last else ""
    others = f"{', '.join(older)}, as the last column states"
    return f"{days[last]} models were compared on {last}; {others}.\n"


def _verdict(proof: Proof) -> str:
    if proof.crash:
        return "crash"
    if proof.verdict == "DIFFERS" and proof.model in FAULTS:
        return "fault"
    if proof.verdict == "DIFFERS" and proof.named:
        return "DIFFERS, named"
    return (
        f"{proof.verdict}, repaired"
        if proof.repaired and proof.verdict != "DIFFERS"
        else proof.verdict
    )


def _worst(read: Sequence[Proof]) -> dict[str, float]:
    worst: dict[str, float] = {}
    for proof in read:
        for name, error in proof.worst.items():
            worst[name] = max(error, worst.get(name, 0.0))
    return worst


def _row(proof: Proof, last: str) -> str:
    worst = f"{max(proof.worst.values()):.0e}" if proof.worst else ""
    return _line(
        proof.model,
        str(proof.links),
        str(proof.dofs),
        _verdict_text(proof),
        worst,
        _witness(proof),
        _gaps(proof, last),
    )


def _verdict_text(proof: Proof) -> str:
    verdict = _verdict(proof)
    if verdict == "crash":
        return f"**{proof.crash}**"
    if proof.verdict == "EQUIVALENT":
        return verdict
    if verdict == "fault":
        return f"fault: {FAULTS[proof.model]}"
    if proof.verdict == "DIFFERS":
        differences_first = sorted(proof.causes, key=lambda cause: " / " not in cause)
        return f"**{verdict}**: {'; '.join(differences_first[:2])}"
    return f"{verdict}: {', '.join(proof.causes)}"


def _witness(proof: Proof) -> str:
    if proof.witness == "EQUIVALENT":
        return "agrees"
    text = shortened("; ".join(proof.witness_causes[:2]), _MOST_WORDS)
    if proof.witness == "DIFFERS":
        return f"**differs**: {WITNESS_FAULTS.get(proof.model, text)}"
    return f"{'agrees except for' if proof.witness == 'AGREES' else proof.witness}: {text}"


def _gaps(proof: Proof, last: str) -> str:
    day = () if proof.date == last else (f"compared on {proof.date or 'an earlier day'}",)
    return ", ".join((*proof.gaps, *day))


def _line(*cells: str) -> str:
    return f"| {' | '.join(map(cell, cells))} |\n"


if __name__ == "__main__":
    main()
