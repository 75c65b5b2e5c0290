"""How a browser is to be opened: the browser options of the command line, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from webagent.secrets import Secrets


@dataclass(frozen=True)
class BrowserOptions:
    """`viewport_size` in CSS pixels, `slow_mo` in milliseconds, `step_timeout` in seconds (the most
    that one action may take), `max_page_memory` in megabytes (0: no limit). Empty strings and None mean: not
    given. `overlay` shows in the page what is about to be done. `allowed_domains` empty means the start URL's
    host and its subdomains; `listed_only` holds what pages load to them too; `own_ports` are ports of this
    machine that the program uses.
    `http_credentials` are user, password and the origin that they are for; `client_certificate` is what
    Playwright takes for one: origin, certPath, keyPath, passphrase. Without a `spare_process` short runs cost
    less CPU, and new tabs come later."""

    headed: bool = False
    overlay: bool = False
    slow_mo: float = 0
    storage_state: str = ""
    user_data_dir: str = ""
    cdp_endpoint: str = ""
    executable_path: str = ""
    viewport_size: tuple[int, int] = (1280, 720)
    locale: str = ""
    user_agent: str = ""
    proxy_server: str = ""
    ignore_https_errors: bool = False
    http_credentials: tuple[str, str, str] | None = field(default=None, repr=False)
    client_certificate: Mapping[str, str] | None = field(default=None, repr=False)
    output_dir: str = ""
    upload_dir: str = ""
    save_trace: bool = False
    allowed_domains: tuple[str, ...] = ()
    listed_only: bool = False
    own_ports: frozenset[int] = frozenset()
    secrets: Secrets = field(default_factory=Secrets)
    step_timeout: float = 30.0
    max_page_memory: int = 0
    spare_process: bool = True
