"""Every registered diagnostic code agrees with the source and the documentation, and a minimal
input provokes it.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.diagnostic_codes import CODES, MODULES
from loaders.diagnostics import Argument, Code, Diagnostic, Fate
from tests.code_examples import EXAMPLES
from tests.support.seeds import spread
from tests.support.source_tree import NAMES

# The registry of diagnostic codes agrees with the source and with the page of the documentation.

ROOT = Path(__file__).parents[1]
SENTENCE = re.compile(r"[`A-Zx].*\.")
FILES = {"mesh.npz", "model.config", "model.mjb", "model.sdf"}
"""Names of files that look like codes."""


def declarations() -> list[tuple[str, str, Code]]:
    """The module, the constant and the code of each declaration."""
    return [
        (module.__name__, constant, code)
        for module in MODULES
        for constant, code in vars(module).items()
        if isinstance(code, Code)
    ]


def sources() -> dict[str, str]:
    """The text of each module of the packages."""
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in NAMES}


def test_each_code_is_declared_in_one_module() -> None:
    modules: dict[str, set[str]] = {}
    for module, _, code in declarations():
        modules.setdefault(code.name, set()).add(module)
    assert {name: places for name, places in modules.items() if len(places) > 1} == {}
    assert modules.keys() == CODES.keys()


def test_variants_differ_only_in_what_they_say() -> None:
    for _, constant, code in declarations():
        assert code.meaning == CODES[code.name].meaning, constant
        assert code.remedy == CODES[code.name].remedy, constant


def test_the_name_of_a_constant_begins_with_that_of_its_code() -> None:
    for _, constant, code in declarations():
        prefix, _, rest = code.name.upper().replace("-", "_").partition(".")
        assert constant.startswith((rest, f"{prefix}_{rest}")), constant


def test_each_registered_code_is_in_the_source() -> None:
    """A declaration begins its line; each other mention is a use."""
    words = (
        re.findall(r"(?<!^)\b[A-Z][A-Z0-9_]+\b", text, re.MULTILINE) for text in sources().values()
    )
    used = {word for found in words for word in found}
    assert {constant for _, constant, _ in declarations()} - used == set()


def test_a_code_is_a_string_only_where_it_is_declared() -> None:
    """Other modules refer to the object, so that a type checker and an editor find each use."""
    prefixes = "|".join({code.partition(".")[0] for code in CODES})
    text_of_code = re.compile(rf"""["']((?:{prefixes})\.[a-z][a-z0-9-]*)["']""")
    found = {
        (name, code)
        for name, text in sources().items()
        if "codes" not in name
        for code in text_of_code.findall(text)
    }
    assert {code for _, code in found} - FILES == set(), found


def test_no_code_has_the_form_of_a_file_name() -> None:
    assert not FILES & set(CODES)


def test_meaning_and_remedy_are_sentences() -> None:
    for code, info in CODES.items():
        assert SENTENCE.fullmatch(info.meaning), code
        assert not info.remedy or SENTENCE.fullmatch(info.remedy), code
        assert info.fates, code
        assert info.remedy or Fate.INVALID not in info.fates, code
        assert "|" not in info.meaning + info.remedy, f"{code}: the page is a table"


_TEXTS = {
    *("actuator", "base", "before", "builtin", "child", "column", "engine", "file", "follower"),
    *("frame", "gearbox", "joint", "key", "leader", "lens", "link", "manifest", "mesh", "model"),
    *("mjcf_joint", "name", "path", "plugin", "policy", "row", "sensor", "severity", "shape"),
    *("type", "uri"),
}
"""Names of arguments that are texts and stand before a verb; others before a word may be counts."""
_FIELD = re.compile(r"\{(\w+)(?:![rs])?(?::([^}]*))?\}")
_PLURAL_OF_ONE = re.compile(
    r"\b1 (?:[a-zA-Z-]+ )?"
    r"(?!(?:is|has|as|its|was|this|does|axis|always|ms)\b)[a-z]*(?:[a-tv-z]s)\b(?<!ss)"
    r"|\w\((?:e?s|ies)\)|\bthese (?!links\b)"
)
"""A noun in the plural after 1, or in both numbers at once; or a word for several of a list."""
_PLURAL_OF_LIST = re.compile(
    r"\b(?!radius|alias|moments)(\w+s) \{\1\}|\{\w+s\} (?:are|have|do|were|act|move|moved)\b"
)
"""A noun or a verb in the plural beside a list, which may have one item."""


def with_ones(template: str) -> str:
    """A template with 1 in place of each count and of each list, and x of other arguments."""

    def text(field: re.Match[str]) -> str:
        name, spec = field[1], field[2] or ""
        if "|" in spec:
            return Diagnostic("", Fate.NOTED, field[0], arguments={name: 1}).message
        return "x" if spec or name in _TEXTS else "1"

    return _FIELD.sub(text, template)


def test_messages_have_the_right_number_for_one_item() -> None:
    templates = {text for _, _, code in declarations() for text in (code.message, code.leniency)}
    found = [
        text
        for text in templates
        if _PLURAL_OF_ONE.search(with_ones(text)) or _PLURAL_OF_LIST.search(text)
    ]
    assert sorted(found) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, "1 body"),
        (2, "2 bodies"),
        (0, "0 bodies"),
        (("a",), "a body"),
        (("a", "b"), "a, b bodies"),
    ],
)
def test_a_format_chooses_the_number_of_a_noun(value: Argument, expected: str) -> None:
    finding = Diagnostic("", Fate.NOTED, "{items:body|bodies}", arguments={"items": value})
    assert finding.message == expected


