"""Words to people on stderr; where records were asked for instead (`--log-format`), records."""

import click

from webagent.log import listening, record


def say(text: str, event: str = "told") -> None:
    """Tells something."""
    _put("info", event, text, text)


def warn(text: str) -> None:
    """Tells what may not be as it was meant."""
    _put("warning", "warning", text, f"warning: {text}")


def complain(text: str) -> None:
    """Tells why something could not be done."""
    _put("error", "error", text, f"error: {text}")


def _put(level: str, event: str, text: str, shown: str) -> None:
    if listening():
        record(level, event, message=text)
    else:
        click.echo(shown, err=True)
