"""The worst row decides the verdict; causes and losses behind it; the command that repeats the
comparison.
"""

from __future__ import annotations

import dataclasses
import json
import math
import shlex
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.cli import main
from bridge.cli.inputs import search
from bridge.cli.parser import parse
from bridge.diagnostic_codes import CODES, MODULES
from bridge.parity import Outcome, Verdict
from bridge.parity.attribution import WITHOUT_TRUTH
from bridge.parity.causes import Cause, Gap, cause_of, conditions, effect_of, gaps_of_losses
from bridge.parity.verdict import Row, causes_once, explained, load_words, setting
from loaders.code import QUANTITIES_OF_CONTACT, ActsOn, Chosen, Code, Condition, Lost, NoEffect
from loaders.diagnostics import Diagnostic, Fate
from tests.support.comparisons import comparison, row

# The worst row decides the verdict, and an assertion names it.


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ([], Verdict.EQUIVALENT),
        ([Outcome.PASSED, Outcome.UNKNOWN], Verdict.EQUIVALENT),
        ([Outcome.PASSED, Outcome.EXPLAINED], Verdict.AGREES),
        ([Outcome.EXPLAINED, Outcome.FAILED], Verdict.DIFFERS),
    ],
)
def test_the_worst_row_decides(outcomes: list[Outcome], verdict: Verdict) -> None:
    assert comparison(*map(row, outcomes)).verdict is verdict


def test_an_assertion_names_quantity_size_place_cause_and_command() -> None:
    found = comparison(row(Outcome.EXPLAINED, cause="rotors"), row(Outcome.PASSED))
    with pytest.raises(
        AssertionError,
        match=r"(?s)AGREES.*mass \(a / b\): error 1.00e-03 at elbow.*rotors.*--seed 0",
    ):
        found.assert_equivalent()
    comparison(row(Outcome.PASSED)).assert_equivalent()
    found.assert_no_difference()


def test_a_gap_makes_a_verdict_incomplete_unless_something_differs() -> None:
    gap = Gap(quantity="motion", reason="level L2 was not run")
    for outcome, verdict in (
        (Outcome.PASSED, Verdict.INCOMPLETE),
        (Outcome.EXPLAINED, Verdict.INCOMPLETE),
        (Outcome.FAILED, Verdict.DIFFERS),
    ):
        found = dataclasses.replace(comparison(row(outcome)), gaps=(gap,))
        assert found.verdict is verdict
    incomplete = dataclasses.replace(comparison(row(Outcome.PASSED)), gaps=(gap,))
    with pytest.raises(
        AssertionError, match=r"(?s)INCOMPLETE.*not compared: motion: level L2 was not run"
    ):
        incomplete.assert_equivalent()
    incomplete.assert_no_difference()


def test_an_error_beyond_the_bound_of_its_cause_is_a_difference() -> None:
    cause = Cause(code="c", subjects=("elbow",), quantity="mass", bound=1e-4, text="rotors")
    assert explained(row(Outcome.PASSED, 1e-5), cause).outcome is Outcome.EXPLAINED
    beyond = explained(row(Outcome.PASSED, 1e-3), cause)
    assert beyond.outcome is Outcome.FAILED
    assert beyond.cause == "rotors; this explains at most 1.0e-04"
    assert beyond.to_dict()["known_cause"]["bound"] == 1e-4


def test_a_loss_says_what_it_does_to_the_comparison() -> None:
    cause = Cause(code="c", subjects=(), quantity="mass", bound=1.0, is_loss=True, text="no rotors")
    lost = explained(row(Outcome.PASSED, 1e-5), cause)
    assert lost.outcome is Outcome.FAILED
    assert lost.cause == "no rotors; the model states this, so the engines differ"


# A cause names code, subjects, quantity and bound; a loss of an engine explains nothing.


def entry(fate: Fate, target: str = "pybullet") -> Diagnostic:
    return Diagnostic(
        "pybullet.rotor-inertia", fate, "no rotors", target=target, subjects=("elbow",)
    )


def test_a_cause_has_the_fields_of_its_diagnostic_and_a_bound() -> None:
    cause = cause_of(entry(Fate.APPROXIMATED), "mass matrix", 1e-3, "; measured")
    assert cause.to_dict() == {
        "code": "pybullet.rotor-inertia",
        "subjects": ["elbow"],
        "quantity": "mass matrix",
        "bound": 1e-3,
        "is_loss": False,
        "text": "no rotors [pybullet.rotor-inertia]; measured",
    }


