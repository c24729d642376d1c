"""Names that readers asked for, against plain sets."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.node import MAX_NAMES, NOTHING_READ

KEY = st.builds(
    "".join,
    st.tuples(st.sampled_from(("", "@")), st.sampled_from([f"a{i}" for i in range(MAX_NAMES)])),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(KEY, st.tuples(KEY, KEY), st.just(())), max_size=3 * MAX_NAMES))
def test_they_are_the_names_of_all_keys(asked: list[str | tuple[str, ...]]) -> None:
    read = NOTHING_READ
    for keys in asked:
        read = read[keys]
    names = {name for keys in asked for name in ((keys,) if isinstance(keys, str) else keys)}
    assert read.attributes == {name[1:] for name in names if name[0] == "@"}
    assert read.tags == {name for name in names if name[0] != "@"}
    assert not NOTHING_READ.attributes | NOTHING_READ.tags


def test_elements_that_were_read_alike_share_an_object() -> None:
    """In whatever order, and whether by one key or by several."""
    assert NOTHING_READ["@b"]["c"] is NOTHING_READ["c", "@b"]


def test_elements_with_many_names_do_not() -> None:
    """What one reads is not read of another."""
    many = tuple(f"n{i}" for i in range(MAX_NAMES + 1))
    one, other = NOTHING_READ[many], NOTHING_READ[many]
    assert one["more"] is one
    assert "more" in one.tags
    assert "more" not in other.tags


def test_names_of_any_file_do_not_stay_in_memory() -> None:
    """A long name is not shared."""
    name = "n" * 1_000
    assert NOTHING_READ[name] is not NOTHING_READ[name]
    assert name not in NOTHING_READ
