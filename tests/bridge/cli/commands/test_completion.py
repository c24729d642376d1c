"""The command completion prints scripts that the shells accept."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.support.command_line import call


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_names_every_command_and_the_shell_accepts_it(shell: str) -> None:
    done = call("completion", shell)
    assert done.returncode == 0, done.stderr
    for word in ("check", "compare", "doctor", "--strict" if shell != "fish" else "strict"):
        assert word in done.stdout
    if shutil.which(shell):
        parsed = subprocess.run(
            [shell, "-n"], input=done.stdout, capture_output=True, text=True, check=False
        )
        assert (parsed.returncode, parsed.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["ch"], {"check"}),
        (["compare", "--lev"], {"--level"}),
        (["view", "--actuators", "po"], {"position"}),
    ],
)
def test_bash_completes_commands_options_and_values(words: list[str], completed: set[str]) -> None:
    script = call("completion", "bash").stdout
    line = (
        f"COMP_WORDS=(sdfbridge {' '.join(words)}); COMP_CWORD={len(words)}; _shtab_sdfbridge; "
        f"echo ${{COMPREPLY[@]}}"
    )
    code = f"{script}\n{line}\n"
    done = subprocess.run(["bash"], input=code, capture_output=True, text=True, check=False)
    assert set(done.stdout.split()) == completed, done.stderr