@pytest.mark.parametrize(
    ("fate", "target", "error", "explains"),
    [
        (Fate.APPROXIMATED, "pybullet", 1e-3, True),
        (Fate.APPROXIMATED, "pybullet", 1.1e-3, False),
        (Fate.APPROXIMATED, "pybullet", math.nan, False),
        (Fate.DROPPED, "pybullet", 1e-6, False),
        (Fate.DROPPED, "", 1e-6, True),
    ],
)
def test_a_cause_explains_up_to_its_bound(
    fate: Fate, target: str, error: float, explains: bool
) -> None:
    assert cause_of(entry(fate, target), "mass matrix", 1e-3).explains(error) is explains


def test_a_gap_is_a_line_of_text() -> None:
    gap = Gap(quantity="motion", engines=("drake",), reason="it does not move", code="x.y")
    assert str(gap) == "motion in drake: it does not move [x.y]"


# Every code that drops something declares its effect, so that no loss can be forgotten.

COMPARED = {
    "accelerated",
    "dart",
    "directives",
    "drake",
    "gazebo",
    "lower",
    "mesh",
    "mjcf",
    "mjcf-in",
    "pybullet",
    "resource",
    "sdf",
    "srdf",
    "texture",
    "urdf",
    "xml",
}
"""Readers, lowering and engines; writers of files take no part in a comparison."""


def declarations() -> list[Code]:
    """All declarations of codes, with their variants."""
    return [code for module in MODULES for code in vars(module).values() if isinstance(code, Code)]


def test_every_loss_declares_its_effect() -> None:
    """What writers of files lose is not compared; what an engine assumes may be no loss."""
    dropped = {
        code
        for code, info in CODES.items()
        if Fate.DROPPED in info.fates and code.partition(".")[0] in COMPARED
    }
    declared = {code for code, info in CODES.items() if info.effect is not None}
    chosen = {code for code, info in CODES.items() if isinstance(info.effect, Chosen)}
    assert dropped - declared == set()
    assert declared - dropped == chosen


def test_all_variants_of_a_code_have_one_effect() -> None:
    assert {code.name for code in declarations() if code.effect != CODES[code.name].effect} == set()


def test_an_effect_acts_on_motion_or_contact_or_else_states_no_quantity() -> None:
    effects = {info.effect for info in CODES.values() if info.effect is not None}
    quantities = {effect.quantity for effect in effects if isinstance(effect, Lost | Chosen)}
    assert quantities >= QUANTITIES_OF_CONTACT
    for effect in effects:
        moves = effect.acts_on in {ActsOn.MOTION, ActsOn.CONTACT}
        assert moves is not isinstance(effect, NoEffect)


def test_what_is_only_drawn_acts_on_looks() -> None:
    drawn = {
        code
        for code, info in CODES.items()
        if info.effect is not None and info.effect.acts_on is ActsOn.LOOKS
    }
    assert drawn == {"mjcf.light", "mjcf.view-target", "sdf.road"}


def test_a_loss_that_moves_is_a_gap_of_its_engine() -> None:
    bushing = Diagnostic(
        "mjcf.bushing", Fate.DROPPED, "no bushings", target="mjcf", subjects=("a", "b")
    )
    light = Diagnostic("mjcf.light", Fate.DROPPED, "no such light", target="mjcf")
    (gap,) = gaps_of_losses((bushing, light), {"mujoco": "mjcf", "pybullet": "pybullet"})
    assert (gap.quantity, gap.engines, gap.subjects) == (
        "forces between links",
        ("mujoco",),
        ("a", "b"),
    )


def test_what_explains_any_error_is_a_gap() -> None:
    """A missing file is reported again by the shape that needs it, and an empty geometry states
    nothing.
    """
    others = {code.name for code in WITHOUT_TRUTH if not isinstance(code.effect, Lost | Chosen)}
    assert others == {"resource.not-found", "mjcf.no-shape"}


def test_a_value_that_an_engine_chooses_is_a_gap() -> None:
    entries = [
        Diagnostic(code, Fate.ASSUMED, "chosen", target="drake", subjects=("a",))
        for code, info in CODES.items()
        if isinstance(info.effect, Chosen)
    ]
    gaps = gaps_of_losses(entries, {"mujoco": "mjcf", "drake": "drake"})
    assert {(gap.quantity, gap.engines) for gap in gaps} == {
        ("inertia", ("drake",)),
        ("effort limits", ("drake",)),
    }


