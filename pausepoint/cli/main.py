"""The `pausepoint` command: finds the subcommand, and turns every failure into one clear line and an exit code.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C. Subcommands are imported when they run, so
that `--help` answers at once.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

COMMANDS: dict[str, tuple[str, str, str]] = {
    "up": ("pausepoint.cli.up", "up", "Load the sample campaigns if need be, and serve."),
    "serve": ("pausepoint.server.cli", "serve", "Serve a LangGraph project (langgraph.json)."),
    "load": ("pausepoint.cli.load", "app", "Load a campaign from a folder."),
    "campaigns": ("pausepoint.cli.campaigns", "campaigns", "List the loaded campaigns."),
    "ask": ("pausepoint.cli.ask", "ask", "Ask a question about a campaign."),
    "inbox": ("pausepoint.cli.inbox", "inbox", "List what waits for a person."),
    "answer": ("pausepoint.cli.answer", "answer", "Answer something that waits."),
    "verify": ("pausepoint.cli.verify", "verify", "Verify the record of decisions, or export it."),
    "eval": ("pausepoint.cli.evaluate", "app", "Evaluate the assistant on labelled questions."),
    "cypher": ("pausepoint.cli.cypher", "app", "Check Cypher before it runs."),
    "status": ("pausepoint.cli.status", "status", "Tell who holds the data folder, and where it serves."),
}
"""Name -> module, its typer app or function, and what the overview says."""

_LOGGING = frozenset({"up", "load", "ask", "eval"})
"""Commands that open stores; the server sets up its own log."""


def build(wanted: str | None) -> typer.Typer:
    """The command line with the wanted subcommand imported; the others are there by name only."""
    app = typer.Typer(
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name, (module, attribute, text) in COMMANDS.items():
        made: Any = getattr(import_module(module), attribute) if name == wanted else _stand_in
        if isinstance(made, typer.Typer):
            app.add_typer(made, name=name)
        elif name == wanted:
            app.command(name)(made)
        else:
            app.command(name, help=text)(made)
    return app


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    from pausepoint.cli.plain import forgive_encoding

    forgive_encoding()
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(_guarded(lambda: _run(given), debug="--debug" in given[:1]))


def _run(given: list[str]) -> int:
    wanted = next((argument for argument in given if not argument.startswith("-")), None)
    if wanted in _LOGGING:
        from pausepoint.cli.logs import log_to_stderr

        log_to_stderr()
    result: Any = build(wanted)(given, prog_name="pausepoint", standalone_mode=False)
    return result if isinstance(result, int) else 0


def _guarded(run: Callable[[], int], *, debug: bool) -> int:
    try:
        return run()
    except (KeyboardInterrupt, typer.Abort):
        return stopped()
    except typer.Exit as ended:
        return ended.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except TyperException as error:
        return _misused(error)
    except Exception as error:
        return failed(error, debug=debug)


def _stand_in() -> None:
    """Never run: a command is imported when it is named."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from pausepoint import __version__

        typer.echo(f"pausepoint {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.")] = False,
) -> None:
    """Agents that stop, ask, and carry on."""


def _misused(error: TyperException) -> int:
    """Usage errors say themselves what is right."""
    show: Any = getattr(error, "show", None)
    if show:
        show()
    else:
        typer.echo(f"error: {error.format_message()}", err=True)
    return error.exit_code


def stopped() -> int:
    """Ctrl-C: say so, exit code 130."""
    typer.echo("stopped", err=True)
    return 130


def failed(error: Exception, *, debug: bool) -> int:
    """One line for a person; the traceback only when asked for."""
    from pausepoint.cli.plain import plain
    from pausepoint.errors import PausepointError

    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, PausepointError):
        text = str(error)
    else:
        text = f"unexpected {type(error).__name__}: {error} (pausepoint --debug ... shows where)"
    prefix = typer.style("error:", fg="red", bold=True) if sys.stderr.isatty() else "error:"
    typer.echo(f"{prefix} {plain(' '.join(text.split()))}", err=True)
    return 1
