"""``sdfbridge convert``: write a model as MJCF, SDFormat, URDF or Drake directives."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from pathlib import Path

import bridge
from bridge.cli.errors import UsageError
from bridge.cli.inputs import load_scene, search, writing_to
from bridge.cli.options import export_options
from bridge.cli.output import Output
from bridge.cli.reports.written_files import show_files
from bridge.mjcf import MjcfExport, stale_files
from bridge.mjcf.export.compiled_model import CompiledModel, measure
from loaders.diagnostics import Diagnostic, Fate, without_repeats
from loaders.scene import Scene

from .convert_documents import convert_document, keywords_of, show_stale, suffix_of, target_of, write_as_file


def convert(options: Namespace, output: Output) -> int:
    """Write a folder of MJCF files that MuJoCo compiles, or another format, and summarize what was lost.

    Returns:
        1 if ``--check`` finds the folder out of date.

    Raises:
        ModelError: if the model cannot be read or exported; with ``--strict`` also if anything would be lost. Nothing
            is written in this case.
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
            scene, folder, force=options.force, quiet=True, **export_options(options), **search(options)
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
        files, diagnostics = write_as_file(options, scene, out, "mjcf", export_options(options) | search(options))
    output.status("")
    fates = Counter(entry.fate for entry in diagnostics)
    if options.json:
        output.json({"files": files, "fates": {str(fate): fates[fate] for fate in Fate if fates[fate]}})
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
        plain = {"files": files, "compiled": size, "worst_error": error, "overlaps": overlaps, "fates": counts}
        output.json(plain)
    else:
        show_files(output, files)
    output.diagnostics(diagnostics)
    sizes = ", ".join(f"{count} {name}" for name, count in size.items())
    losses = ", ".join(f"{count} {fate}" for fate, count in counts.items()) or "nothing lost"
    output.progress(
        f"compiled with MuJoCo: {sizes}; largest error of a link pose {error:.1g} (m, rad); {losses}; "
        f"see {result.path.parent / 'FIDELITY.md'}"
    )
    _show_overlaps(output, compiled.overlaps, remedy)


def _show_overlaps(output: Output, overlaps: dict[tuple[str, str], float], remedy: str) -> None:
    for (a, b), depth in list(overlaps.items())[:1]:
        output.progress(
            f"{len(overlaps)} pairs of links overlap initially and will push each other apart; the deepest is {a} and "
            f"{b} with {depth:.2g} m; exclude pairs that must not collide with {remedy}"
        )


def _filter_of(scene: Scene) -> str:
    """Return what excludes pairs of links from contact in a file of the scene's format."""
    if scene.physics.engine == "mujoco":
        return "<exclude> in the file"
    if scene.source.lower().endswith((".urdf", ".xacro")):
        return "a file of MoveIt (--srdf)"
    return "<drake:collision_filter_group> in the model's file"
