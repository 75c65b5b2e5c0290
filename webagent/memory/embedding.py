"""Ranking by meaning, for goals that share no word with a workflow (extra `embeddings`)."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from webagent.errors import EnvironmentFault, first_line

FLOOR = 0.5
"""Cosine similarity below which a workflow has nothing to do with a goal."""
MOST_EMBEDDED = 200
"""Workflows of a hostname that are compared."""

Similarity = Callable[[str, Sequence[str]], list[float]]
"""Cosine similarity of a goal with each of some texts."""


def similarity(name: str) -> Similarity:
    """By the sentence-transformers model of this name, or in this folder.

    Raises EnvironmentFault where the extra or the model is not there."""
    model = _model(name)

    def compare(goal: str, texts: Sequence[str]) -> list[float]:
        vectors = model.encode([goal, *texts], normalize_embeddings=True)
        return [float(vectors[0] @ vector) for vector in vectors[1:]]

    return compare


@lru_cache(maxsize=2)
def _model(name: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise EnvironmentFault(
            f"--embedding-model {name!r} needs the extra: pip install 'webagent[embeddings]'"
        ) from error
    try:
        return SentenceTransformer(name)
    except (OSError, ValueError) as error:
        raise EnvironmentFault(f"--embedding-model {name!r} can't be loaded: {first_line(error)}") from error
