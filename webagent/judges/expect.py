"""Judges by the task's own success test: a real signal."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import urljoin, urlsplit

from webagent import metrics
from webagent.errors import ActionError, EnvironmentFault, first_line
from webagent.interfaces import Session, Verdict
from webagent.judges.ending import ended_early
from webagent.metrics import Score
from webagent.tasks import Expect, HtmlTarget, PageTest, RequestTest, WebArenaEval, unresolved
from webagent.trajectory import Trajectory

WHOLE_PAGE = (
    "(document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '')"
    " + document.documentElement.outerHTML"
)
Check = Callable[[], Awaitable[Score]]


class ExpectJudge:
    """All parts of an Expect must hold. Paths are taken from `base_url`, the site's address (by
    default where the run started). Abstains where a part can't be decided: the session died, the
    site does not answer within `timeout_s` seconds, or an evaluator asks an LLM."""

    def __init__(self, expect: Expect, base_url: str = "", timeout_s: float = 60.0) -> None:
        self.expect = expect
        self.base_url = base_url
        self.timeout_s = timeout_s

    async def judge(self, trajectory: Trajectory, session: Session) -> Verdict:
        early = ended_early(trajectory)
        if early:
            return Verdict(False, "expect", early)
        scores = self._told(trajectory)
        if not any(score.value == 0 for score in scores):
            scores += await self._found(trajectory, session)
        score = metrics.combine(scores)
        success = None if score.value is None else score.value == 1.0
        return Verdict(success, "expect", score.reason)

    def _told(self, trajectory: Trajectory) -> list[Score]:
        """What the trajectory alone decides."""
        expect, answer = self.expect, trajectory.answer
        infeasible = trajectory.stop is not None and trajectory.stop.status == "infeasible"
        scores: list[Score] = []
        if expect.infeasible:
            got = "was said" if infeasible else "the agent stopped as done"
            scores.append(Score(float(infeasible), f"infeasible: {got}"))
        elif infeasible and expect.webarena is None:
            scores.append(Score(0.0, "the agent called the task infeasible, which it is not"))
        if expect.answer:
            scores.append(metrics.answer_score(expect.answer, answer))
        if expect.answer_includes:
            scores.append(metrics.includes_score(expect.answer_includes, answer))
        if expect.answer_matches:
            scores.append(metrics.matches_score(expect.answer_matches, answer))
        if expect.url:
            scores.append(metrics.url_score(expect.url, trajectory.url, self._base(trajectory)))
        if expect.webarena is not None:
            scores += _webarena_told(expect.webarena, trajectory, infeasible=infeasible)
        return scores

    async def _found(self, trajectory: Trajectory, session: Session) -> list[Score]:
        """What the site must be asked for: up to the first part that does not hold."""
        base = self._base(trajectory)
        checks: list[Check] = [partial(_page, test, base, session) for test in self.expect.page]
        checks += [partial(_request, test, base, session) for test in self.expect.request]
        evaluation = self.expect.webarena
        if evaluation is not None and not unresolved(evaluation):
            checks.append(partial(_program_html, evaluation, trajectory.url, session))
        scores: list[Score] = []
        try:
            async with asyncio.timeout(self.timeout_s):
                for check in checks:
                    scores.append(await check())
                    if scores[-1].value == 0:
                        break
        except EnvironmentFault as error:
            scores.append(Score(None, f"could not be checked: {first_line(error)}"))
        except TimeoutError:
            scores.append(Score(None, f"could not be checked: no answer within {self.timeout_s:g} s"))
        return scores

    def _base(self, trajectory: Trajectory) -> str:
        if self.base_url:
            return self.base_url
        start = urlsplit(trajectory.start_url)
        return f"{start.scheme}://{start.netloc}" if start.netloc else ""


def _webarena_told(evaluation: WebArenaEval, trajectory: Trajectory, *, infeasible: bool) -> list[Score]:
    """WebArena's evaluators that need no browser. Its agents say that a task is infeasible by the
    answer N/A, ours by the status."""
    left = unresolved(evaluation)
    if left:
        names = ", ".join(left)
        return [Score(None, f"could not be checked: no address is known for {names}; add the sites")]
    scores = []
    for name in evaluation.types:
        if name == "string_match":
            answer = "N/A" if infeasible else trajectory.answer
            scores.append(metrics.string_match(evaluation.answers, answer, evaluation.string_note))
        elif name == "url_match":
            scores.append(metrics.url_match(evaluation.reference_url, trajectory.url, evaluation.url_note))
        elif name != "program_html":
            scores.append(Score(None, f"undecided: the evaluator {name!r:.40} is not one of ours"))
    return scores


async def _page(test: PageTest, base: str, session: Session) -> Score:
    url = _at(base, test.url) if test.url else ""
    what = f"page {url or 'at the end'}, {test.js or test.locator}, required"
    try:
        if test.js:
            content = _as_text(await session.evaluate(test.js, url))
        else:
            content = await session.text_of(test.locator, url)
    except ActionError as error:
        why = f"{what}: {first_line(error)}"
        alive = await _answers(session, url)
        return Score(0.0, why) if alive else Score(None, f"could not be checked: {why}")
    return metrics.contents_score(test.required, content, what)


async def _answers(session: Session, url: str) -> bool:
    """After a script that failed: whether it was the script or selector (the page is a wrong one),
    and not a session that died or a site that is down."""
    try:
        if url:
            await session.request("GET", url)
        else:
            await session.evaluate("1")
    except ActionError:
        return False
    return True


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


async def _request(test: RequestTest, base: str, session: Session) -> Score:
    url = _at(base, test.url)
    what = f"request {test.method} {url}"
    try:
        status, value = await session.request(test.method, url, test.body)
    except ActionError as error:
        return Score(None, f"could not be checked: {what}: {first_line(error)}")
    if status != test.status if test.status is not None else not 200 <= status < 300:
        return Score(0.0, f"{what}: status {test.status or '2xx'}: got {status}")
    if not test.has_json:
        return Score(1.0, f"{what}: holds")
    return metrics.json_score(test.json, value, f"{what}: json")


def _at(base: str, url: str) -> str:
    """A path from the site's root, which may itself be below the host's; others are joined."""
    return base.rstrip("/") + url if url.startswith("/") and base else urljoin(base, url)


async def _program_html(evaluation: WebArenaEval, last_url: str, session: Session) -> Score:
    """As the official evaluator walks: each entry on its own page, `last` on wherever that led to."""
    if "program_html" not in evaluation.types:
        return Score(1.0, "no program_html")
    scores = []
    place = ""
    for target in evaluation.program_html:
        if target.url.startswith("func:"):
            known = metrics.helper_url(target.url, place or last_url)
            if known is None:
                scores.append(Score(None, f"undecided: the helper {target.url!r:.80} is not one of ours"))
                continue
            place = known
        elif target.url != "last":
            place = target.url
        scores.append(await _html_target(target, place, session))
    return metrics.combine(scores)


async def _html_target(target: HtmlTarget, url: str, session: Session) -> Score:
    script: str | None = target.locator.strip() or WHOLE_PAGE
    if target.locator.startswith("func:"):
        script = metrics.helper_script(target.locator)
    elif target.locator.strip() and not target.locator.startswith(("document.", "[...document.")):
        script = None
    if script is None:
        return Score(None, f"undecided: the locator {target.locator!r:.80} is not one of ours")
    if target.prepare:
        steps = "".join(f"await ({step}); " for step in target.prepare)
        script = f"(async () => {{ try {{ {steps}}} catch (error) {{}} return ({script}); }})()"
    try:
        value = await session.evaluate(script, url)
    except ActionError as error:
        if not await _answers(session, url):
            return Score(None, f"could not be checked: {first_line(error)}")
        value = ""  # as the official evaluator has it: the page is a wrong one
    # str(), as there: None is "None", a list has Python's brackets.
    score = metrics.html_match(target.required, str(value))
    return Score(score.value, f"program_html {url or 'last'}: {score.reason}")
