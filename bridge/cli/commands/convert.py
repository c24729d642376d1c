"""convert, with the list of written files."""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.cli.errors import UsageError
from bridge.cli.inputs import limits, load_scene, writing_to
from bridge.cli.options import flags_of, target_options
from bridge.cli.output import Output
from bridge.lowering.transform import mechanism_of
from bridge.output import Form, check_file, write_document
from bridge.robot_checks import doubts, is_doubt
from bridge.targets.mjcf import MjcfExport
from bridge.targets.mjcf.spec import measure
from bridge.targets.target import MJCF, Target, targets
from bridge.targets.xml import is_named_as_file
from loaders.diagnostics import Fate, without_repeats
from loaders.scene import Scene
from loaders.text import counted


def show_files(output: Output, files: Sequence[str]) -> None:
    """Print the files that the verbosity admits: none if only errors are printed, all if everything
    is.

    Args:
        output: Where they are printed.
        files: The paths of all files that were written.
    """
    if output.verbosity >= 0:
        output.data_lines(files if output.verbosity > 0 else in_short(files))


def in_short(files: Sequence[str]) -> list[str]:
    """Return the files in the uppermost folder, then the number of files in each folder below it.

    A folder with one file is shown as this file.

    Args:
        files: The paths of all files that were written.
    """
    if not files:
        return []
    top = Path(os.path.commonpath([os.path.dirname(file) or os.curdir for file in files]))
    beside, below = [], dict[Path, list[str]]()
    for file in files:
        parts = Path(file).relative_to(top).parts if top != Path(os.curdir) else Path(file).parts
        if len(parts) == 1:
            beside.append(file)
        else:
            below.setdefault(top / parts[0], []).append(file)
    counts = [
        found[0]
        if len(found) == 1
        else f"{folder}{os.sep}: {counted(len(found), 'file')} (-v lists them)"
        for folder, found in below.items()
    ]
    return [*beside, *counts]


def suffix_of(out: Path, known: Mapping[str, Target]) -> str:
    """Return the suffix of an output that is one file, in lower case; empty if the output is a
    folder.

    Args:
        out: The output.
        known: The targets.

    Raises:
        UsageError: if the suffix is that of YAML, but not of directives, or that of a file that is
        not written.
    """
    name = out.name.lower()
    suffixes = [suffix for target in known.values() for suffix in target.suffixes]
    found = next((suffix for suffix in suffixes if name.endswith(suffix)), "")
    if not found and name.endswith((".yaml", ".yml")):
        raise UsageError(
            f"{out.name} is not named as Drake's directives are; expected a name such as "
            f"scene.dmd.yaml"
        )
    if not found and is_named_as_file(out):
        raise UsageError(
            f"{out} has an unknown suffix; expected one of {', '.join(suffixes)} for one file, or "
            f"none for a folder"
        )
    return found


def convert(options: Namespace, output: Output) -> int:
    """Write a folder or a file of a target that reads back or compiles, and summarize what was
    lost.

    Returns:
        1 if ``--check`` finds the folder out of date.

    Raises:
        ModelError: if the model cannot be read or exported; with ``--strict`` also if anything
            would be lost. Nothing is written in this case.
        UsageError: if an option applies to another target, or an option that needs a folder is
            given for one file.
    """
    output.status(f"reading {options.file}")
    scene, out, known = load_scene(options), options.folder or options.out, targets()
    suffix = suffix_of(out, known)
    of_suffix = next((found for found in known.values() if suffix in found.suffixes), MJCF)
    target = known[options.to] if options.to else of_suffix
    keywords = target_options(options, target, known) | {"strict": options.strict}
    if options.limit:
        keywords["limits"] = limits(options)
    if suffix:
        _check_single_file(options, out, target, of_suffix)
    if options.check:
        return _check_folder(options, output, target.stale_files(scene, out, **keywords))
    asked = (keywords.get("collision_meshes"), *(keywords.get("shapes") or {}).values())
    if "decompose" in asked:
        output.progress("decomposing meshes; the first time this can take minutes")
    output.status(f"writing {out}")
    with writing_to(out):
        if suffix:
            place = out.with_name(f"{out.name[: -len(suffix)]}_{target.beside}")
            files, diagnostics = _write_as_file(options, scene, target, out, place, keywords)
            result = None
        else:
            result = target.export(scene, out, force=options.force, quiet=True, **keywords)
            files, diagnostics = [str(out / file) for file in result.files], result.diagnostics
    found = doubts(mechanism_of(scene), limits(options))
    shown = without_repeats((*scene.diagnostics, *diagnostics, *found))
    if isinstance(result, MjcfExport):
        _show_compiled(options, output, scene, result, files, shown)
    else:
        _show(options, output, files, shown, {}, target.check)
    return 0


