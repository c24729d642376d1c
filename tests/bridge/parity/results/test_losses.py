"""Every code that drops something declares its effect, so that no loss can be forgotten."""

from __future__ import annotations

from bridge.diagnostic_codes import CODES, MODULES
from bridge.parity.attribution import WITHOUT_TRUTH
from bridge.parity.causes import conditions, effect_of, gaps_of_losses
from loaders.code import QUANTITIES_OF_CONTACT, ActsOn, Chosen, Code, Condition, Lost, NoEffect
from loaders.diagnostics import Diagnostic, Fate

COMPARED = {
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
