"""convert, with the list of written files."""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import bridge
from bridge.cli.errors import UsageError
from bridge.cli.inputs import limits, load_scene, search, writing_to
from bridge.cli.options import export_options, stated_mjcf_option
from bridge.cli.output import Output
from bridge.output import CONTENT, Form, check_file, write_document
from bridge.targets.directives import folder as directives
from bridge.targets.mjcf import MjcfExport, stale_files
from bridge.targets.mjcf import folder as mjcf
from bridge.targets.mjcf.spec import CompiledModel, measure
from bridge.targets.sdf import document as sdf
from bridge.targets.urdf import document as urdf
from bridge.targets.xml import DOCUMENTS, is_named_as_file
from loaders.diagnostics import Diagnostic, Fate, without_repeats
from loaders.scene import Scene


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
        found[0] if len(found) == 1 else f"{folder}{os.sep}: {len(found)} files (-v lists them)"
        for folder, found in below.items()
    ]
    return [*beside, *counts]


_BESIDE = {"directives": "models"}
"""Suffix of the folder beside one file, by target, if it has more than assets."""
_EXPORTS: dict[str, Any] = {"mjcf": mjcf, "sdf": sdf, "urdf": urdf, "directives": directives}
_OF_ONE_TARGET: dict[str, dict[str, str]] = {
    "directives": {"models": "models"},
    "sdf": {"sdf_version": "version", "model_config": "model_config"},
    "urdf": {
        key: key
        for key in (
            "extensions",
            "joints",
            "frame_links",
            "couplings",
            "transmissions",
            "ros2_control",
            "meshes",
            "write_srdf",
        )
    },
}
"""Keyword of each option that applies to one target alone; the option is None if it is not
given.
"""
_FLAGS = {"couplings": "no-couplings", "transmissions": "no-transmissions"}


def target_of(options: Namespace, out: Path) -> str:
    """Return the target: the one that is asked for, else that of the suffix of the output, else
    MJCF.
    """
    return str(options.to or DOCUMENTS.get(suffix_of(out), "mjcf"))


def suffix_of(out: Path) -> str:
    """Return the suffix of an output that is one file, in lower case; empty if the output is a
    folder.

    Raises:
        UsageError: if the suffix is that of YAML, but not of directives, or that of a file that is
        not written.
    """
    name = out.name.lower()
    if name.endswith((".yaml", ".yml")) and not name.endswith((".dmd.yaml", ".dmd.yml")):
        raise UsageError(
            f"{out.name} is not named as Drake's directives are; expected a name such as "
            f"scene.dmd.yaml"
        )
    found = next((suffix for suffix in DOCUMENTS if name.endswith(suffix)), "")
    if not found and is_named_as_file(out):
        known = ", ".join(DOCUMENTS)
        raise UsageError(
            f"{out} has an unknown suffix; expected one of {known} for one file, or none for a "
            f"folder"
        )
    return found


def convert_document(options: Namespace, output: Output, scene: Scene, target: str) -> int:
    """Write SDFormat, URDF or directives.

    Args:
        options: The options of the command line.
        output: Where the result is reported.
        scene: The scene to write.
        target: ``sdf``, ``urdf`` or ``directives``.

    Returns:
        1 if ``--check`` finds the output out of date.

    Raises:
        ModelError: if the model cannot be exported.
        UsageError: if an option applies to MJCF alone, or an option that needs a folder is given
        for one file.
    """
    out = options.folder or options.out
    export, keywords = _EXPORTS[target], _keywords(options, target)
    as_file = bool(suffix_of(out))
    if options.check:
        if as_file:
            raise UsageError("--check compares a folder; expected a folder, not a file")
        stale = export.stale_files(scene, out, **keywords)
        show_stale(options, output, stale)
        return 1 if stale else 0
    if as_file and (options.meshes == "package" or options.write_srdf or options.model_config):
        raise UsageError(
            "--meshes package, --write-srdf and --model-config write a folder; expected one, not "
            "a file"
        )
    with writing_to(out):
        if as_file:
            files, diagnostics = write_as_file(options, scene, out, target, keywords)
        else:
            result = getattr(export, f"export_{target}")(
                scene, out, force=options.force, quiet=True, **keywords
            )
            files, diagnostics = [str(out / file) for file in result.files], result.diagnostics
    output.status("")
    _show_document(options, output, files, without_repeats((*scene.diagnostics, *diagnostics)))
    return 0


