"""The command line. Commands are imported when they are called, so that `--help` stays quick."""

import os
import sys
import traceback
from importlib import import_module

import click

from webagent import __version__
from webagent.errors import WebagentError

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("webagent.cli.run:run", "One task, start to verdict to induction."),
    "batch": ("webagent.cli.batch:batch", "A file of tasks, several at a time, resumable."),
    "record": (
        "webagent.cli.record:record",
        "A person shows a task in a browser; the demonstration becomes a workflow.",
    ),
    "login": ("webagent.cli.login:login", "A person logs in once; runs on that site begin with it."),
    "replay": ("webagent.cli.replay:replay", "Carries out a run or a workflow again, without a model."),
    "induce": (
        "webagent.cli.induce:induce",
        "Offline induction, from stored runs or a file of trajectories.",
    ),
    "workflows": (
        "webagent.cli.workflows:workflows",
        "The workflows in memory: look at them, judge them, change them.",
    ),
    "lessons": ("webagent.cli.lessons:lessons", "What failed runs warn of: list, show, edit, retire, …"),
    "runs": ("webagent.cli.runs:runs", "The runs so far: list, show, judge, export, delete."),
    "sites": ("webagent.cli.sites:sites", "Names of sites: list, add, remove; serve the fixture sites."),
    "bench": (
        "webagent.cli.bench:bench",
        "Benchmarks: arms with and without memory on the arena's tasks; reports.",
    ),
    "doctor": ("webagent.cli.doctor:doctor", "Check browser, model endpoint and database."),
    "install-browser": ("webagent.cli.doctor:install_browser", "Get a Chromium where none is found."),
}
"""Name of a command: where it is, and its line in `--help`."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="webagent")
def cli() -> None:
    """A web agent that gets better at a site each time it is used."""


def main() -> None:
    """Runs the command line; errors become one line on stderr and an exit code (2 usage, 3
    environment, 130 interrupted)."""
    sys.exit(_main(sys.argv[1:]))


def _main(arguments: list[str]) -> int:
    verbose = "--verbose" in arguments
    if "install-browser" not in arguments[:1]:  # a browser is for all users of the machine
        os.umask(0o077)  # what is written is for its owner alone, by the browser too
    try:
        code = cli.main(arguments, prog_name="webagent", standalone_mode=False)
    except click.exceptions.Abort:
        return 130
    except KeyboardInterrupt:
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except WebagentError as error:
        if verbose:
            traceback.print_exc()
        from webagent.cli.say import complain

        complain(str(error))
        return error.exit_code
    except BrokenPipeError:
        return 1
    return code if isinstance(code, int) else 0