def test_an_approximation_with_the_same_code_is_no_gap() -> None:
    stiffness = Diagnostic("mjcf.contact-stiffness", Fate.APPROXIMATED, "", target="mjcf")
    assert gaps_of_losses((stiffness,), {"mujoco": "mjcf"}) == []


def test_limits_of_speed_are_a_condition_once() -> None:
    fast = [
        Diagnostic(f"{target}.velocity-limit", Fate.DROPPED, "") for target in ("mjcf", "pybullet")
    ]
    assert conditions(fast) == (
        "speeds stay within the limits of the model, which no engine enforces",
    )


def test_a_code_that_is_not_registered_has_no_effect() -> None:
    assert effect_of(Diagnostic("a.b", Fate.DROPPED, "")) is None
    assert isinstance(effect_of(Diagnostic("xml.unread", Fate.DROPPED, "")), Condition)


def test_what_lenient_loading_skipped_is_a_gap() -> None:
    (gap,) = gaps_of_losses(
        (Diagnostic("sdf.no-link", Fate.SKIPPED, "no such link", subjects=("a",)),),
        {"mujoco": "mjcf"},
    )
    assert (gap.subjects, gap.code) == (("a",), "sdf.no-link")


# The printed command repeats the comparison.

ROOT = Path(__file__).parents[3]


def test_the_command_line_reads_the_same_options_from_its_arguments() -> None:
    options = {
        "lenient": True,
        "package_map": {"arm": ROOT / "assets"},
        "paths": [ROOT],
        "fetch_hosts": ["fuel.example:8443"],
        "srdf": "my arm.srdf",
        "overrides": "my arm.toml",
    }
    words = [
        "compare",
        "a.sdf",
        *load_words({**options, "unsafe_paths": True, "allow_xacro": True, "fetch": True}),
    ]
    parsed = parse(words)
    assert not isinstance(parsed, int)
    assert (parsed.lenient, parsed.xacro, parsed.srdf) == (True, True, Path("my arm.srdf"))
    assert parsed.overrides == Path("my arm.toml")
    assert search(parsed) == {
        "package_map": {"arm": ROOT / "assets"},
        "paths": [ROOT],
        "unsafe_paths": True,
        "fetch": True,
        "fetch_hosts": ["fuel.example:8443"],
    }


def test_a_comparison_from_python_names_everything_that_it_was_asked(tmp_path: Path) -> None:
    folder = tmp_path / "my models"
    folder.mkdir()
    found = bridge.compare(
        ROOT / "assets" / "double_pendulum.urdf",
        engines="mujoco",
        levels="L0",
        configurations=3,
        seed=7,
        paths=[folder],
        package_map={"arm": folder},
        positions={"elbow": 0.5},
        base="free",
    )
    program, *words = shlex.split(found.command)
    parsed = parse(words)
    assert not isinstance(parsed, int)
    assert (program, parsed.command, parsed.file) == ("sdfbridge", "compare", found.source)
    assert (parsed.engines, parsed.level, parsed.configurations, parsed.seed) == (
        ("mujoco",),
        ("L0",),
        3,
        7,
    )
    assert parsed.base == "free"
    assert (parsed.path, parsed.package, parsed.set) == (
        [folder],
        [("arm", folder)],
        [("elbow", 0.5)],
    )


MOMENTS = '<mass value="1"/><inertia ixx="{}" iyy=".1" izz=".1" ixy=".01" ixz="0" iyz="0"/>'
URDF = (
    f'<robot name="r"><link name="base"><inertial>{MOMENTS}</inertial></link><link name="b">'
    f"<inertial>{MOMENTS}</inertial>"
    '<collision><geometry><mesh filename="package://{}/m.obj"/></geometry></collision></link>'
    '<joint name="j 1" type="revolute"><parent link="base"/><child link="b"/><axis xyz="0 1 1"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
)
MESH = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
REPEATED: dict[str, tuple[str, dict[str, Any]]] = {
    "mapped package, two engines": (
        "mapped.urdf",
        {"seed": 5, "configurations": 2, "levels": "L1"},
    ),
    "searched package, repaired inertia, fixed base, chosen position": (
        "found.urdf",
        {
            "seed": 3,
            "configurations": 4,
            "inertia": "repair",
            "base": "fixed",
            "engines": "mujoco",
            "levels": ("L0", "L1"),
            "positions": {"j 1": 0.123456789012345},
        },
    ),
    "quaternion": (
        "leg.sdf",
        {"seed": 11, "levels": "L0", "positions": {"hip": (0.6, 0.0, 0.8, 0.0)}},
    ),
    "freed base in motion": (
        "double_pendulum.urdf",
        {"seed": 2, "base": "free", "engines": "mujoco", "levels": "L2"},
    ),
    "lenient": (
        "gripper/model.sdf",
        {"seed": 7, "configurations": 3, "lenient": True, "levels": ("L0", "L1")},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), REPEATED.values(), ids=REPEATED)
