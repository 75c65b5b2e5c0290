"""What runs do, as records of Python's logging under the name `webagent`: silent until someone listens."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from webagent.ids import clean_text
from webagent.interfaces import Memory, ModelCall
from webagent.masking import Masker, Masks, masked_within
from webagent.result import RunResult
from webagent.trajectory import Step
from webagent.watcher import Watcher

LOGGER = logging.getLogger("webagent")
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def record(level: str, event: str, **fields: Any) -> None:
    """One record (debug, info, warning, error): `event` says what happened, in words that stay the same,
    `fields` the particulars."""
    if _wanted(level):
        LOGGER.log(_LEVELS[level], event, extra={"fields": fields})


def _wanted(level: str) -> bool:
    return LOGGER.isEnabledFor(_LEVELS[level]) and LOGGER.hasHandlers()


def listening() -> bool:
    """True where records go to stderr, in place of what is meant for people."""
    return any(isinstance(handler, _OnStderr) for handler in LOGGER.handlers)


def listen(form: str, level: str, mask: Masker = str) -> None:
    """From now on records of this level and above go to stderr, a line each: `json` or `text`, with `mask`
    over their texts."""
    handler = _OnStderr(sys.stderr)
    handler.setFormatter(JsonLines(mask) if form == "json" else TextLines(mask))
    LOGGER.handlers = [each for each in LOGGER.handlers if not isinstance(each, _OnStderr)]
    LOGGER.addHandler(handler)
    LOGGER.setLevel(level.upper())
    LOGGER.propagate = False


class _OnStderr(logging.StreamHandler[Any]):
    """Where `listen` sends records."""


def tell_once(library: str, what: str) -> None:
    """What a library logs as a warning or worse is told once, in one line, and no more of it: on stderr, or
    as a record where those go there."""
    logger = logging.getLogger(library)
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(_Once(what))


class _Once(logging.Handler):
    """Tells the first record alone."""

    def __init__(self, what: str) -> None:
        super().__init__(logging.WARNING)
        self._what = what
        self._told = False

    def emit(self, given: logging.LogRecord) -> None:
        if self._told:
            return
        self._told = True
        text = f"{self._what}: {' '.join(given.getMessage().split())[:300]}"
        if listening():
            record("warning", "warning", message=text)
        else:
            sys.stderr.write(f"warning: {text}\n")


class _Lines(logging.Formatter):
    """A record as data: time (UTC), level, event, and the event's own fields; what other parts log is an event
    of the part's name."""

    def __init__(self, mask: Masker = str) -> None:
        super().__init__()
        self._mask = mask

    def fields(self, record: logging.LogRecord) -> dict[str, Any]:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        head = {"time": moment.replace("+00:00", "Z"), "level": record.levelname.lower()}
        part = record.name.removeprefix(f"{LOGGER.name}.")
        said = {"event": part, "message": record.getMessage()}
        own = {"event": record.getMessage(), **getattr(record, "fields", {})}
        told = own if record.name == LOGGER.name else said
        return {**head, **masked_within(lambda text: clean_text(self._mask(text)), told)}


class JsonLines(_Lines):
    """A record as one JSON object in a line."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(self.fields(record), ensure_ascii=False, default=str)


class TextLines(_Lines):
    """A record as `time level event key=value …`, values in JSON."""

    def format(self, record: logging.LogRecord) -> str:
        fields = self.fields(record)
        head = [str(fields.pop(name)) for name in ("time", "level", "event")]
        rest = [
            f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in fields.items()
        ]
        return " ".join([*head, *rest])


class RunLog(Watcher):
    """The records of one run. What pages and the prompt say is in none of them, and what the model thought,
    the goal and what was answered only at level debug; texts are masked."""

    def __init__(self, run_id: str, mask: Masker) -> None:
        self._run_id = run_id
        self._mask = Masks(mask)

    def began(self, run_id: str, goal: str, url: str, given: Memory) -> None:
        self._record("info", "run.began", url=url, hostname=given.hostname)
        self._record("debug", "run.goal", goal=goal)

    def hide(self, mask: Masker) -> None:
        self._mask.add(mask)

    def called(self, call: ModelCall) -> None:
        usage = call.usage
        self._record(
            "warning" if call.error else "info",
            "model.called",
            call=call.name,
            model=call.model,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd=usage.cost_usd,
            seconds=round(usage.seconds, 3),
            finish=call.completion.finish if call.completion else None,
            error=call.error or None,
        )

    def stepped(self, step: Step) -> None:
        action, outcome = step.action, step.outcome
        level = "warning" if outcome.error else "info"
        self._record(
            level,
            "tool.called",
            tool=action.tool,
            arguments=dict(action.arguments),
            message=outcome.message,
            error=outcome.error or None,
            seconds=round(step.seconds, 3),
        )
        target = step.target
        self._record(
            "info",
            "step.done",
            n=step.n,
            url=step.url,
            role=target.role if target else None,
            name=target.name if target else None,
            by=step.by,
            workflow=step.workflow or None,
            changed=outcome.changed,
        )
        if action.thought:
            self._record("debug", "step.thought", n=step.n, thought=action.thought)

    def told(self, text: str) -> None:
        self._record("info", "told", message=text)

    def finished(self, result: RunResult) -> None:
        usage = result.usage
        self._record(
            "error" if result.fault else "info",
            "run.ended",
            status=result.status,
            reason=result.reason or None,
            success=result.verdict.success,
            judge=result.verdict.judge,
            steps=result.steps,
            by=result.policy,
            llm_calls=usage.calls,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd=usage.cost_usd,
            seconds=round(result.seconds, 3),
            learned=list(result.learned),
        )
        self._record("debug", "run.answer", answer=result.answer)

    def _record(self, level: str, event: str, **fields: Any) -> None:
        if _wanted(level):
            shown = masked_within(lambda text: clean_text(self._mask(text)), fields)
            record(level, event, run_id=self._run_id, **shown)