def rows_of_the_page() -> list[dict[str, str]]:
    """The rows of the tables that the page of codes shows."""
    files = (ROOT / "docs" / "data" / "diagnostics").glob("*.csv")
    return [row for file in files for row in csv.DictReader(file.read_text().splitlines())]


_BOUND = re.compile(r"\b(?:within|up to|error is)[^.;{}]{0,25}?\d")
_PYBULLET = "tests/bridge/targets/pybullet/"
_MEASURED = {
    "mjcf.restitution": "tests/bridge/targets/mjcf/test_contact.py",
    "mjcf.rolling-friction": "tests/bridge/targets/mjcf/test_contact.py",
    "pybullet.ball-constraint": f"{_PYBULLET}test_against_drake.py",
    "pybullet.gear": f"{_PYBULLET}test_solver_constraints.py",
    "pybullet.restitution": f"{_PYBULLET}test_contact.py",
    "pybullet.rigid-distance": f"{_PYBULLET}test_against_drake.py",
}
"""The tests that measure the bounds that messages state as fixed numbers; all others are computed for
the model.
"""


def test_a_bound_that_a_message_states_as_a_fixed_number_is_measured() -> None:
    stating = {code.name for _, _, code in declarations() if _BOUND.search(code.message)}
    assert stating == _MEASURED.keys()
    for name, file in _MEASURED.items():
        assert name.partition(".")[2] in (ROOT / file).read_text(encoding="utf-8")


def test_the_page_is_up_to_date() -> None:
    run = [
        sys.executable,
        "-c",
        "import json, make_diagnostics_page as m; print(json.dumps(m.pages()))",
    ]
    made = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT / "docs").stdout
    for name, text in json.loads(made).items():
        assert (ROOT / "docs" / name).read_text() == text, (
            "run python docs/make_diagnostics_page.py"
        )
    assert sorted(row["code"].strip("`") for row in rows_of_the_page()) == sorted(CODES)


def test_the_page_states_the_effect_of_each_loss() -> None:
    effects = {row["code"].strip("`"): row["effect"] for row in rows_of_the_page()}
    assert effects == {name: str(code.effect or "") for name, code in CODES.items()}
    assert effects["mjcf.coupling"] == "motion: couplings"
    assert effects["mesh.missing"] == "contact: shapes"
    assert effects["mjcf.zero-effort"] == "motion: effort limits, which an engine chooses"
    assert effects["mjcf.light"] == "looks"
    assert effects["mjcf.sensor"] == "none"


# Every registered diagnostic code is provoked by a minimal input, and names what it is about.


def test_every_code_has_an_example() -> None:
    assert EXAMPLES.keys() == CODES.keys()


@pytest.mark.parametrize("code", spread(EXAMPLES, 3))
def test_the_example_provokes_its_code(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = EXAMPLES[code]
    example.setup(tmp_path, monkeypatch)
    entries = [entry for entry in example.diagnose(tmp_path) if entry.code == code]
    assert entries
    assert {entry.fate for entry in entries} <= set(CODES[code].fates)
    assert all(entry.message and "{" not in entry.message for entry in entries)
    assert set(example.subjects or ()) <= {
        subject for entry in entries for subject in entry.subjects
    }
