"""Comments for the codes of what the command check finds in them, and a change of a file."""

from __future__ import annotations

from bridge.diff.changes import Change
from bridge.rules import comments_of
from tests.support.code_example import Example

TEXT = '<robot name="r"><!-- sdfbridge: ignore {} --><link name="a"/></robot>'
EXAMPLES = {
    code: Example(lambda _, words=words: comments_of("r.urdf", TEXT.format(words))[1], ())
    for code, words in {
        "check.ignore-reason": "robot.degrees",
        "check.ignore-unknown": "robot.degree because it turns",
    }.items()
}
EXAMPLES["compare.change"] = Example(
    lambda _: [Change(kind="link", name="a", text="mass 1 to 2 kg", acts=True).diagnostic()], ("a",)
)
