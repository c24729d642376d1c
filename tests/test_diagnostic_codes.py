"""The registry of diagnostic codes agrees with the source and with the page of the
documentation.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from bridge.diagnostic_codes import CODES
from loaders.diagnostics import Fate
from tests.support.emitted_codes import FILES, bare_codes, fates, literals
from tests.support.source_tree import NAMES, tree

ROOT = Path(__file__).parents[1]
SENTENCE = re.compile(r"[`A-Zx].*\.")


def tables() -> dict[str, list[object]]:
    """The codes of each table ``CODES`` whose keys are written out, by its module."""
    found = {}
    for name in NAMES:
        for node in tree(name).body:
            is_table = isinstance(node, ast.Assign | ast.AnnAssign) and ast.unparse(
                node
            ).startswith("CODES")
            if is_table and isinstance(node.value, ast.Dict):
                found[name] = [
                    key.value for key in node.value.keys if isinstance(key, ast.Constant)
                ]
    return {name: codes for name, codes in found.items() if codes}


def test_each_code_is_registered_once() -> None:
    keys = [code for codes in tables().values() for code in codes]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(CODES)


def test_the_codes_of_a_table_are_sorted() -> None:
    assert {
        name: codes for name, codes in tables().items() if codes != sorted(codes, key=str)
    } == {}


def test_each_code_in_the_source_is_registered() -> None:
    unknown = {
        code: places for code, places in (literals() | bare_codes()).items() if code not in CODES
    }
    assert unknown == {}


def test_each_registered_code_is_in_the_source() -> None:
    assert set(CODES) - literals().keys() - bare_codes().keys() == set()


def test_each_fate_in_the_source_is_registered() -> None:
    missing = {
        code: set(written) - set(CODES[code].fates)
        for code, written in fates().items()
        if code in CODES
    }
    assert {code: written for code, written in missing.items() if written} == {}


def test_no_code_has_the_form_of_a_file_name() -> None:
    assert not FILES & set(CODES)


def test_meaning_and_remedy_are_sentences() -> None:
    for code, info in CODES.items():
        assert SENTENCE.fullmatch(info.meaning), code
        assert not info.remedy or SENTENCE.fullmatch(info.remedy), code
        assert info.fates, code
        assert info.remedy or Fate.INVALID not in info.fates, code
        assert "|" not in info.meaning + info.remedy, f"{code}: the page is a table"


def test_the_page_is_up_to_date() -> None:
    run = [sys.executable, "-c", "import make_diagnostics_page as m; print(m.page(), end='')"]
    page = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT / "docs").stdout
    assert page == (ROOT / "docs" / "diagnostics.md").read_text(), (
        "run python docs/make_diagnostics_page.py"
    )
    assert sorted(re.findall(r"^\| `([a-z-]+\.[a-z-]+)` \|", page, re.MULTILINE)) == sorted(CODES)


def test_loading_and_exporting_do_not_need_the_registry() -> None:
    code = (
        "import sys, loaders, bridge, bridge.targets.mjcf, bridge.targets.pybullet; "
        "print(*sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert [name for name in run.stdout.split() if "diagnostic_codes" in name] == []
