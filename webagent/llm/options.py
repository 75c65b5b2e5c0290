"""What a user may set about the model."""

import ipaddress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from webagent.secrets import Secrets

Mode = Literal["tools", "schema", "text"]
"""How actions are asked for: tool calls, a JSON schema response format, or plain text."""

OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class ModelOptions:
    """`model` None takes the only one the endpoint lists; a path ending in .gguf is served in-process.
    `base_url` None is OpenAI's (the environment is read by the settings, not here).

    `request_timeout` (seconds) bounds one try as a whole, `retry_cap` one pause between tries.
    `mode` is how actions are asked for at first; what an endpoint refuses is given up.
    Prices are USD per million tokens; without both prompt and completion price the cost is unknown.
    `secrets` are masked in all that is sent. `context_tokens` and `threads` (None: all cores) concern local files only."""

    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = 0.0
    seed: int | None = None
    max_completion_tokens: int | None = None
    request_timeout: float = 120.0
    max_retries: int = 4
    backoff: float = 0.5
    retry_cap: float = 30.0
    price_prompt: float | None = None
    price_cached: float | None = None
    price_completion: float | None = None
    mode: Mode = "tools"
    context_tokens: int = 16384
    threads: int | None = None
    verbose: bool = False
    secrets: Secrets = field(default_factory=Secrets)

    @property
    def url(self) -> str:
        """The endpoint's base URL."""
        return (self.base_url or OPENAI_URL).strip().rstrip("/")

    @property
    def is_file(self) -> bool:
        """True where the model is a local file."""
        return bool(self.model) and str(self.model).lower().endswith(".gguf")


def is_loopback(url: str) -> bool:
    """True for an endpoint on this machine: it needs no key and no proxy."""
    host = (urlsplit(url).hostname or "").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def shown_url(url: str) -> str:
    """The URL without user, password and query, which can hold keys."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
