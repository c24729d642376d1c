"""The tasks, functions of the caller, and their options."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import os
import pickle
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import loaders
from bridge.lowering.lower import report_overlaps
from bridge.lowering.transform import mechanism_of, split_options
from bridge.mechanism import Mechanism
from bridge.output import Form, write_folder, write_sealed
from bridge.robot_checks import check_robot
from bridge.rules import Selection, checked_codes, read_baseline
from bridge.targets.target import MJCF, Target, targets
from loaders import LoadOptions
from loaders.deferred import Deferred
from loaders.diagnostics import Diagnostics, ExportError, ModelError, limited
from loaders.limits import budgeted
from loaders.picture import picture
from loaders.text import check_flag, check_option_names, without_current_folder

from .inputs import manifest_file
from .results import BatchOutcome, summary
from .worker import digest_of

if TYPE_CHECKING:
    from bridge.parity.comparison import Comparison

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Place of an object in memory, which differs between runs."""


def name_of_function(function: Callable[..., Any]) -> str:
    """Return the name of a function, the same in every run."""
    return _ADDRESS.sub("", str(getattr(function, "__qualname__", function)))


def code_of(function: Callable[..., Any]) -> str:
    """Return a hash of the file that defines a function; empty if there is none."""
    whole = _unwrapped(function)
    with suppress(TypeError, OSError):
        file = inspect.getsourcefile(whole if inspect.isroutine(whole) else type(whole))
        return hashlib.sha256(Path(str(file)).read_bytes()).hexdigest()
    return ""


def modules_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the modules that a function needs: its own, or those that its script has imported."""
    whole = _unwrapped(function)
    module = str(getattr(whole, "__module__", None) or "")
    if module and module != "__main__":
        return (module,)
    names = getattr(whole, "__globals__", {}).values()
    return tuple(sorted({value.__name__ for value in names if isinstance(value, ModuleType)}))


def _unwrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of a partial one."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def file_of(source: str, base: Path) -> dict[str, str | None]:
    """Return the hash of a source that is a file, keyed by its path; nothing for other sources."""
    path = os.path.join(base, source)
    with suppress(ValueError):
        return {path: digest_of(path)} if os.path.isfile(path) else {}
    return {}


def pickled(call: tuple[Any, ...]) -> bytes:
    """Return a call as bytes; functions of a script, which has no name to import, need cloudpickle.

    Raises:
        TypeError: if the function or an argument cannot be pickled.
    """
    function = call[0]
    try:
        import cloudpickle as pickler
    except ImportError:
        pickler = pickle
        if getattr(_unwrapped(function), "__module__", "") == "__main__":
            raise TypeError(
                f"task {name_of_function(function)} is defined in the script itself; define it in "
                f"a module that can be "
                "imported, or install cloudpickle: pip install 'sdfbridge[batch]'"
            ) from None
    try:
        return bytes(pickler.dumps(call))
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise TypeError(
            f"task {name_of_function(function)} or its source cannot be pickled: {error}"
        ) from error


def value_of(data: bytes, *, is_stored: bool) -> dict[str, Any]:
    """Return the fields of a result that a value means: the value, or why it cannot be used.

    Args:
        data: The value, pickled.
        is_stored: Whether the value is written into a line of JSON.
    """
    try:
        value = pickle.loads(data)  # noqa: S301 - made by our own process
    except Exception as error:  # noqa: BLE001  (a class of the caller may raise anything)
        return {"outcome": BatchOutcome.ERROR, "detail": f"the value cannot be unpickled: {error}"}
    if is_stored:
        try:
            value = json.loads(json.dumps(value))
        except (TypeError, ValueError, RecursionError) as error:
            detail = (
                f"the value cannot be written as JSON: {error}; return numbers, text, lists "
                f"and dictionaries"
            )
            return {"outcome": BatchOutcome.ERROR, "detail": detail}
    return {"value": value}


_OTHERS: Mapping[str, frozenset[str]] = {
    "check": frozenset({"thumbnails", "ignore", "select", "baseline"}),
    "convert": frozenset({"thumbnails", "to"}),
    "compare": frozenset({
        "thumbnails", "engines", "levels", "seed", "configurations", "inertia", "overlaps",
        "exclude", "exclude_samples", "exclude_seed",
    }),
}  # fmt: skip
"""Names of the options of each task beside those of loading and of exports."""


def checked_options(task: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a task.

    Args:
        task: ``check``, ``convert`` or ``compare``; None for a function of the caller, which has
            none.
        options: The options.

    Raises:
        TypeError: if an option is unknown.
        ValueError: if a target, an engine, a level or the value of an option is unknown.
        EngineMissingError: if an engine is not installed.
    """
    others = _OTHERS.get(task or "", frozenset())
    kind = _target(options).options if task == "convert" else None
    of_export = {} if kind is None else kind.__dataclass_fields__
    if task == "compare":
        _check_choices(_several(options.get("engines")), _several(options.get("levels")))
    check_option_names(
        options, LoadOptions if task else None, {*others, *of_export}, excluded={"quiet"}
    )
    if task == "check":
        _selection(options)
    if kind is not None:
        split_options(kind, _without(options, others))  # refuses unknown values
    if "thumbnails" in options:
        check_flag("thumbnails", options["thumbnails"])
    return dict(options)


