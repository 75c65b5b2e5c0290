"""Pages of the kinds that broke other agents: each is done by tool calls that a sensible model would
make, with refs out of the text that it is shown."""

from collections import Counter
from pathlib import Path

import pytest

from tests.pages.kinds import Page, carry_out, pages
from webagent.browser.launch import Chromium

PAGES = list(pages())
MARKED = [
    pytest.param(page, marks=pytest.mark.slow if page.given.get("slow") else (), id=str(page))
    for page in PAGES
]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("page", MARKED)
async def test_a_page_of_its_kind_is_done(chromium: Chromium, page: Page, tmp_path: Path) -> None:
    await carry_out(chromium, page, tmp_path)


def test_each_kind_has_at_least_two_pages() -> None:
    counts = Counter(page.kind for page in PAGES)
    assert len(counts) >= 22
    assert min(counts.values()) >= 2
