"""``sdfbridge view``: show models in a web browser, or one in MuJoCo's viewer."""

from __future__ import annotations

import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import bridge
from bridge.cli.errors import MISSING, CommandError, UsageError
from bridge.cli.inputs import expand, limits, load_scene, search
from bridge.cli.options import given_flags, target_options
from bridge.cli.output import Output
from bridge.lowering.lower import report_overlaps
from bridge.output import check_file, scratch_folder
from bridge.targets.target import MJCF
from bridge.viewer import Viewer
from loaders.diagnostics import Diagnostics, limited, without_repeats
from loaders.limits import budgeted


def view(options: Namespace, output: Output) -> int:
    """Show the models, and wait until the window is closed or the command is interrupted.

    Raises:
        CommandError: if MuJoCo's viewer is asked for and there is no display.
        UsageError: if MuJoCo's viewer is asked for several files, or a browser for an option of
        MJCF.
    """
    if options.browser or options.html or options.motion:
        if given := given_flags(options, MJCF):
            raise UsageError(
                f"{given[0].flag} applies to MuJoCo's viewer; expected no --browser and --html, "
                f"or no such option"
            )
        return _view_in_browser(options, output)
    if options.others:
        raise UsageError("MuJoCo's viewer shows one file; add --browser to see several")
    if not _has_display():
        advice = "use --browser, or sdfbridge convert to write the model"
        raise CommandError(f"MuJoCo's viewer needs a display; {advice}", MISSING)
    output.status(f"reading {options.file}")
    scene = load_scene(options)
    with scratch_folder() as folder:
        result = bridge.export_mjcf(
            scene,
            folder / "view",
            quiet=True,
            strict=options.strict,
            **target_options(options, MJCF, {}),
            **search(options),
        )
        output.status("")
        output.diagnostics(without_repeats((*scene.diagnostics, *result.diagnostics)))
        _open_viewer(result.path.parent / "scene.xml", result.initial_key)
    return 0


def _view_in_browser(options: Namespace, output: Output) -> int:
    """Serve the models to a browser, or write them as a page."""
    mechanisms = []
    if options.html:
        check_file(options.html, force=options.force)
    for file in expand([options.file, *options.others], xacro=options.xacro):
        output.status(f"reading {file}")
        mechanisms.append(bridge.lower(load_scene(options, file)))
    findings = Diagnostics()
    for mechanism in mechanisms:
        findings.extend((*mechanism.scene.diagnostics, *mechanism.diagnostics))
        with budgeted(limits(options)), limited(findings, mechanism.scene.source):
            report_overlaps(mechanism, mechanism.default_policy, findings)
    output.diagnostics(without_repeats(findings))
    with _viewer(options, mechanisms) as viewer:
        if options.html:
            file = os.fspath(viewer.to_html(options.html, force=options.force))
            _show(options, output, file, {"files": [file]})
            return 0
        with suppress(KeyboardInterrupt):  # from the moment at which the address is known
            output.progress("press Ctrl-C to end")
            _show(options, output, viewer.url, {"url": viewer.url})
            sys.stdout.flush()
            if not options.no_open:
                viewer.open()
            viewer.wait()
    return 0


def _viewer(options: Namespace, mechanisms: Sequence[bridge.Mechanism]) -> Viewer:
    """Return a viewer of the models, or of the motion of one in several simulators.

    Raises:
        UsageError: if the motion of several models is asked for.
    """
    port = 0 if options.html else options.port
    if options.motion is None:
        return bridge.view(*mechanisms, port=port, overlay=options.overlay)
    if len(mechanisms) != 1:
        raise UsageError("--motion shows one model in several simulators; expected one file")
    return bridge.view_motion(
        mechanisms[0], options.engines, seconds=options.motion, overlay=options.overlay, port=port
    )


def _show(options: Namespace, output: Output, text: str, data: dict[str, object]) -> None:
    if options.json:
        output.json(data)
    else:
        output.data(text)


def _has_display() -> bool:
    """Return whether a window can be opened; without a display MuJoCo's viewer would end the
    process.
    """
    import glfw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(glfw.init())


def _open_viewer(path: Path, initial_key: int | None) -> None:
    """Show the scene at the key of its initial position, or at the zero configuration if there is
    none.
    """
    import mujoco
    import mujoco.viewer

    model = mujoco.MjModel.from_xml_path(os.fspath(path))
    data = mujoco.MjData(model)
    if initial_key is not None:
        mujoco.mj_resetDataKeyframe(model, data, initial_key)
    mujoco.viewer.launch(model, data)
