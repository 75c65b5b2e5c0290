"""A local model file, served in this process by llama.cpp (extra `local`).

Actions are asked for by schema from the start: a 1.5 B model offered tools answers with text that
only looks like a call and then with line ends until its limit (measured: 2,048 of them), and llama.cpp
writes the tools into the prompt as JSON, which takes 2.5 times the tokens of our listing."""

import asyncio
import importlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from webagent.errors import ModelFault, UsageError, first_line
from webagent.llm.options import ModelOptions

MAX_REPLY = 2048
"""Tokens of one reply: a small model that repeats itself would otherwise fill its whole context."""


class LocalServer:
    """llama.cpp's OpenAI-compatible server on a free loopback port. `options` are those given, with
    its address, the model's name and a price of nothing."""

    def __init__(self, server: Any, options: ModelOptions) -> None:
        self._server = server
        self.options = options

    @classmethod
    async def start(cls, options: ModelOptions) -> "LocalServer":
        """Loads the file; some seconds.

        Raises UsageError where it is missing or no GGUF file, ModelFault where the extra is missing
        or the file can't be loaded."""
        server, name = await asyncio.to_thread(_load, options)
        return cls(
            server,
            replace(
                options,
                model=name,
                base_url=f"{server.listening_address}/v1",
                api_key=None,
                mode="schema",
                max_completion_tokens=options.max_completion_tokens or MAX_REPLY,
                price_prompt=0.0,
                price_cached=0.0,
                price_completion=0.0,
            ),
        )

    async def close(self) -> None:
        """Stops the server and frees the model's memory."""
        server, self._server = self._server, None
        await asyncio.to_thread(_drop, [server])


def check_file(path: Path) -> None:
    """Raises UsageError unless there is a GGUF file at the path."""
    if not path.is_file():
        raise UsageError(f"no model file {str(path)!r}; check --model")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise UsageError(f"{str(path)!r} is no GGUF file; --model takes one, or the name of a model")


def _load(options: ModelOptions) -> tuple[Any, str]:
    """The running server and the model's name."""
    path = Path(str(options.model)).expanduser()
    check_file(path)
    try:
        xllamacpp: Any = importlib.import_module("xllamacpp")
    except ImportError:
        raise ModelFault(
            f"running {path.name} needs the extra `local`: pip install 'webagent[local]'"
        ) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {path.name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = options.context_tokens
    params.n_parallel = 1
    params.n_batch = 256  # a call given up is noticed between batches: 2,048 tokens take a minute
    threads = options.threads or os.cpu_count() or 2
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = threads
        cpu.poll = 0  # threads that spin for each other starve beside a browser: 0.5 against 25 tokens/s
    params.verbosity = 3 if options.verbose else -1
    params.ui = False
    try:
        return xllamacpp.Server(params), path.name
    except RuntimeError as error:
        raise ModelFault(f"{str(path)!r} can't be loaded: {first_line(error)}") from error


def _drop(held: list[Any]) -> None:
    """Lets go of the server in a thread: its destructor waits for llama.cpp's threads."""
    held.clear()
