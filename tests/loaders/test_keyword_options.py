"""Check of option names: unknown names are refused, with the closest known name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import numpy as np
import pytest

import bridge
import loaders
from loaders.text import check_flag, check_option_names


class Options(TypedDict, total=False):
    """Options of a function."""

    paths: list[str]
    strict: bool


def test_known_options_pass() -> None:
    check_option_names({"strict": True, "paths": [], "depth": 2}, Options, {"depth"})
    check_option_names({}, Options)
    check_option_names({}, None)


def test_an_excluded_option_is_unknown() -> None:
    with pytest.raises(TypeError, match=r"^unknown option 'strict'; expected one of: paths$"):
        check_option_names({"strict": True}, Options, excluded={"strict"})


EXPORTS = {
    "fetch": bridge.to_mjcf,
    "unsafe_paths": bridge.to_mjcf,
    "lenient": bridge.to_mjcf,
    "allow_xacro": bridge.to_mjcf,
    "quiet": bridge.to_mjcf,
    "model_config": bridge.to_sdf,
    "couplings": bridge.to_urdf,
    "transmissions": bridge.to_urdf,
    "ros2_control": bridge.to_urdf,
    "write_srdf": bridge.to_urdf,
}
"""A function that takes each true-or-false option of loading and of exports."""


@pytest.mark.parametrize(("option", "export"), EXPORTS.items(), ids=EXPORTS)
def test_options_of_type_bool_are_true_or_false_in_every_function(
    option: str, export: Callable[..., str]
) -> None:
    with pytest.raises(TypeError, match=rf"^{option} = 'no'; expected True or False$"):
        export("assets/leg.sdf", **{option: "no"})


def test_options_of_other_types_may_be_words() -> None:
    check_option_names({"paths": "no"}, Options)
    check_option_names({"paths": "no"}, None, {"paths"})


def test_a_misspelled_option_is_refused_with_the_closest_name() -> None:
    with pytest.raises(TypeError, match=r"^unknown option 'strickt'; did you mean 'strict'\?$"):
        check_option_names({"strickt": True}, Options)


def test_an_unknown_option_that_resembles_none_lists_all() -> None:
    with pytest.raises(TypeError, match=r"^unknown option 'zzz'; expected one of: paths, strict$"):
        check_option_names({"zzz": 1}, Options)


@pytest.mark.parametrize("call", [loaders.load, loaders.resolve])
def test_the_functions_of_loaders_check_their_options(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TypeError, match="did you mean 'package_map'"):
        call("assets/leg.sdf", package_maps={})


def test_load_string_checks_its_options() -> None:
    with pytest.raises(TypeError, match="did you mean 'unsafe_paths'"):
        loaders.load_string("<sdf/>", format="sdf", unsafe_path=True)  # type: ignore[call-arg]


@pytest.mark.parametrize("value", [True, False, np.True_, 0, 1])
def test_a_flag_is_true_or_false(value: object) -> None:
    check_flag("strict", value)
    check_option_names({"strict": value}, Options)


@pytest.mark.parametrize("value", ["no", "", None, 2, [], b"no"])
def test_other_values_of_a_flag_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"^strict = .*; expected True or False$"):
        check_option_names({"strict": value}, Options)