def keywords_of(options: Namespace, target: str) -> dict[str, Any]:
    """Return the keywords of the options that apply to one target.

    Args:
        options: The options of the command line.
        target: ``mjcf``, ``sdf`` or ``urdf``.

    Raises:
        UsageError: if an option applies to another target.
    """
    found: dict[str, Any] = {}
    for other, keywords in _OF_ONE_TARGET.items():
        given = {
            key: getattr(options, key) for key in keywords if getattr(options, key) is not None
        }
        if given and other != target:
            flag = next(iter(given)).replace("_", "-")
            flag = _FLAGS.get(flag, flag)
            raise UsageError(f"--{flag} applies to --to {other}; expected that, or no such option")
        found |= {keywords[key]: value for key, value in given.items()}
    return found


def _keywords(options: Namespace, target: str) -> dict[str, Any]:
    if flag := stated_mjcf_option(options, but=("inertia",)):
        raise UsageError(f"{flag} applies to MJCF; expected --to mjcf, or no such option")
    if options.inertia not in ("keep", "repair"):
        raise UsageError(
            f"--inertia {options.inertia} applies to MJCF; expected keep or repair for --to "
            f"{target}"
        )
    found = {"inertia": options.inertia, "strict": options.strict, **keywords_of(options, target)}
    return found | ({"limits": limits(options)} if options.limit else {})


def write_as_file(
    options: Namespace, scene: Scene, out: Path, target: str, keywords: dict[str, Any]
) -> tuple[list[str], Any]:
    """Write a document as one file, and the files that it refers to into a folder that is named
    after it.

    Args:
        options: The options of the command line.
        scene: The scene to write.
        out: The file.
        target: ``mjcf``, ``sdf``, ``urdf`` or ``directives``.
        keywords: Options of the export.

    Returns:
        The paths of the files, and the findings of the export.

    Raises:
        UsageError: if the file is named as directives are, and is none, or the other way round.
        OutputFolderError: if no export wrote the file or the folder in its place, or either was
        edited since.
    """
    suffix = suffix_of(out)
    if (DOCUMENTS[suffix] == "directives") is not (target == "directives"):
        raise UsageError(
            f"{out.name} has the suffix of {DOCUMENTS[suffix]}; expected that of {target}, or a "
            f"folder"
        )
    folder = out.with_name(f"{out.name[: -len(suffix)]}_{_BESIDE.get(target, 'assets')}")
    check_file(out, force=options.force)
    place = f"{folder.name}/{CONTENT}"
    text, assets, diagnostics = _EXPORTS[target].single_file(
        scene, assets=place, quiet=True, **keywords
    )
    form = Form.LINES if target == "directives" else Form.MARKUP
    files = write_document(out, text.encode(), folder, assets, form=form, force=options.force)
    return [str(file) for file in files], diagnostics


def _show_document(
    options: Namespace, output: Output, files: list[str], diagnostics: tuple[Any, ...]
) -> None:
    fates = Counter(entry.fate for entry in diagnostics)
    counts = {str(fate): fates[fate] for fate in Fate if fates[fate]}
    if options.json:
        output.json({"files": files, "fates": counts})
    else:
        show_files(output, files)
    output.diagnostics(diagnostics)
    losses = ", ".join(f"{count} {fate}" for fate, count in counts.items()) or "nothing lost"
    output.progress(f"read back and compared with the model: equal; {losses}")


def show_stale(options: Namespace, output: Output, stale: Iterable[str]) -> None:
    """Print the files of a folder that are out of date.

    Args:
        options: The options of the command line.
        output: Where they are printed.
        stale: The files.
    """
    if options.json:
        output.json({"stale": list(stale)})
    else:
        output.data_lines(stale)


