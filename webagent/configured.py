"""What the settings of a run mean for its browser, its model, its memory and its budgets."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from webagent.boundary import is_on_this_machine
from webagent.browser.options import BrowserOptions
from webagent.browser.session import BrowserSession
from webagent.episode import Budget
from webagent.errors import BrowserFault
from webagent.hosts import place_of
from webagent.llm import ModelOptions
from webagent.memory import Scope
from webagent.report import Story
from webagent.settings import Settings
from webagent.tasks import Task
from webagent.trace import Trace, TraceFolder

NO_WAY_FORWARD = (
    "no model is configured and no stored workflow fits this goal on {hostname}{closest}. Three ways forward: "
    "set OPENAI_API_KEY (or --base-url for another endpoint) and --model; run a local model file with "
    "--model FILE.gguf (pip install 'webagent[local]'); or show it once: `webagent record` with the same goal "
    "and place to start"
)


def browser_options(settings: Settings, start_url: str = "", trace: Path | None = None) -> BrowserOptions:
    """How the browser is opened for a run that starts at this URL (many: none); `trace` is the folder of its
    trace, where one is kept."""
    return BrowserOptions(
        headed=settings.headed,
        overlay=settings.headed
        or bool(settings.cdp_endpoint and (settings.step or settings.confirm != "none")),
        slow_mo=settings.slow_mo,
        storage_state=settings.storage_state or "",
        user_data_dir=settings.user_data_dir or "",
        cdp_endpoint=settings.cdp_endpoint or "",
        executable_path=settings.executable_path or "",
        viewport_size=settings.viewport,
        locale=settings.locale or "",
        user_agent=settings.user_agent or "",
        proxy_server=settings.proxy_server or "",
        ignore_https_errors=settings.ignore_https_errors,
        http_credentials=_http_credentials(settings, start_url),
        client_certificate=_client_certificate(settings, start_url),
        output_dir=settings.output_dir or (str(trace) if trace else ""),
        upload_dir=settings.upload or "",
        save_trace=settings.save_trace,
        allowed_domains=settings.domains,
        listed_only=settings.allow_subresources == "listed",
        own_ports=_own_ports(settings),
        secrets=settings.secret_values,
        max_page_memory=settings.max_page_memory,
    )


def _own_ports(settings: Settings) -> frozenset[int]:
    """The port of the model's endpoint, where it is on this machine."""
    place = place_of(settings.base_url) if settings.base_url else None
    return frozenset((place[1],)) if place and is_on_this_machine(place[0]) else frozenset()


def _http_credentials(settings: Settings, url: str) -> tuple[str, str, str] | None:
    """The secrets HTTP_USER and HTTP_PASSWORD for the start URL's host, and its origin."""
    user, password = (settings.secret_values.value(name, url) for name in ("HTTP_USER", "HTTP_PASSWORD"))
    return (user, password, _origin(url)) if user and password else None


def _client_certificate(settings: Settings, url: str) -> dict[str, str] | None:
    """The files CLIENT_CERT and CLIENT_KEY (PEM), with CLIENT_PASSPHRASE where the key has one, for the
    start URL's host, which asks its visitors for a certificate."""
    names = {"certPath": "CLIENT_CERT", "keyPath": "CLIENT_KEY", "passphrase": "CLIENT_PASSPHRASE"}
    values = {key: settings.secret_values.value(name, url) for key, name in names.items()}
    given = {key: value for key, value in values.items() if value}
    return {"origin": _origin(url), **given} if "certPath" in given and "keyPath" in given else None


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def model_options(settings: Settings) -> ModelOptions:
    """Which endpoint is asked, and what its tokens cost."""
    prompt, cached, completion = settings.prices
    return ModelOptions(
        model=settings.model,
        base_url=settings.base_url,
        api_key=settings.api_key,
        price_prompt=prompt,
        price_cached=cached,
        price_completion=completion,
        request_timeout=settings.request_timeout,
        verbose=settings.verbose,
        secrets=settings.secret_values,
    )


def scope_wanted(settings: Settings, task: Task) -> Scope:
    """Which part of memory the run may see."""
    exclude = settings.memory_exclude_task
    return Scope(
        exclude_task=task.id if exclude else "",
        exclude_goal=task.goal if exclude else "",
        learned="" if settings.memory_source == "any" else settings.memory_source,
        lessons=not settings.no_lessons,
    )


def budget_for(settings: Settings, task: Task) -> Budget:
    """What the run may use; a task's own number of steps goes first."""
    return Budget(
        max_steps=task.max_steps or settings.max_steps,
        timeout=settings.timeout,
        max_tokens=settings.max_tokens,
        max_cost=settings.max_cost if settings.price else None,
    )


def trace_for(settings: Settings, run_id: str, goal: str, start_url: str) -> Trace:
    """Where the run's trace is kept, without the secrets of `--secrets`. Raises EnvironmentFault."""
    if not settings.save_trace:
        return Trace()
    folder = Path(settings.output_dir or f"webagent-output/{run_id}").expanduser()
    trace = TraceFolder(folder, Story(run_id, goal, settings.mask(start_url)), settings.observation_tokens)
    trace.hide(settings.secret_values.mask)
    return trace


async def save_state(settings: Settings, session: BrowserSession, tell: Callable[[str], None]) -> None:
    """Saves cookies and storage where that is wanted; a file that can't be written is told of."""
    if settings.save_storage_state:
        try:
            await session.storage_state(settings.save_storage_state)
        except (OSError, BrowserFault) as error:
            tell(f"--save-storage-state: not written: {error}")
