"""``sdfbridge completion``: print the script that completes commands and options in a shell."""

from __future__ import annotations

from argparse import Action, Namespace

from bridge.cli.output import Output
from bridge.cli.parser import make_parser, subparsers_of


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
    """The name of shtab's completion of the action's value: a file, a folder, or none."""
    if action.choices:
        return ""
    if action.metavar == "DIR":
        return "DIRECTORY"
    return "FILE" if action.dest in {"file", "files"} or action.metavar == "FILE" else ""