def convert(options: Namespace, output: Output) -> int:
    """Write a folder of MJCF files that MuJoCo compiles, or another format, and summarize what was
    lost.

    Returns:
        1 if ``--check`` finds the folder out of date.

    Raises:
        ModelError: if the model cannot be read or exported; with ``--strict`` also if anything
            would be lost. Nothing is written in this case.
    """
    output.status(f"reading {options.file}")
    scene, folder = load_scene(options), options.folder or options.out
    target = target_of(options, folder)
    if target != "mjcf":
        return convert_document(options, output, scene, target)
    keywords_of(options, target)
    if suffix_of(folder):
        return _write_file(options, output, scene, folder)
    if options.check:
        return _check_folder(options, output, scene, folder)
    if options.collision_meshes == "decompose":
        output.progress("decomposing meshes; the first time this can take minutes")
    output.status(f"writing {folder}")
    with writing_to(folder):
        result = bridge.export_mjcf(
            scene,
            folder,
            force=options.force,
            quiet=True,
            **export_options(options),
            **search(options),
        )
    compiled = measure(result.model, scene, result.initial_key)
    output.status("")
    diagnostics = without_repeats((*scene.diagnostics, *result.diagnostics))
    _show(options, output, result, diagnostics, compiled, _filter_of(scene))
    return 0


def _write_file(options: Namespace, output: Output, scene: Scene, out: Path) -> int:
    if options.check:
        raise UsageError("--check compares a folder; expected a folder, not a file")
    with writing_to(out):
        files, diagnostics = write_as_file(
            options, scene, out, "mjcf", export_options(options) | search(options)
        )
    output.status("")
    fates = Counter(entry.fate for entry in diagnostics)
    if options.json:
        output.json(
            {"files": files, "fates": {str(fate): fates[fate] for fate in Fate if fates[fate]}}
        )
    else:
        show_files(output, files)
    output.diagnostics(without_repeats((*scene.diagnostics, *diagnostics)))
    losses = ", ".join(f"{count} {fate}" for fate, count in fates.items()) or "nothing lost"
    output.progress(f"compiled with MuJoCo; {losses}")
    return 0


def _check_folder(options: Namespace, output: Output, scene: Scene, folder: Path) -> int:
    stale = stale_files(scene, folder, quiet=True, **export_options(options), **search(options))
    output.status("")
    show_stale(options, output, stale)
    return 1 if stale else 0


def _show(
    options: Namespace,
    output: Output,
    result: MjcfExport,
    diagnostics: tuple[Diagnostic, ...],
    compiled: CompiledModel,
    remedy: str,
) -> None:
    files = [str(result.path.parent / file) for file in result.files]
    fates = Counter(entry.fate for entry in diagnostics)
    counts = {str(fate): fates[fate] for fate in Fate if fates[fate]}
    size = {"bodies": compiled.bodies, "joints": compiled.joints, "geoms": compiled.geoms}
    overlaps = [[*pair, depth] for pair, depth in compiled.overlaps.items()]
    error = compiled.pose_error
    if options.json:
        plain = {
            "files": files,
            "compiled": size,
            "worst_error": error,
            "overlaps": overlaps,
            "fates": counts,
        }
        output.json(plain)
    else:
        show_files(output, files)
    output.diagnostics(diagnostics)
    sizes = ", ".join(f"{count} {name}" for name, count in size.items())
    losses = ", ".join(f"{count} {fate}" for fate, count in counts.items()) or "nothing lost"
    output.progress(
        f"compiled with MuJoCo: {sizes}; largest error of a link pose {error:.1g} (m, rad); "
        f"{losses}; "
        f"see {result.path.parent / 'FIDELITY.md'}"
    )
    _show_overlaps(output, compiled.overlaps, remedy)


def _show_overlaps(output: Output, overlaps: dict[tuple[str, str], float], remedy: str) -> None:
    for (a, b), depth in list(overlaps.items())[:1]:
        output.progress(
            f"{len(overlaps)} pairs of links overlap initially and will push each other apart; "
            f"the deepest is {a} and "
            f"{b} with {depth:.2g} m; exclude pairs that must not collide with {remedy}"
        )


def _filter_of(scene: Scene) -> str:
    """Return what excludes pairs of links from contact in a file of the scene's format."""
    if scene.physics.engine == "mujoco":
        return "<exclude> in the file"
    if scene.source.lower().endswith((".urdf", ".xacro")):
        return "a file of MoveIt (--srdf)"
    return "<drake:collision_filter_group> in the model's file"
