"""Exceptions, by whose fault it is.

    WebagentError
    ├── UsageError          the user's: one line, exit code 2
    ├── EnvironmentFault    the world's before a run began: one line, exit code 3
    │   ├── BrowserFault    no browser, or it died and could not be revived
    │   ├── ModelFault      no endpoint, no key, no such model, or it never answered well
    │   │   └── ContextOverflow  the prompt is too long for the model
    │   └── DatabaseFault   unreadable, read-only, locked, corrupt or newer than the program
    ├── LimitReached        a budget is used up: ends the run, which keeps what was done
    └── ActionError         the model's: becomes `step.error` and the next prompt shows it

Whatever else is raised is ours and crashes.
"""


class WebagentError(Exception):
    """The root; `str()` of it is one line that names the value and the way out."""

    exit_code = 1


class UsageError(WebagentError):
    """Bad options or a bad input file."""

    exit_code = 2


class EnvironmentFault(WebagentError):
    """Something that the program needs is missing or broken. `lasting` where no later run will fare better."""

    exit_code = 3
    lasting = False


class BrowserFault(EnvironmentFault):
    """The browser is missing or died for good."""


class ModelFault(EnvironmentFault):
    """The model endpoint can't be used."""


class ContextOverflow(ModelFault):
    """The prompt is too long for the model; a shorter observation may do."""


class DatabaseFault(EnvironmentFault):
    """The database can't be used."""


class LimitReached(WebagentError):
    """A budget of the run is used up; what was done until then is kept."""


class ActionError(WebagentError):
    """An action that was refused or failed; the run goes on."""


def first_line(error: BaseException, limit: int = 300) -> str:
    """The first line of an error's text, shortened; its class name where it has no text."""
    lines = str(error).strip().splitlines()
    text = lines[0].strip() if lines else type(error).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"
