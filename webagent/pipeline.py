"""One task from start to finish: recall, episode, judge, store, induce."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from webagent.browser.launch import Chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.browser.session import BrowserSession
from webagent.configured import (
    NO_WAY_FORWARD,
    browser_options,
    budget_for,
    model_options,
    save_state,
    scope_wanted,
    trace_for,
)
from webagent.episode import Ask, Episode
from webagent.errors import BrowserFault, EnvironmentFault, LimitReached, ModelFault, first_line
from webagent.ids import new_run_id, scope_of
from webagent.interfaces import Memory, Policy, Usage, Verdict
from webagent.judges import ExpectJudge, deciding
from webagent.judging import Judging
from webagent.llm import OpenAIModel
from webagent.log import RunLog
from webagent.masking import Masker
from webagent.memory import Replayable, WorkflowMemory
from webagent.memory.embedding import similarity
from webagent.observation import Observation
from webagent.person import Person
from webagent.policies.asking import ask_answer, ask_binding
from webagent.policies.auto import AutoPolicy
from webagent.policies.human import HumanPolicy, nobody
from webagent.policies.late import LatePolicy
from webagent.policies.llm import LLMPolicy
from webagent.policies.replay import ReplayPolicy
from webagent.prompt import prompt_hash
from webagent.report import Ending
from webagent.result import RunResult, who_acted
from webagent.settings import Settings
from webagent.spans import spans_of
from webagent.store import RunRow, Store
from webagent.support import support_of
from webagent.tasks import Expect, Task
from webagent.teaching import Teaching
from webagent.trace import Trace
from webagent.trajectory import Step, Trajectory
from webagent.watcher import Watcher, Watchers
from webagent.workflow import Workflow
from webagent.workflow_text import render_workflow

AFTERWARDS = 600.0
"""Seconds that judging and learning may take at the most, once the run itself has ended."""


@dataclass
class Run:
    """Carries out one task at `start_url` in `browser` with `model`, or with ones of its own; `policy`
    acts in the place of replay and model; `replay` is carried out whatever memory would choose (version 0:
    the routine of a run). `connect` gives the model once it is needed, `on_start` hears the run's id once it
    is stored, `verdict` holds for a run that comes to its end. `score` is a benchmark's own test: what it
    says is in the result alone and teaches nothing. An interruption ends the run, stored as any."""

    task: Task
    start_url: str
    settings: Settings
    store: Store
    watcher: Watcher = field(default_factory=Watcher)
    browser: Chromium | None = None
    policy: Policy | None = None
    model: OpenAIModel | None = None
    ask: Ask | None = None
    replay: Replayable | None = None
    connect: Callable[[], Awaitable[OpenAIModel]] | None = None
    on_start: Callable[[str], None] = field(default=lambda run_id: None)
    open_session: Callable[..., Awaitable[BrowserSession]] = BrowserSession.open
    verdict: Verdict | None = None
    score: Expect | None = None
    run_id: str = field(default_factory=new_run_id)
    _own_model: bool = False
    _before: Usage = field(default_factory=Usage)
    _given: list[str] = field(default_factory=list)
    _trace: Trace = field(default_factory=Trace)
    _session: BrowserSession | None = None
    _scored: Verdict | None = None
    _lasting: bool = False

    async def run(self) -> RunResult:
        """Raises UsageError and EnvironmentFault only before the run has begun."""
        self.task = replace(self.task, goal=self.settings.mask(self.task.goal))
        by_meaning = similarity(self.settings.embedding_model) if self.settings.embedding_model else None
        self._memory = WorkflowMemory(self.store, scope_wanted(self.settings, self.task), by_meaning)
        self._hostname = scope_of(self.start_url)
        self._trace = trace_for(self.settings, self.run_id, self.task.goal, self.start_url)
        mask = self.settings.mask
        log, spans = RunLog(self.run_id, mask), spans_of(self.run_id, mask)
        self.watcher = Watchers(self.watcher, self._trace, log, spans)
        self._person = Person(self.settings, self.ask)
        if self.model is not None:
            self._before = self.model.usage
            self._listen(self.model)
        self._replay = self.replay or self._replayable()
        if self._replay is not None and self._replay.workflow.version:
            self._carries(self._replay.workflow)
        async with AsyncExitStack() as stack:
            stack.callback(self.store.over, self.run_id)
            stack.callback(self._report)
            stack.push_async_callback(self._close_model)
            options = browser_options(self.settings, self.start_url, self._trace.path)
            browser = await self._ready(stack, options)
            session = await self.open_session(browser, options, self.start_url)
            self._session = self._person.session = session
            stack.push_async_callback(session.close)
            await session.open_tabs(self.task.tabs)
            return await self._carried_out(session)

    async def _ready(self, stack: AsyncExitStack, options: BrowserOptions) -> Chromium:
        """The browser, started while the model is connected to where one is needed from the first step on."""
        given = nullcontext(self.browser) if self.browser is not None else open_browser(options)
        opening = asyncio.ensure_future(stack.enter_async_context(given))
        try:
            if self._replay is None and self.policy is None and self.settings.policy != "human":
                await self.need_model()
                await self._bind_by_model()
        except BaseException:
            # not broken off: that would leave processes
            await asyncio.gather(opening, return_exceptions=True)
            raise
        return await opening

    def _replayable(self) -> Replayable | None:
        settings = self.settings
        if self.policy is not None or settings.memory == "off" or settings.policy not in ("auto", "replay"):
            return None
        trusted = settings.policy == "auto" and settings.has_model
        return self._memory.replayable(self._hostname, self.task.goal, trusted=trusted)

    async def _bind_by_model(self) -> None:
        """Where a workflow nearly fits, the model is asked for its values: one small call."""
        if self.settings.policy != "auto" or self.settings.memory == "off" or self.model is None:
            return
        near = self._memory.closest(self._hostname, self.task.goal)
        values = await ask_binding(self.model, near.workflow, self.task.goal) if near else None
        if near is not None and values is not None:
            self._replay = self._memory.carried(near.workflow, values, trusted=True)
            self._carries(near.workflow)

    async def need_model(self) -> OpenAIModel:
        """The configured model, connected. Raises EnvironmentFault where none is."""
        settings = self.settings
        if settings.policy == "replay" or not settings.has_model:
            near = None if settings.memory == "off" else self._memory.closest(self._hostname, self.task.goal)
            told = f" ({near.told})" if near else ""
            raise EnvironmentFault(NO_WAY_FORWARD.format(hostname=self._hostname, closest=told))
        if self.model is None:
            self._own_model = True
            self.model = await (self.connect or partial(OpenAIModel.open, model_options(settings)))()
        self._listen(self.model)
        return self.model

    def _listen(self, model: OpenAIModel) -> None:
        """What the model is asked, and which of its tries fail, is seen by whoever looks on."""
        model.seen = self.watcher.called
        model.endpoint.on_retry = lambda line: self.watcher.told(self.settings.mask(line))

    def _usage(self) -> Usage:
        return self.model.usage - self._before if self.model else Usage()

    def _report(self) -> None:
        """Ends the trace: the report holds what was done, however the run ended."""
        if self.model is not None:
            self.model.seen = self.model.endpoint.on_retry = None
        self.watcher.closed()
        self._trace.report()
        if self._trace.trouble:
            self.watcher.told(self._trace.trouble)

    async def _close_model(self) -> None:
        if self.model is not None and self._own_model:
            await self.model.close()

    async def _carried_out(self, session: BrowserSession) -> RunResult:
        began = time.monotonic()
        self.store.start_run(
            RunRow(
                id=self.run_id,
                goal=self.task.goal,
                hostname=self._hostname,
                start_url=self.start_url,
                site=self.settings.site or self.task.site or None,
                policy=self.settings.policy,
                model=self.model.name if self.model else self.settings.model,
                task=self.task.id or None,
                prompt_hash=prompt_hash("system", "memory", "lessons"),
            )
        )
        self.on_start(self.run_id)
        episode = self._episode(session)
        fault = ""
        verdict = Verdict(None, "none", "not judged")
        learned: list[str] = []
        followed: list[str] = []
        try:
            fault = await self._acted(episode)
            await self._look()
            self._store_end(episode, began)
            if episode.trajectory.status == "interrupted":
                verdict = Verdict(None, "none", "interrupted")
            else:
                verdict = await self._judged(episode.trajectory, session, fault)
                if self.score is not None:
                    self._scored = await ExpectJudge(self.score, self.start_url).judge(
                        episode.trajectory, session
                    )
                learned, followed = await self._learned(episode.trajectory, verdict)
            await save_state(self.settings, session, self.watcher.told)
            await self._person.look_back(episode.trajectory, verdict)
        except asyncio.CancelledError:
            episode.trajectory = episode.trajectory.ended("interrupted", "interrupted by the user")
            verdict = verdict if verdict.success is not None else Verdict(None, "none", "interrupted")
            await self._look()
        return self._finished(episode, verdict, began, fault, followed, learned)

    def _episode(self, session: BrowserSession) -> Episode:
        start_url = self.settings.mask(self.start_url)
        self.watcher.began(self.run_id, self.task.goal, start_url, Memory(self._hostname))
        return Episode(
            trajectory=Trajectory(self.run_id, self.task.goal, start_url, replayed=self._replayed()),
            session=session,
            policy=self.policy or self._own_policy(),
            budget=budget_for(self.settings, self.task),
            recall=self._recall,
            record=self._record,
            usage=self._usage,
            ask=self._person.asking,
            before=self._person.clear,
            look=self._look,
            hide=self._hide,
            mask=self.settings.mask,
        )

    def _replayed(self) -> str:
        """The label of the stored workflow that is carried out; empty where none is."""
        workflow = self._replay.workflow if self._replay and self.policy is None else None
        return workflow.label if workflow is not None and workflow.version else ""

    def _own_policy(self) -> Policy:
        if self.settings.policy == "human":
            return HumanPolicy(self._person.asking or nobody, self.settings.observation_tokens)
        found = self._replay
        replay = ReplayPolicy(found.workflow, found.steps, found.values) if found else None
        if self.settings.policy == "replay" or not self.settings.has_model:
            return AutoPolicy(None, replay, self._memory.expand)
        return AutoPolicy(LatePolicy(self.model_policy), replay, self._memory.expand, self._answer)

    async def _answer(self, goal: str, observation: Observation) -> str | None:
        """What the page answers to the goal, by one small call."""
        return await ask_answer(await self.need_model(), goal, observation, self.settings.observation_tokens)

    async def model_policy(self) -> LLMPolicy:
        """The policy of the configured model. Raises ModelFault."""
        return LLMPolicy(
            await self.need_model(),
            observation_tokens=self.settings.observation_tokens,
            can_ask=self.ask is not None,
        )

    def _recall(self, hostname: str, observation: Observation) -> Memory:
        modelled = self.settings.has_model and self.settings.policy not in ("replay", "human")
        if self.settings.memory == "off" or not (modelled or self.policy):
            return Memory(hostname)  # nobody reads it
        memory = self._memory.recall(hostname, self.task.goal, observation)
        if modelled:
            self._give(*(workflow.label for workflow in memory.workflows))
            self._trace.given(memory)
        return memory

    def _give(self, *labels: str) -> None:
        self._given += [label for label in labels if label not in self._given]

    def _carries(self, workflow: Workflow) -> None:
        """The run was given a workflow to carry out."""
        self._give(workflow.label)
        self._trace.given(Memory(workflow.hostname, (workflow,)))

    async def _record(self, step: Step) -> None:
        self.store.add_step(self.run_id, step)
        self.watcher.stepped(step)
        await self._person.look_at(step)

    async def _look(self) -> None:
        """A picture of the page for the trace: before each action, and at the end."""
        if self._trace.path is not None and self._session is not None:
            self._trace.pictured(await self._session.screenshot())

    def _hide(self, mask: Masker) -> None:
        self.store.hide(self.run_id, mask)
        self.watcher.hide(mask)

    async def _acted(self, episode: Episode) -> str:
        """Runs the episode; the environment's fault that ended it, if one did."""
        try:
            async with asyncio.timeout(episode.budget.timeout) as self._person.limit:
                await episode.run()
        except TimeoutError:
            limit = f"timeout: {episode.budget.timeout:g} s are over"
            episode.trajectory = episode.trajectory.ended("budget", limit)
        except LimitReached as error:
            episode.trajectory = episode.trajectory.ended("budget", self.settings.mask(first_line(error)))
        except (BrowserFault, ModelFault) as error:
            self._lasting = error.lasting
            episode.trajectory = episode.trajectory.ended("error", self.settings.mask(first_line(error)))
            return self.settings.mask(first_line(error))
        return ""

    async def _judged(self, trajectory: Trajectory, session: BrowserSession, fault: str) -> Verdict:
        """What was said of the run; one that the environment ended was no fair try, and is not judged."""
        if fault:
            return Verdict(None, "none", f"not judged: {fault}")
        if self.model is not None:
            self.model.deadline = asyncio.get_running_loop().time() + AFTERWARDS
        judging = Judging(self.settings, self.task.expect, self.start_url, self.model, self.ask)
        known = (self.verdict,) if self.verdict is not None and trajectory.status == "done" else ()
        verdicts = known or await judging.verdicts(trajectory, session)
        for verdict in verdicts:
            self.store.add_verdict(self.run_id, verdict)
        return deciding(verdicts)

    async def _learned(self, trajectory: Trajectory, verdict: Verdict) -> tuple[list[str], list[str]]:
        """Labels of workflows learned and followed."""
        if self.settings.memory == "off":
            return [], []
        teaching = Teaching(self.settings, self.store, self.start_url, self.model, self.watcher.told)
        learned, followed = await teaching.after(trajectory, verdict, self._given)
        if self.settings.memory == "online":
            teaching.learner.credit_lessons(self.run_id, self._memory.shown_lessons, verdict)
        return learned, followed

    def _finished(
        self,
        episode: Episode,
        verdict: Verdict,
        began: float,
        fault: str,
        followed: Sequence[str],
        learned: Sequence[str],
    ) -> RunResult:
        trajectory = episode.trajectory
        self._store_end(episode, began)
        result = RunResult(
            run_id=self.run_id,
            goal=self.task.goal,
            site=self.settings.site or self.task.site or None,
            hostname=self._hostname,
            status=trajectory.status,
            answer=trajectory.answer,
            url=trajectory.url,
            verdict=verdict,
            policy=who_acted(trajectory),
            steps=len(trajectory.steps),
            usage=self._usage(),
            seconds=time.monotonic() - began,
            browser_seconds=episode.browser_seconds,
            given=self._given,
            followed=followed,
            learned=learned,
            reason=trajectory.reason,
            fault=fault,
            lasting=self._lasting,
            scored=self._scored,
            support=support_of(trajectory),
        )
        texts = [render_workflow(one) for one in map(self.store.workflow, learned) if one]
        self._trace.ended(Ending(result, trajectory.stop, learned=texts), trajectory.final)
        self.watcher.finished(result)
        return result

    def _store_end(self, episode: Episode, began: float) -> None:
        """Stores how the run ended: before it is judged, so that nothing is lost if the process dies then,
        and after, with what judging and learning took."""
        self.store.finish_run(
            episode.trajectory,
            self._usage(),
            seconds=time.monotonic() - began,
            policy=who_acted(episode.trajectory),
            browser_seconds=episode.browser_seconds,
        )
