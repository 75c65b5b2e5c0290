"""A policy that is made when it is first needed."""

from collections.abc import Awaitable, Callable

from webagent.interfaces import Decision, Policy, View


class LatePolicy:
    """The model's policy, connected by `open` at its first decision: a replay that fits never needs it."""

    def __init__(self, open: Callable[[], Awaitable[Policy]]) -> None:
        self._open = open
        self._policy: Policy | None = None

    async def decide(self, view: View) -> Decision:
        """Raises ModelFault when the endpoint can't be used."""
        if self._policy is None:
            self._policy = await self._open()
        return await self._policy.decide(view)