def _check_single_file(options: Namespace, out: Path, target: Target, of_suffix: Target) -> None:
    """Refuse one file where a folder is needed, and YAML that is named as XML or the other way
    round.
    """
    if options.check:
        raise UsageError("--check compares a folder; expected a folder, not a file")
    if target.single_files is None:
        raise UsageError(f"--to {target.name} writes a folder; expected one, not a file")
    for entry in flags_of(target):
        value = getattr(options, entry.key)
        if value in entry.of_folder:
            stated = entry.flag if value is True else f"{entry.flag} {value}"
            raise UsageError(f"{stated} writes a folder; expected one, not a file")
    if target.is_yaml is not of_suffix.is_yaml:
        raise UsageError(
            f"{out.name} has the suffix of {of_suffix.name}; expected that of {target.name}, or a "
            f"folder"
        )


def _write_as_file(
    options: Namespace,
    scene: Scene,
    target: Target,
    out: Path,
    place: Path,
    keywords: Mapping[str, Any],
) -> tuple[list[str], tuple[Any, ...]]:
    """Write a document as one file, and the files that it refers to into a folder.

    Args:
        options: The options of the command line.
        scene: The scene to write.
        target: The target.
        out: The file.
        place: The folder.
        keywords: Options of the export.

    Returns:
        The paths of the files, and the findings of the export.

    Raises:
        OutputFolderError: if no export wrote the file or the folder in its place, or either was
        edited since.
    """
    check_file(out, force=options.force)
    text, assets, diagnostics = target.single_file(scene, assets=place.name, quiet=True, **keywords)
    form = Form.LINES if target.is_yaml else Form.MARKUP
    files = write_document(out, text.encode(), place, assets, form=form, force=options.force)
    return [str(file) for file in files], diagnostics


def _check_folder(options: Namespace, output: Output, stale: Sequence[str]) -> int:
    """Print the files of a folder that are out of date; return 1 if there are any."""
    output.status("")
    if options.json:
        output.json({"stale": list(stale)})
    else:
        output.data_lines(stale)
    return 1 if stale else 0


def _show(
    options: Namespace,
    output: Output,
    files: list[str],
    diagnostics: tuple[Any, ...],
    about: Mapping[str, Any],
    check: str,
    more: str = "",
) -> None:
    """Print the files, the findings and the summary.

    Args:
        options: The options of the command line.
        output: Where they are printed.
        files: The paths of the files.
        diagnostics: The findings of the reader, of the export, and about the robot.
        about: Further entries of the report as JSON.
        check: What was done with the files, the beginning of the summary.
        more: The end of the summary.
    """
    fates = Counter(entry.fate for entry in diagnostics if not is_doubt(entry))
    counts = {str(fate): fates[fate] for fate in Fate if fates[fate]}
    losses = ", ".join(f"{count} {fate}" for fate, count in counts.items()) or "nothing lost"
    output.progress(f"{check}; {losses}{more}")
    output.diagnostics(diagnostics)
    if options.json:
        output.json({"files": files, **about, "fates": counts})
    else:
        show_files(output, files)


def _show_compiled(
    options: Namespace,
    output: Output,
    scene: Scene,
    result: MjcfExport,
    files: list[str],
    diagnostics: tuple[Any, ...],
) -> None:
    """Print the result of an export to MJCF, with what MuJoCo's compiled model has."""
    plain = None if result.compiled is None else result.compiled.plain
    compiled = measure(plain, scene, result.initial_key)
    size = {"bodies": compiled.bodies, "joints": compiled.joints, "geoms": compiled.geoms}
    about = {
        "compiled": size,
        "worst_error": compiled.pose_error,
        "overlaps": [[*pair, depth] for pair, depth in compiled.overlaps.items()],
    }
    sizes = ", ".join(f"{count} {name}" for name, count in size.items())
    check = (
        f"{MJCF.check}: {sizes}; largest error of a link pose {compiled.pose_error:.1g} (m, rad)"
    )
    more = f"; see {result.path.parent / 'FIDELITY.md'}"
    _show(options, output, files, diagnostics, about, check, more)
