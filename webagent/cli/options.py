"""The shared options as click options: flag beats environment beats project file beats user file."""

import os
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from dotenv import load_dotenv

from webagent.cli.say import warn
from webagent.errors import UsageError
from webagent.log import listen
from webagent.logins import has_expired, how_to_renew, login_name, login_of
from webagent.masking import Masker, is_secret_name
from webagent.setting_files import read_files
from webagent.settings import OPTIONS, Option, Settings

F = TypeVar("F", bound=Callable[..., Any])


def shared_options(function: F) -> F:
    """Adds every option of `settings.OPTIONS` to a command."""
    return options_without(())(function)


def options_without(keys: Collection[str]) -> Callable[[F], F]:
    """Adds every shared option but those with these keys."""
    return options_with([option.key for option in OPTIONS if option.key not in keys])


def options_with(keys: Collection[str]) -> Callable[[F], F]:
    """Adds the shared options with these keys."""

    def add(function: F) -> F:
        for option in reversed(OPTIONS):
            if option.key in keys:
                function = _click_option(option)(function)
        return function

    return add


def _click_option(option: Option) -> Callable[[F], F]:
    common: dict[str, Any] = {"help": option.help, "envvar": option.variable, "show_envvar": False}
    if option.kind is bool:
        return click.option(option.flag, option.key, is_flag=True, default=False, **common)
    kind: Any = click.Choice(option.choices) if option.choices else option.kind
    return click.option(
        option.flag,
        option.key,
        type=kind,
        default=option.default,
        show_default=option.default is not None,
        metavar=option.metavar or None,
        **common,
    )


def load_env() -> None:
    """Reads `.env` of this folder into the environment, under what is there already."""
    try:
        load_dotenv(".env")
    except UnicodeDecodeError as error:
        raise UsageError(f".env is not UTF-8: {error}; save it as UTF-8") from error


class SettingsCommand(click.Command):
    """A command whose defaults come from `.env`, webagent.toml and the user's file."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        load_env()
        extra["default_map"] = read_files()
        return super().make_context(info_name, args, parent, **extra)


def settings_of(values: dict[str, Any], *, login: bool = True) -> Settings:
    """Checked settings from a command's values. Of a site and a URL the one that was said closer at
    hand counts: flag before environment before file. With `login`, one that is kept for the site is
    what the browser begins with, where nothing else is said."""
    _listen(values)
    if values.get("site") and values.get("url"):
        context = click.get_current_context()
        said = {key: _NEARNESS.get(context.get_parameter_source(key) or _FAR, 3) for key in ("site", "url")}
        if said["site"] == said["url"]:
            raise UsageError("give --site or --url, not both")
        values = {**values, ("url" if said["site"] < said["url"] else "site"): None}
    if login and not any(values.get(key) for key in ("storage_state", "user_data_dir", "cdp_endpoint")):
        values = {**values, "storage_state": _kept_login(values.get("site"), values.get("url"))}
    settings = Settings.of(values)
    _listen(values, settings.mask)
    forget_keys()
    if settings.secret_values.exposed:
        warn(f"others can read --secrets {settings.secrets!r}; `chmod 600` keeps it yours")
    return settings


def _listen(values: dict[str, Any], mask: Masker = str) -> None:
    """Sends records to stderr where they are asked for."""
    if values.get("log_format") or values.get("log_level"):
        listen(values.get("log_format") or "text", values.get("log_level") or "info", mask)


def forget_keys() -> None:
    """Takes keys, tokens and passwords out of the environment, once they are in the settings: the processes
    that are started from now on have no use for them."""
    for name in [name for name in os.environ if is_secret_name(name)]:
        del os.environ[name]


def _kept_login(site: str | None, url: str | None) -> str | None:
    """The file of the login that is kept for a site; tells where it is over."""
    name = login_name(site, url)
    file = login_of(name) if name else None
    if file and has_expired(file):
        warn(f"the login of {name!r} has expired; {how_to_renew(name)}")
    return file


_FAR = ParameterSource.DEFAULT
_NEARNESS = {ParameterSource.COMMANDLINE: 0, ParameterSource.ENVIRONMENT: 1, ParameterSource.DEFAULT_MAP: 2}
