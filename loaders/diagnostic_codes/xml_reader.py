"""Codes of the XML reader, in every XML format."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "xml.doctype": CodeInfo(
        "The file has a DOCTYPE declaration, which is refused because entities can expand without bound.",
        "Remove the declaration and write out its entities.",
        (Fate.INVALID,),
    ),
    "xml.foreign": CodeInfo(
        "An element or attribute has the prefix of another program, so it is not read.", "", (Fate.NOTED,)
    ),
    "xml.mended": CodeInfo(
        (
            "The file breaks a rule of XML that real files often break, such as `--` inside a comment, and is read "
            "nevertheless."
        ),
        "Correct the file so that strict XML parsers read it too.",
        (Fate.NOTED,),
    ),
    "xml.missing": CodeInfo(
        "A required element or attribute is missing.",
        "Add the element or attribute that the message names.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-a-flag": CodeInfo(
        "A value must be `true`, `false`, `1` or `0`, and is something else.",
        "Write `true` or `false`.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-a-number": CodeInfo(
        "A value must be a number, and is something else.",
        "Write a number with a decimal point and without units.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-a-vector": CodeInfo(
        "A list of numbers has too few or too many values.",
        "Write as many numbers as the message states, separated by spaces.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-finite": CodeInfo(
        "A number is infinite or not a number where only a finite value makes sense.",
        "Write a finite number.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.not-whole": CodeInfo(
        "A value must be a whole number and has a fraction, which is cut off.", "Write a whole number.", (Fate.ASSUMED,)
    ),
    "xml.out-of-range": CodeInfo(
        "A number is outside the range that is allowed for it.",
        "Choose a value inside the range that the message states.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.repeated-element": CodeInfo(
        "An element that may occur once occurs again; only the first one is used.",
        "Remove the repeated element.",
        (Fate.DROPPED,),
    ),
    "xml.syntax": CodeInfo(
        "The file is not well-formed XML.",
        "Correct the file at the line and column of the message, or check that it is the right file.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "xml.trailing-text": CodeInfo(
        "More text follows the expected numbers and is ignored.", "Remove the text after the numbers.", (Fate.ASSUMED,)
    ),
    "xml.unread": CodeInfo(
        "An element or attribute is unknown and has no effect on the result.",
        "Correct its spelling, or remove it.",
        (Fate.DROPPED,),
    ),
    "xml.unread-pose": CodeInfo(
        (
            "An unknown element or attribute stands where a pose or a shape is stated, so the robot would have another "
            "form without it. One that contains only zeros is `xml.unread`."
        ),
        "Correct its spelling, or remove it.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
}
