"""doctor, completion and demo."""

from __future__ import annotations

import platform
from argparse import Action, Namespace

from bridge.cli.errors import MISSING, CommandError
from bridge.cli.inputs import writing_to
from bridge.cli.output import Output
from bridge.cli.parser import make_parser, subparsers_of
from bridge.cli.scene_text import tree
from bridge.demo.demo import Demo, run_demo
from bridge.installed_packages import version_of
from bridge.lowering import lower
from bridge.parity import EngineMissingError, engine_names

from .compare import exit_status, show_comparison


def completion(options: Namespace, output: Output) -> int:
    """Print the script; the documentation says where each shell expects it."""
    import shtab

    parser = make_parser()
    for subparser in subparsers_of(parser).values():
        for action in subparser._actions:
            kind = _kind(action)
            if kind:
                vars(action)["complete"] = getattr(shtab, kind)
    script = shtab.complete(parser, options.shell)
    if options.json:
        output.json({"shell": options.shell, "script": script})
    else:
        output.data(script)
    return 0


def _kind(action: Action) -> str:
    """Return the name of shtab's completion of the action's value: a file, a folder, or none."""
    if action.choices:
        return ""
    if action.metavar == "DIR":
        return "DIRECTORY"
    return "FILE" if action.dest in {"file", "files"} or action.metavar == "FILE" else ""


def demo(options: Namespace, output: Output) -> int:
    """Convert, draw and compare the bundled arm.

    Returns:
        0 only if the simulators are equivalent.

    Raises:
        CommandError: if a simulator is not installed.
    """
    result = _run(options, output)
    if options.json:
        output.json({"files": list(map(str, result.files)), **result.comparison.to_dict()})
    else:
        show_comparison(result.comparison, output, result.comparison.command)
        output.data(tree(lower(result.scene)))
        output.data("\n".join(map(str, result.files)))
    for note in result.notes:
        output.progress(note)
    output.progress("\n".join(["try next:", *(f"  {step}" for step in result.next_steps)]))
    return exit_status(result.comparison.verdict, strict=True)


def _run(options: Namespace, output: Output) -> Demo:
    folder = options.folder or options.out
    try:
        with writing_to(folder):
            return run_demo(folder, progress=output.progress, force=options.force)
    except EngineMissingError as error:
        raise CommandError(str(error), MISSING) from error


_ENGINES = ("mujoco", "pybullet", "drake", "dartpy")
_LIBRARIES = ("numpy", "lxml", "trimesh")
_OF_EXTRAS = (
    "cloudpickle", "coacd", "dask", "distributed", "jinja2", "matplotlib", "viser", "xacro",
)  # fmt: skip
_MODELS = ("robot_descriptions",)
_PACKAGES = (*_ENGINES, *_LIBRARIES, *_OF_EXTRAS, *_MODELS)


def doctor(options: Namespace, output: Output) -> int:
    """Print the versions of Python, sdfbridge and the packages that it uses.

    Returns:
        3 if MuJoCo or PyBullet is missing.
    """
    versions: dict[str, str | None] = {"python": platform.python_version()}
    versions |= {name: version_of(name) for name in ("sdfbridge", *_PACKAGES)}
    if options.json:
        output.json({"versions": versions, "engines": list(engine_names())})
    else:
        output.table(
            ("package", "version"),
            [(name, text or "not installed") for name, text in versions.items()],
        )
    return 0 if versions["mujoco"] and versions["pybullet"] else 3
