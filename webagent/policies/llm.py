"""The policy that asks a language model."""

from collections.abc import Mapping

from webagent.actions import ALWAYS, BY_NAME, Action, Malformed, Parsed, parse_call, parse_text
from webagent.errors import ContextOverflow
from webagent.interfaces import ChatModel, Completion, Decision, Message, View
from webagent.prompt import head_messages, note_message, observation_message, step_messages
from webagent.shown import render
from webagent.trajectory import Stop

SMALLEST_BUDGET = 500
"""Observation tokens below which a too long context is not shrunk further."""

REFUSALS: Mapping[str, str] = {
    "refusal": "the model refused",
    "content_filter": "a content filter held the reply back",
    "empty": "the reply was empty",
}
"""What is no reply at all, by its finish."""


class LLMPolicy:
    """Keeps the transcript of a run, append-only, so that each prompt is a prefix of the next but
    for the observation."""

    def __init__(
        self,
        model: ChatModel,
        *,
        observation_tokens: int = 4000,
        can_ask: bool = False,
    ) -> None:
        self.model = model
        self.observation_tokens = observation_tokens
        self._can_ask = can_ask
        self._transcript: list[Message] = []
        self._told = 0

    async def decide(self, view: View) -> Decision:
        """One turn. Raises ModelFault when the endpoint can't be used."""
        self._catch_up(view)
        completion = await self._complete(view)
        return self._decision(completion)

    def _catch_up(self, view: View) -> None:
        for step in view.steps[self._told :]:
            self._transcript += step_messages(step)
        self._told = len(view.steps)
        if view.notes:
            self._transcript.append(note_message(view.notes))

    async def _complete(self, view: View) -> Completion:
        names = [
            *ALWAYS,
            *(["workflow"] if view.memory.workflows else []),
            *(["ask"] if self._can_ask else []),
        ]
        tools = [BY_NAME[name].schema() for name in BY_NAME if name in names]
        while True:
            shown = render(view.observation, self.observation_tokens)
            messages = [
                *head_messages(view.goal, view.memory, view.observation.secrets),
                *self._transcript,
                observation_message(shown),
            ]
            try:
                return await self.model.act(messages, tools)
            except ContextOverflow:
                if self.observation_tokens // 2 < SMALLEST_BUDGET:
                    raise
                self.observation_tokens //= 2
                cut = f"the prompt was too long for you: observations are cut to {self.observation_tokens} tokens"
                self._transcript.append(note_message([cut]))

    def _decision(self, completion: Completion) -> Decision:
        if completion.finish in REFUSALS:
            return Decision(refused=REFUSALS[completion.finish])
        parsed: list[Parsed] = [parse_call(call.name, call.arguments) for call in completion.tool_calls]
        if not parsed:
            parsed = [parse_text(completion.text)]
        elif completion.text.strip():
            parsed = [with_thought(item, completion.text.strip()) for item in parsed]
        actions: list[Action] = []
        for item in parsed:
            if isinstance(item, Malformed):
                return Decision(actions, malformed=item)
            if item.tool == "stop":
                return Decision(actions, stop=stop_of(item))
            actions.append(item)
        return Decision(actions)


def with_thought(parsed: Parsed, text: str) -> Parsed:
    """The action with the text beside it as its thought, where it has none of its own."""
    if isinstance(parsed, Malformed) or parsed.thought:
        return parsed
    return Action(parsed.tool, parsed.arguments, text[:4000])


def stop_of(action: Action, by: str = "llm") -> Stop:
    """The stop action as the end of a trajectory."""
    answer = action.arguments.get("answer")
    return Stop(answer, action.arguments.get("status", "done"), action.thought, by)
