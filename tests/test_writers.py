"""Every file that the project writes goes through `bridge.output`: no other module calls what
writes or moves.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.support.source_tree import NAMES, tree

ANYWHERE = {
    "write_text",
    "write_bytes",
    "mkdir",
    "makedirs",
    "mkstemp",
    "mkdtemp",
    "NamedTemporaryFile",
    "TemporaryDirectory",
    "TemporaryFile",
    "SpooledTemporaryFile",
    "renames",
    "unlink",
    "rmdir",
    "rmtree",
    "removedirs",
    "touch",
    "symlink_to",
    "hardlink_to",
    "symlink",
    "copyfile",
    "copytree",
    "copy2",
    "chmod",
    "truncate",
    "tofile",
    "savetxt",
    "savez",
    "savez_compressed",
    "save",
    "savefig",
    "export",
    "mj_saveModel",
    "mj_saveLastXML",
    "to_file",
    "fdopen",
    "mkfifo",
    "utime",
}
"""Names of functions and methods that write, whatever their module or object is."""
OF_OS = {"open", "remove", "replace", "link", "rename"}
"""Functions of `os` that write and share their name with others."""
WRITING_MODES = set("wax+")

ALLOWED = (
    ("bridge/targets/pybullet/mesh.py", "remove", "its own scratch files"),
    ("bridge/stdout_capture.py", "TemporaryFile", "it has no name and ends with the process"),
    ("bridge/stdout_capture.py", "fdopen", "a stream in memory"),
    ("bridge/parity/engines/pybullet/native_worker.py", "fdopen", "its standard output"),
    ("bridge/parity/engines/dart/worker.py", "fdopen", "its standard output"),
    ("bridge/batches/server.py", "open", "the null device"),
    ("bridge/batches/server.py", "fdopen", "a pipe, for reading"),
    ("bridge/cli/output.py", "open", "the null device, after the reader of the output has gone"),
    ("bridge/cli/__init__.py", "open", "the null device, in the place of a closed output"),
    ("loaders/files/read_file.py", "open", "for reading"),
    ("bridge/geometry/cache.py", "open", "for reading"),
    (
        "bridge/demo_worker.py",
        "savez",
        "into the scratch folder of the process that starts it",
    ),
    ("bridge/demo.py", "savez", "into a scratch folder"),
    (
        "bridge/cli/commands/convert.py",
        "export",
        "the function of a target, which uses bridge/output",
    ),
    ("bridge/batches/tasks.py", "export", "the function of a target, which uses bridge/output"),
    ("bridge/demo.py", "mj_saveModel", "into a scratch folder"),
    ("bridge/demo.py", "savefig", "into memory"),
    ("bridge/geometry/convex_decomposition.py", "savez", "into a scratch folder"),
    ("loaders/files/images.py", "save", "into memory"),
    ("bridge/geometry/mesh.py", "save", "into memory"),
    ("bridge/geometry/collision_shapes.py", "savez", "into memory"),
    ("bridge/geometry/textures.py", "save", "into memory"),
    ("bridge/targets/pybullet/body.py", "save", "into memory"),
    ("loaders/picture.py", "save", "into memory"),
    ("loaders/meshes/mesh_data.py", "save", "into memory"),
    ("bridge/viewer/viewer.py", "save", "into memory"),
    ("bridge/viewer/viewer.py", "touch", "draws contacts"),
    ("bridge/parity/touching.py", "touch", "lets balls touch a model"),
    ("loaders/mjcf/geom.py", "save", "into memory"),
    (
        "loaders/files/fuel.py",
        "TemporaryDirectory",
        "into the cache of Fuel, for a download that is asked for",
    ),
    ("loaders/files/fuel.py", "mkdir", "into the cache of Fuel, for a download that is asked for"),
    ("loaders/files/fuel.py", "open", "into the cache of Fuel, for a download that is asked for"),
    ("loaders/files/fuel.py", "rmtree", "what killed downloads left in the cache of Fuel"),
    ("loaders/files/fuel.py", "rename", "into the cache of Fuel, for a download that is asked for"),
    ("bridge/cli/commands/info.py", "savefig", "into memory"),
    ("bridge/parity/report/report.py", "savefig", "into memory"),
)
"""Calls outside of `bridge.output`, each with the reason why it writes no file that lasts."""


def writing_calls(nodes: Iterator[ast.AST]) -> set[str]:
    """Names of the calls that may write."""
    return {name for node in nodes if isinstance(node, ast.Call) for name in _writes(node)}


def _writes(call: ast.Call) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if (
        name in ANYWHERE
        or (owner == "os" and name in OF_OS)
        or (
            name == "open"
            and any(isinstance(mode, str) and WRITING_MODES & set(mode) for mode in _modes(call))
        )
    ):
        yield name
    elif name in {"replace", "rename"} and owner and len(call.args) == 1 and owner != "dataclasses":
        yield f"Path.{name}"


def _modes(call: ast.Call) -> Iterator[object]:
    """The literal words of a call of `open` that may be its mode; an expression counts as any
    mode.
    """
    words = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    for word in words[1:] if isinstance(call.func, ast.Name) else words:
        if isinstance(word, ast.Constant) and isinstance(word.value, str) and len(word.value) < 4:
            yield word.value


def test_no_other_module_writes_a_file() -> None:
    names = [name for name in NAMES if not name.startswith("bridge/output/")]
    found = {(name, call) for name in names for call in writing_calls(ast.walk(tree(name)))}
    assert found == {(name, call) for name, call, _ in ALLOWED}


@pytest.mark.parametrize(
    "code",
    [
        "open('f', 'w')", "open('f', mode='ab')", "path.open('xb')", "path.write_text('')", "os.open('f', 1)",
        "np.save('f', a)", "os.replace('a', 'b')", "draft.replace(path)", "tempfile.mkdtemp()", "image.save('f')",
    ],
)  # fmt: skip
def test_the_test_sees_what_writes(code: str) -> None:
    assert writing_calls(ast.walk(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "open('f')",
        "open('f', 'rb')",
        "path.open()",
        "text.replace('a', 'b')",
        "replace(scene, name='a')",
    ],
)
def test_the_test_does_not_see_what_reads(code: str) -> None:
    assert not writing_calls(ast.walk(ast.parse(code)))
