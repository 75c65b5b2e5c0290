"""The one model that many runs share."""

import asyncio
from types import TracebackType
from typing import Self

from webagent.llm.client import OpenAIModel
from webagent.llm.options import ModelOptions


class ModelPool:
    """Connects to the configured model, or loads its file, when it is first needed; `async with` it."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._model: OpenAIModel | None = None
        self._connecting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._model is not None:
            await self._model.close()

    async def model(self, seed: int | None = None) -> OpenAIModel:
        """The model with an account for one run. Raises ModelFault."""
        async with self._connecting:
            if self._model is None:
                self._model = await OpenAIModel.open(self._options)
        return self._model.for_run(seed)
