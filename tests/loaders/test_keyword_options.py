"""Check of option names: unknown names are refused, with the closest known name."""

from __future__ import annotations

import numpy as np
import pytest

import loaders
from loaders.keyword_options import check_flag, check_option_names


def test_known_options_pass() -> None:
    check_option_names({"strict": True, "paths": []}, {"strict", "paths", "srdf"})
    check_option_names({}, {"strict"})


def test_a_misspelled_option_is_refused_with_the_closest_name() -> None:
    with pytest.raises(TypeError, match=r"^unknown option 'strickt'; did you mean 'strict'\?$"):
        check_option_names({"strickt": True}, {"strict", "paths"})


def test_an_unknown_option_that_resembles_none_lists_all() -> None:
    with pytest.raises(TypeError, match=r"^unknown option 'zzz'; expected one of: paths, strict$"):
        check_option_names({"zzz": 1}, {"strict", "paths"})


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
    check_option_names({"strict": value}, {"strict"})


@pytest.mark.parametrize("value", ["no", "", None, 2, [], b"no"])
def test_other_values_of_a_flag_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"^strict = .*; expected True or False$"):
        check_option_names({"strict": value}, {"strict"})
