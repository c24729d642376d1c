"""doctor, completion and demo."""

from __future__ import annotations

import platform
from argparse import Action, Namespace

from bridge.cli.commands.info import tree
from bridge.cli.errors import MISSING, CommandError
from bridge.cli.inputs import writing_to
from bridge.cli.output import Output
from bridge.cli.parser import make_parser, subparsers_of
from bridge.demo import Demo, run_demo
from bridge.installed_packages import INSTALL_PYBULLET, REFUSED, refusal_of, version_of
from bridge.lowering import lower
from bridge.parity import EngineMissingError, engine_names
from loaders.files.robot_descriptions import robot_names

from .compare import exit_status, show_comparison


def completion(options: Namespace, output: Output) -> int:
    """Print the script; the documentation says where each shell expects it.

    Raises:
        ImportError: if shtab is not installed.
    """
    try:
        import shtab
    except ImportError as error:
        message = "shtab is not installed; try: pip install 'sdfbridge[completion]'"
        raise ImportError(message) from error

    parser = make_parser()
    for subparser in subparsers_of(parser).values():
        for action in subparser._actions:
            kind = _kind(action)
            if kind:
                is_model = action.dest in _MODEL_ARGUMENTS
                own = {"bash": _COMPLETER, "zsh": _COMPLETER} if is_model else {}
                vars(action)["complete"] = getattr(shtab, kind) | own
    preamble = _COMPLETE_MODELS.get(options.shell, "").replace("ROBOTS", " ".join(robot_names()))
    script = shtab.complete(parser, options.shell, preamble=preamble)
    if options.json:
        output.json({"shell": options.shell, "script": script})
    else:
        output.data(script)
    return 0


_MODEL_ARGUMENTS = ("file", "files")
_COMPLETER = "_sdfbridge_models"
"""Function of the shells that completes an argument that is a model."""
_COMPLETE_MODELS = {
    "bash": """
# files, and the robots of installed packages; bash splits their names at the colon
_sdfbridge_models() {
  local robots="ROBOTS" scheme="${COMP_WORDS[COMP_CWORD-2]}"
  case "$1" in
    //*) compgen -W "$robots" -- "$scheme:$1" | cut -d: -f2- ;;
    :) compgen -W "$robots" -- "${COMP_WORDS[COMP_CWORD-1]}:" | cut -d: -f2- ;;
    *) compgen -f -- "$1"; compgen -W "$robots" -- "$1" ;;
  esac
}
""",
    "zsh": """
_sdfbridge_models() {
  local -a robots=(ROBOTS)
  _files
  compadd -a robots
}
""",
}
"""Definition of this function, with ROBOTS in place of the names."""


def _kind(action: Action) -> str:
    """Return the name of shtab's completion of the action's value: a file, a folder, or none."""
    if action.choices:
        return ""
    if action.metavar == "DIR":
        return "DIRECTORY"
    return "FILE" if action.dest in _MODEL_ARGUMENTS or action.metavar == "FILE" else ""


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
        output.outline(tree(lower(result.scene)))
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
    "cloudpickle", "coacd", "dask", "distributed", "jinja2", "matplotlib", "rich", "shtab", "viser",
    "xacro",
)  # fmt: skip
_MODELS = ("robot_descriptions", "example-robot-data", "mujoco_menagerie")
_PACKAGES = (*_ENGINES, *_LIBRARIES, *_OF_EXTRAS, *_MODELS)


def doctor(options: Namespace, output: Output) -> int:
    """Print the versions of Python, sdfbridge and the packages that it uses, and the versions that
    are refused.

    Returns:
        3 if MuJoCo or PyBullet is missing, or of a refused version.
    """
    versions: dict[str, str | None] = {"python": platform.python_version()}
    versions |= {name: version_of(name) for name in ("sdfbridge", *_PACKAGES)}
    refused = {f"{name} {version}": reason for (name, version), reason in REFUSED.items()}
    if options.json:
        output.json({"versions": versions, "engines": list(engine_names()), "refused": refused})
    else:
        output.table(
            ("package", "version"),
            [(name, text or "not installed") for name, text in versions.items()],
        )
        for version, reason in refused.items():
            output.prose([f"version that is refused: {version} ({reason})"])
        if not versions["pybullet"]:
            output.prose([f"PyBullet is not installed; {INSTALL_PYBULLET}"])
    usable = versions["mujoco"] and versions["pybullet"] and refusal_of("mujoco") is None
    return 0 if usable else 3
