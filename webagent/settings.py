"""The options that `run` and `batch` share: one table for the command line, the environment, the
project file and the README."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from webagent.errors import UsageError
from webagent.hosts import HOW_TO_NAME_A_PROXY, is_pattern, proxy_place
from webagent.secrets import Secrets

PROJECT_FILE = "webagent.toml"
MOST = 1e12
"""No number of the options is as large; infinities and NaN are none."""
POLICIES = ("auto", "llm", "replay", "human")
MEMORIES = ("off", "read", "online")
SUBRESOURCES = ("any", "listed")
CONFIRMS = ("none", "risky", "all")
LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")
JUDGES = ("auto", "expect", "ask", "llm", "none")


@dataclass(frozen=True)
class Option:
    """One option: `--name VALUE`, WEBAGENT_NAME, `name` in webagent.toml. `kind` is str, int, float
    or bool; `choices` limit a str."""

    name: str
    help: str
    kind: type = str
    default: Any = None
    metavar: str = ""
    choices: tuple[str, ...] = ()
    group: str = "The run"

    @property
    def flag(self) -> str:
        return f"--{self.name}"

    @property
    def key(self) -> str:
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        return f"WEBAGENT_{self.key.upper()}"


_BROWSER = "The browser"
_BUDGET = "Budgets"

OPTIONS: tuple[Option, ...] = (
    Option("site", "where to start: a name from `webagent sites list`", metavar="NAME"),
    Option("url", "where to start: any http(s) URL", metavar="URL"),
    Option(
        "policy",
        "who acts; auto replays a trusted workflow that fits and hands over to the LLM where it stops "
        "fitting; without a configured model it only replays",
        default="auto",
        choices=POLICIES,
    ),
    Option(
        "model",
        "model name at the endpoint, or a .gguf file to run in-process (extra `local`)",
        metavar="NAME",
    ),
    Option("base-url", "an OpenAI-compatible chat endpoint; the key is OPENAI_API_KEY", metavar="URL"),
    Option(
        "memory",
        "off: none; read: use it; online: use it and learn from this run",
        default="online",
        choices=MEMORIES,
    ),
    Option(
        "memory-exclude-task",
        "show no workflow that came from this same task or goal (for evaluation)",
        kind=bool,
        default=False,
    ),
    Option(
        "memory-source",
        "use workflows learned so: after runs, by `webagent induce`, by import",
        default="any",
        choices=("any", "online", "offline", "import"),
    ),
    Option(
        "embedding-model",
        "rank memory by meaning with this sentence-transformers model or folder (extra `embeddings`)",
        metavar="NAME",
    ),
    Option("no-lessons", "neither show nor learn lessons from failed runs", kind=bool, default=False),
    Option("expire-days", "retire workflows that were unused for so long; 0 for never", float, 90.0, "DAYS"),
    Option("db", "the database file", default="workflows.db", metavar="FILE"),
    Option(
        "judge",
        "auto: the task's own test, else a person if one is there and asked for, else the LLM",
        default="auto",
        choices=JUDGES,
    ),
    Option("expect", "the task's own success test, as JSON", metavar="JSON"),
    Option("json", "one JSON object on stdout, nothing else", kind=bool, default=False),
    Option("verbose", "show tracebacks and what the model server says", kind=bool, default=False),
    Option(
        "log-format",
        "records of runs, steps, model calls and tools on stderr, a line each, in place of what is shown to people",
        choices=LOG_FORMATS,
    ),
    Option("log-level", "records of this kind and above [default with records: info]", choices=LOG_LEVELS),
    Option("max-steps", "actions at the most", int, 30, "N", group=_BUDGET),
    Option("timeout", "seconds at the most", float, 600.0, "S", group=_BUDGET),
    Option("max-tokens", "prompt and completion tokens at the most", int, None, "N", group=_BUDGET),
    Option("max-cost", "US dollars at the most; holds only with --price", float, None, "USD", group=_BUDGET),
    Option(
        "price",
        "US dollars per million prompt, cached and completion tokens, such as 2,0.5,8",
        metavar="P,C,C",
        group=_BUDGET,
    ),
    Option(
        "max-page-memory",
        "megabytes that the process of a page may take (on Linux); 0 for no limit",
        int,
        2000,
        "MB",
        group=_BUDGET,
    ),
    Option("observation-tokens", "size of one observation", int, 4000, "N", group=_BUDGET),
    Option(
        "headed", "show the browser, what is about to be done in it, and where", bool, False, group=_BROWSER
    ),
    Option(
        "step",
        "stop before each action: do it, skip it, edit it, take over in the browser, or quit",
        bool,
        False,
        group=_BROWSER,
    ),
    Option(
        "pause-on-error",
        "wait for Enter where a step fails and after a failed run, with the browser open",
        bool,
        False,
        group=_BROWSER,
    ),
    Option(
        "confirm",
        "ask before each step that buys, pays, sends, deletes, transfers, exports or changes credentials, or "
        "before all; where nobody is there to ask, such a step is refused and the run goes on",
        default="none",
        choices=CONFIRMS,
        group=_BROWSER,
    ),
    Option("yes", "with --confirm: say yes to all that would be asked", bool, False, group=_BROWSER),
    Option("slow-mo", "wait after each browser operation", float, 0.0, "MS", group=_BROWSER),
    Option("storage-state", "cookies and storage to begin with", metavar="FILE", group=_BROWSER),
    Option("save-storage-state", "where to keep them at the end", metavar="FILE", group=_BROWSER),
    Option("user-data-dir", "a browser profile to use", metavar="DIR", group=_BROWSER),
    Option("cdp-endpoint", "a running Chrome to use; it is left running", metavar="URL", group=_BROWSER),
    Option("executable-path", "the browser to start", metavar="FILE", group=_BROWSER),
    Option("viewport-size", "size of the page", default="1280x720", metavar="WxH", group=_BROWSER),
    Option("locale", "such as de-DE", metavar="LOCALE", group=_BROWSER),
    Option("user-agent", "user agent string", metavar="TEXT", group=_BROWSER),
    Option(
        "proxy-server",
        "proxy for the browser: http, https, socks4 or socks5; default: the system's",
        metavar="URL",
        group=_BROWSER,
    ),
    Option("ignore-https-errors", "accept bad certificates", bool, False, group=_BROWSER),
    Option(
        "allowed-domains",
        "hosts that tabs may navigate to, separated by commas; *.x.com also matches x.com; "
        "default: the start URL's host and its subdomains",
        metavar="LIST",
        group=_BROWSER,
    ),
    Option(
        "allow-subresources",
        "which hosts pages may load from, and send to by script: any, or listed: those of --allowed-domains "
        "alone (not with --cdp-endpoint, whose connections are its own)",
        default="any",
        choices=SUBRESOURCES,
        group=_BROWSER,
    ),
    Option(
        "secrets",
        "dotenv file of secrets: the model sees and says only <secret:NAME>; NAME@host=value is typed on "
        "that host only, NAME=value wherever the run may navigate to",
        metavar="FILE",
        group=_BROWSER,
    ),
    Option("upload", "folder that files may be uploaded from", metavar="DIR", group=_BROWSER),
    Option("output-dir", "where downloads and traces go", metavar="DIR", group=_BROWSER),
    Option(
        "save-trace",
        "keep a report of the run, Playwright's trace.zip, screenshots and the prompts of each step",
        bool,
        False,
        group=_BROWSER,
    ),
)
BY_KEY: Mapping[str, Option] = {option.key: option for option in OPTIONS}


@dataclass(frozen=True)
class Settings:
    """The options of one run, checked. Field names are the options' keys; `api_key` comes from the
    environment alone, and `base_url` from OPENAI_BASE_URL too; `secret_values` is what the file named
    by `secrets` holds."""

    site: str | None = None
    url: str | None = None
    policy: str = "auto"
    model: str | None = None
    base_url: str | None = None
    memory: str = "online"
    memory_exclude_task: bool = False
    memory_source: str = "any"
    embedding_model: str | None = None
    no_lessons: bool = False
    expire_days: float = 90.0
    db: str = "workflows.db"
    judge: str = "auto"
    expect: str | None = None
    json: bool = False
    verbose: bool = False
    log_format: str | None = None
    log_level: str | None = None
    max_steps: int = 30
    timeout: float = 600.0
    max_tokens: int | None = None
    max_cost: float | None = None
    price: str | None = None
    max_page_memory: int = 2000
    observation_tokens: int = 4000
    headed: bool = False
    step: bool = False
    pause_on_error: bool = False
    confirm: str = "none"
    yes: bool = False
    slow_mo: float = 0.0
    storage_state: str | None = None
    save_storage_state: str | None = None
    user_data_dir: str | None = None
    cdp_endpoint: str | None = None
    executable_path: str | None = None
    viewport_size: str = "1280x720"
    locale: str | None = None
    user_agent: str | None = None
    proxy_server: str | None = None
    ignore_https_errors: bool = False
    allowed_domains: str | None = None
    allow_subresources: str = "any"
    secrets: str | None = None
    upload: str | None = None
    output_dir: str | None = None
    save_trace: bool = False
    api_key: str | None = field(default=None, repr=False)
    secret_values: Secrets = field(default_factory=Secrets, repr=False)

    @classmethod
    def of(cls, values: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> "Settings":
        """Settings from the command line's values. Raises UsageError for values that can't be."""
        known = {part.name for part in fields(cls)}
        given = {key: value for key, value in values.items() if key in known and value is not None}
        given.setdefault("base_url", environ.get("OPENAI_BASE_URL") or None)
        settings = cls(**given, api_key=environ.get("OPENAI_API_KEY") or None)
        settings.check()
        return (
            replace(settings, secret_values=Secrets.read(settings.secrets)) if settings.secrets else settings
        )

    def check(self) -> None:
        """Raises UsageError naming the first value that can't be."""
        for key in ("max_steps", "timeout", "observation_tokens"):
            if not 0 < getattr(self, key) < MOST:
                raise UsageError(f"{_flag(key)} must be above 0, not {getattr(self, key):g}")
        for key in ("max_tokens", "max_cost", "max_page_memory", "slow_mo"):
            if not 0 <= (getattr(self, key) or 0) < MOST:
                raise UsageError(
                    f"{_flag(key)} must not be negative, nor without bound: {getattr(self, key):g}"
                )
        if not 0 <= self.expire_days <= 36_500:
            raise UsageError(f"--expire-days must be from 0 (never) to 36500, not {self.expire_days:g}")
        _ = self.viewport, self.prices
        self._check_hosts()
        self._check_paths()

    def _check_hosts(self) -> None:
        for pattern in self.domains:
            if pattern != "*" and not is_pattern(pattern):
                raise UsageError(
                    f"--allowed-domains: {pattern!r} names no host; give hosts such as example.com, "
                    "*.example.com or localhost:8000, separated by commas"
                )
        if self.proxy_server and proxy_place(self.proxy_server) is None:
            shown = self.proxy_server.rpartition("@")[2]
            raise UsageError(f"--proxy-server {shown!r} is no proxy's address; {HOW_TO_NAME_A_PROXY}")
        if self.cdp_endpoint and self.allow_subresources == "listed":
            raise UsageError(
                "--allow-subresources listed can't hold with --cdp-endpoint: a browser that runs already makes "
                "its own connections; leave one of them out"
            )

    def _check_paths(self) -> None:
        """What is named must be there before a run begins, so that none is lost at its end."""
        if self.storage_state:
            _check_storage_state(self.storage_state)
        for other in ("user_data_dir", "cdp_endpoint") if self.storage_state else ():
            if getattr(self, other):
                raise UsageError(
                    f"--storage-state and {_flag(other)} exclude each other: that browser has a state of its own"
                )
        if self.user_data_dir and self.cdp_endpoint:
            raise UsageError(
                "--user-data-dir and --cdp-endpoint exclude each other: a running browser has a profile"
            )
        if self.save_storage_state and not Path(self.save_storage_state).expanduser().parent.is_dir():
            raise UsageError(f"--save-storage-state {self.save_storage_state!r}: its folder is not there")
        if self.upload and not Path(self.upload).expanduser().is_dir():
            raise UsageError(
                f"--upload {self.upload!r} is no folder; name the one that files may be taken from"
            )
        if self.output_dir and Path(self.output_dir).expanduser().is_file():
            raise UsageError(f"--output-dir {self.output_dir!r} is a file; name a folder")

    def mask(self, text: str) -> str:
        """The text with names in place of secrets."""
        return self.secret_values.mask(text)

    @property
    def has_model(self) -> bool:
        """Whether a model is configured: by name, endpoint or key."""
        return bool(self.model or self.base_url or self.api_key)

    @property
    def request_timeout(self) -> float:
        """Seconds that one reply may take: a model on this machine may be slow."""
        near = (
            (self.model or "").endswith(".gguf")
            or "localhost" in (self.base_url or "")
            or "127.0.0.1" in (self.base_url or "")
        )
        return 600.0 if near else 120.0

    @property
    def viewport(self) -> tuple[int, int]:
        width, _, height = self.viewport_size.lower().partition("x")
        numbers = all(part.isascii() and part.isdigit() for part in (width, height))
        if not numbers or not (0 < int(width) <= 16_384 and 0 < int(height) <= 16_384):
            raise UsageError(f"--viewport-size must be like 1280x720, not {self.viewport_size!r}")
        return int(width), int(height)

    @property
    def prices(self) -> tuple[float | None, float | None, float | None]:
        """USD per million prompt, cached and completion tokens."""
        if self.price is None:
            return None, None, None
        try:
            prompt, cached, completion = (float(part) for part in self.price.split(","))
        except ValueError:
            raise UsageError(f"--price must be three numbers like 2,0.5,8, not {self.price!r}") from None
        if not all(0 <= part < MOST for part in (prompt, cached, completion)):
            raise UsageError(f"--price must be three amounts of money like 2,0.5,8, not {self.price!r}")
        return prompt, cached, completion

    @property
    def domains(self) -> tuple[str, ...]:
        return tuple(part.strip() for part in (self.allowed_domains or "").split(",") if part.strip())


def _flag(key: str) -> str:
    return BY_KEY[key].flag


def _check_storage_state(name: str) -> None:
    """Raises UsageError where the file is not what `--save-storage-state` writes."""
    try:
        state = json.loads(Path(name).expanduser().read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"--storage-state {name!r} can't be read: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"--storage-state {name!r} is not JSON: {error}") from error
    if not isinstance(state, dict) or not isinstance(state.get("cookies", []), list):
        raise UsageError(
            f"--storage-state {name!r} holds no cookies and origins; --save-storage-state writes such a file"
        )