def test_the_command_repeats_every_number(
    name: str, options: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Random configurations, velocities and errors are the same to the last digit."""
    folder = tmp_path / "my packages" / "thing"
    folder.mkdir(parents=True)
    (folder / "m.obj").write_text(MESH)
    (folder / "package.xml").write_text("<package><name>thing</name></package>")
    (tmp_path / "mapped.urdf").write_text(URDF.format(".1", ".1", "other"))
    (tmp_path / "found.urdf").write_text(URDF.format("1", ".1", "thing"))
    extra = {
        "mapped.urdf": {"package_map": {"other": folder}},
        "found.urdf": {"paths": [folder.parent]},
    }.get(name, {})
    source = tmp_path / name if (tmp_path / name).exists() else ROOT / "assets" / name
    found = bridge.compare(source, **options, **extra)
    capsys.readouterr()
    main([*shlex.split(found.command)[1:], "--json"])
    repeated = json.loads(capsys.readouterr().out)
    assert found.rows
    assert repeated["rows"] == json.loads(json.dumps(found.to_dict()))["rows"]
    assert repeated["verdict"] == found.verdict


def test_options_that_only_python_has_are_named() -> None:
    found = bridge.compare(
        ROOT / "assets" / "double_pendulum.urdf",
        engines="mujoco",
        levels="L0",
        schemes={"own": [ROOT]},
    )
    assert found.command.endswith("  # and, from Python only: schemes")


def test_positions_are_as_the_command_line_takes_them() -> None:
    assert setting("elbow", -0.5) == "elbow=-0.5"
    assert setting("wrist", (1, 0, 0, 0)) == "wrist=1.0,0.0,0.0,0.0"


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ((row(Outcome.PASSED),), "1 comparison agrees within rounding."),
        ((row(Outcome.PASSED),) * 2, "2 comparisons agree within rounding."),
        ((row(Outcome.FAILED),), "not the same in a and b: mass at elbow differs by 1.0e-03"),
        ((row(Outcome.FAILED, math.inf),), "mass at elbow is missing in one of them."),
        ((row(Outcome.EXPLAINED, cause="soft; x"),), "of at most 1.0e-03 relative (mass)"),
    ],
)
def test_two_sentences_say_what_was_found(rows: tuple[Row, ...], says: str) -> None:
    first, second = comparison(*rows).headline
    assert says in first
    assert first.endswith(".")
    assert second.endswith(".")


def test_errors_of_different_units_are_told_apart() -> None:
    cause = Cause(code="x", subjects=(), quantity="mass", bound=1.0, text="soft")
    meters = dataclasses.replace(row(Outcome.FAILED, 2e-4), unit="m")
    known = comparison(*(explained(each, cause) for each in (meters, row(Outcome.FAILED))))
    for text in (known.headline[0], known.claim):
        assert "at most 2.0e-04 m (mass) and 1.0e-03 relative (mass)" in text


def test_each_cause_is_told_once_in_the_order_of_the_rows() -> None:
    causes = ("soft; 1 apart", "soft; 2 apart", "", "rotors", "soft", "")
    rows = causes_once(row(Outcome.EXPLAINED, cause=cause) for cause in causes)
    told = ["soft; 1 apart", "as for mass; 2 apart", "", "rotors", "as for mass", ""]
    assert [each.cause for each in rows] == told


def test_a_cause_that_explains_nothing_is_not_told() -> None:
    cause = Cause(code="x", subjects=(), quantity="mass", bound=0.0, text="rotors")
    assert explained(row(Outcome.PASSED), cause).cause == ""
