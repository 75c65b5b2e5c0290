"""Names of sites: the fixture sites that ship with the program, and those a project adds."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import tomlkit

from fixtures_sites import DEFAULT_PORT, SITES
from webagent.errors import EnvironmentFault, UsageError
from webagent.ids import web_url
from webagent.setting_files import project_document, write_project
from webagent.settings import PROJECT_FILE

if TYPE_CHECKING:
    from fixtures_sites.server import FixtureServer


def added_sites(path: Path = Path(PROJECT_FILE)) -> dict[str, str]:
    """The `[sites]` of the project file: name to start URL."""
    sites = project_document(path).get("sites", {})
    if not isinstance(sites, dict) or not all(isinstance(url, str) for url in sites.values()):
        raise UsageError(f'{path}: [sites] must hold lines like name = "https://example.com/"')
    return {str(name): web_url(url) for name, url in sites.items()}


def add_site(name: str, url: str, path: Path = Path(PROJECT_FILE)) -> None:
    """Names a start URL. Raises UsageError for a name that is taken by a fixture site or is no name."""
    if not name.replace("-", "").replace("_", "").isalnum():
        raise UsageError(f"a site's name has letters, digits, - and _ only, unlike {name!r}")
    if name in SITES:
        raise UsageError(f"{name!r} is the name of a fixture site; choose another")
    document = project_document(path)
    document.setdefault("sites", tomlkit.table())[name] = web_url(url)
    write_project(path, document)


def remove_site(name: str, path: Path = Path(PROJECT_FILE)) -> None:
    """Forgets a name; its memory stays. Raises UsageError for one that is not there."""
    if name in SITES:
        raise UsageError(f"{name!r} is a fixture site; it ships with the program and can't be removed")
    document = project_document(path)
    if name not in document.get("sites", {}):
        raise UsageError(unknown_site(name, path))
    del document["sites"][name]
    write_project(path, document)


def unknown_site(name: str, path: Path = Path(PROJECT_FILE)) -> str:
    """What to say of a name that no site has."""
    known = ", ".join([*SITES, *added_sites(path)])
    return f"no site {name!r}; there are: {known}; `webagent sites add {name} URL` adds one"


class Sites:
    """Start URLs of sites by name. Fixture sites that nothing serves are served, all by one server on a free
    loopback port, until the block ends."""

    def __init__(self, variant: str = "") -> None:
        self._variant = variant
        self._server: FixtureServer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.stop()

    def url(self, name: str) -> str:
        """Raises UsageError for an unknown name."""
        added = {} if name in SITES else added_sites()
        if name in added:
            return added[name]
        if name not in SITES:
            raise UsageError(unknown_site(name))
        if self._server is None:
            from fixtures_sites.server import FixtureServer, serving

            if not self._variant and name in serving(DEFAULT_PORT):
                return f"http://{name}.localhost:{DEFAULT_PORT}/"
            self._server = FixtureServer(variant=self._variant)
            try:
                self._server.start()
            except OSError as error:
                raise EnvironmentFault(f"the fixture site {name!r} could not be served: {error}") from error
        return self._server.url(name)


@contextmanager
def site_url(name: str) -> Iterator[str]:
    """The start URL of one site, until the block ends; see `Sites`."""
    with Sites() as sites:
        yield sites.url(name)