def _target(options: Mapping[str, Any]) -> Target:
    known = targets()
    name = options.get("to", MJCF.name)
    if name not in known:
        raise ValueError(f"unknown target {name!r}; expected one of: {', '.join(known)}")
    return known[name]


def _without(options: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}


_compare_engines: Callable[..., Any] = Deferred("bridge.parity:compare")


_check_choices: Callable[..., None] = Deferred("bridge.parity.comparison:check_choices")


def _several(words: Any) -> list[Any]:
    if words is None:
        return []
    return [word.strip() for word in words.split(",")] if isinstance(words, str) else list(words)


Fields = dict[str, Any]
"""Fields of `BatchResult`."""

_FIDELITY = "FIDELITY.md"
"""The report of an export, which a target of another package may lack."""
_OWN = frozenset({"to", "thumbnails", "force"})
"""Options of a batch that neither the load nor the export knows."""


def check(source: str, out: str, options: Mapping[str, Any]) -> Fields:
    """Read and lower a model.

    Args:
        source: The file, or a folder with ``model.config``.
        out: The output folder; empty if there is none.
        options: Options of `loaders.load`.
    """
    return _guarded(_check, source, out, options)


def convert(source: str, out: str, options: Mapping[str, Any]) -> Fields:
    """Write a model into a separate folder, ``models/NAME`` in the output folder.

    Args:
        source: The file, or a folder with ``model.config``.
        out: The output folder.
        options: Options of `loaders.load`; ``to``, the name of a target; and options of the export.
    """
    return _guarded(_convert, source, out, options)


def compare(source: str, out: str, options: Mapping[str, Any]) -> Fields:
    """Compare engines on a model; the report is in ``reports/NAME`` in the output folder.

    Args:
        source: The file, or a folder with ``model.config``.
        out: The output folder; empty if there is none.
        options: Options of `bridge.compare`.
    """
    return _guarded(_compare, source, out, options)


def _guarded(
    task: Callable[..., Fields], source: str, out: str, options: Mapping[str, Any]
) -> Fields:
    """Do a task; an error of the model is its result."""
    try:
        load_options = {
            key: value for key, value in options.items() if key in LoadOptions.__optional_keys__
        }
        unsafe = bool(load_options.get("unsafe_paths", False))
        path = manifest_file(Path(source), unsafe_paths=unsafe) if Path(source).is_dir() else source
        scene = loaders.load(path, **{**load_options, "quiet": True})
    except ModelError as error:
        return {
            "outcome": BatchOutcome.INVALID,
            "detail": _first(error),
            **summary(error.diagnostics),
        }
    try:
        drawn = ""
        # a check draws only on request: drawing takes longer than reading
        if out and options.get("thumbnails", task is not _check):
            force = options.get("force", False)
            drawn = _thumbnail(scene, name_of(source), out, force=force)
        return {
            "model": scene.name,
            "thumbnail": drawn,
            **task(scene, name_of(source), out, options),
        }
    except ExportError as error:
        refused = {"outcome": BatchOutcome.REFUSED, "detail": _first(error), "model": scene.name}
        return refused | summary((*scene.diagnostics, *error.diagnostics))


def _thumbnail(scene: loaders.Scene, name: str, out: str, *, force: bool) -> str:
    """Draw a model without an engine; return the path of the picture, empty if there is nothing to
    draw.
    """
    drawn = picture(scene)
    if drawn is None:
        return ""
    write_sealed(
        Path(out) / "thumbnails" / f"{name}.png", drawn, Form.PNG, force=force, make_folder=True
    )
    return f"thumbnails/{name}.png"


def _first(error: ModelError) -> str:
    first = next(
        (entry for entry in error.diagnostics if entry.severity == "error"), error.diagnostics[0]
    )
    return f"{without_current_folder(first.message)} [{first.code}]"


