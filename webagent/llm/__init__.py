"""The model endpoint: any OpenAI-compatible chat API, or a local model file served in-process.

Importing this imports neither openai nor xllamacpp: they cost 0.9 s and more, and `--help` needs
neither."""

from webagent.errors import ContextOverflow
from webagent.llm.client import OpenAIModel
from webagent.llm.faults import EndpointRefused, OutOfTime
from webagent.llm.options import ModelOptions
from webagent.llm.pool import ModelPool

__all__ = ["ContextOverflow", "EndpointRefused", "ModelOptions", "ModelPool", "OpenAIModel", "OutOfTime"]
