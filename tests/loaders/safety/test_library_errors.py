"""Errors of libraries: one type of error comes out, and what does not belong to files goes
through.
"""

from __future__ import annotations

import pytest

from loaders.limits import MAX_REASON, raised_as


class OurError(Exception):
    pass


@pytest.mark.parametrize(
    "cause", [MemoryError(), RecursionError("deep"), AssertionError("x"), UnboundLocalError("y")]
)
def test_everything_that_a_library_raises_becomes_one_error(cause: Exception) -> None:
    with (
        pytest.raises(OurError, match=f"damaged: {type(cause).__name__}") as caught,
        raised_as(OurError, "damaged"),
    ):
        raise cause
    assert caught.value.__cause__ is cause


def test_an_error_of_ours_is_not_wrapped_again() -> None:
    with pytest.raises(OurError, match=r"^mine$"), raised_as(OurError, "damaged"):
        raise OurError("mine")


def test_an_interrupt_is_not_an_error_of_the_file() -> None:
    with pytest.raises(KeyboardInterrupt), raised_as(OurError, "damaged"):
        raise KeyboardInterrupt


def test_a_message_has_an_end() -> None:
    with pytest.raises(OurError) as caught, raised_as(OurError, "damaged"):
        raise ValueError("x" * 10_000_000)
    assert len(str(caught.value)) < MAX_REASON + 100