def _size(mechanism: Mechanism) -> dict[str, int]:
    scene = mechanism.scene
    return {"links": len(scene.links), "joints": len(scene.joints), "dofs": len(mechanism.v_order)}


def _check(scene: loaders.Scene, name: str, _out: str, options: Mapping[str, Any]) -> Fields:
    meshes = Diagnostics()
    with (
        budgeted(options.get("limits"), lenient=options.get("lenient", False)),
        limited(meshes, name),
    ):
        mechanism = mechanism_of(scene)
        report_overlaps(mechanism, mechanism.default_policy, meshes)
        check_robot(mechanism, meshes)
    selection = _selection(options)
    entries = (*scene.diagnostics, *mechanism.diagnostics, *meshes)
    found = summary(selection.split(scene.source, entries)[0])
    is_strict = options.get("strict") or selection.known is not None
    refused = ("error", "warning") if is_strict else ("error",)
    is_invalid = any(found["severities"].get(severity) for severity in refused)
    outcome = BatchOutcome.INVALID if is_invalid else BatchOutcome.VALID
    return {"outcome": outcome, "size": _size(mechanism), **found}


def _selection(options: Mapping[str, Any]) -> Selection:
    """Return the choice of the findings of ``check``.

    Raises:
        ValueError: if a code is unknown, or the baseline cannot be read.
    """
    baseline = options.get("baseline")
    return Selection(
        checked_codes(_several(options.get("select"))),
        checked_codes(_several(options.get("ignore"))),
        None if baseline is None else read_baseline(baseline),
    )


def _convert(scene: loaders.Scene, name: str, out: str, options: Mapping[str, Any]) -> Fields:
    own = _without(options, _OWN | (LoadOptions.__optional_keys__ - {"strict"}))
    mechanism = mechanism_of(scene)
    folder = Path(out) / "models" / name
    result = _target(options).export(
        scene, folder, quiet=True, force=options.get("force", False), **own
    )
    found = summary((*scene.diagnostics, *result.diagnostics))
    report = f"models/{name}/{_FIDELITY}" if _FIDELITY in result.files else ""
    return {"outcome": BatchOutcome.CONVERTED, "size": _size(mechanism), "report": report, **found}


def _compare(scene: loaders.Scene, name: str, out: str, options: Mapping[str, Any]) -> Fields:
    own = {key: value for key, value in options.items() if key not in _OWN}
    comparison: Comparison = _compare_engines(scene, **own)
    found = summary((*scene.diagnostics, *comparison.diagnostics))
    report = (
        _write_report(comparison, Path(out), name, force=options.get("force", False)) if out else ""
    )
    first = next(iter(comparison.failures), None)
    where = f" at {first.where}" if first is not None and first.where else ""
    detail = "" if first is None else f"{first.quantity}{where}: {first.error:.1e}"
    size = _size(mechanism_of(scene))
    return {
        "outcome": BatchOutcome(comparison.verdict),
        "detail": detail,
        "size": size,
        "report": report,
        **found,
    }


def _write_report(comparison: Comparison, out: Path, name: str, *, force: bool) -> str:
    """Write the report of a comparison, without HTML where jinja2 or matplotlib is missing; return
    its main file.
    """
    folder = out / "reports" / name
    with suppress(ImportError):
        comparison.to_folder(folder, force=force)
        return f"reports/{name}/{comparison.report_name}"
    write_folder(folder, comparison.files(), force=force)
    return f"reports/{name}/results.json"


def name_of(source: str) -> str:
    """Return the name of a model's folder: readable, safe in any file system, and different for
    different sources.
    """
    words = [word for word in re.split(r"[^A-Za-z0-9_-]+", source) if word]
    readable = "-".join(words[-3:])[-60:].strip("-") or "model"
    return f"{readable}-{hashlib.sha256(source.encode(errors='surrogatepass')).hexdigest()[:8]}"


TASKS: Mapping[str, Callable[[str, str, Mapping[str, Any]], Fields]] = {
    "check": check,
    "convert": convert,
    "compare": compare,
}
_READERS = (
    "bridge.batches.tasks", "loaders.urdf.reader", "loaders.sdf.reader", "loaders.mjcf.reader",
    "loaders.drake.directives", "trimesh", "collada", "yaml", "mujoco",
)  # fmt: skip
MODULES: Mapping[str, tuple[str, ...]] = {
    "check": (*_READERS, "bridge.robot_checks"),
    "convert": _READERS,
    "compare": (*_READERS, "bridge.parity", "pybullet", "jinja2"),
}
"""Modules that the warm process of each task imports: each fork would import them again."""
