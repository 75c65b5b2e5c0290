"""The words of a text that tell what it is about."""

import re

COMMON = frozenset(
    [
        *[
            "a",
            "an",
            "and",
            "any",
            "are",
            "as",
            "at",
            "be",
            "by",
            "can",
            "do",
            "does",
            "for",
            "from",
            "get",
            "give",
            "have",
            "how",
            "i",
            "in",
            "into",
            "is",
            "it",
            "its",
            "me",
            "my",
        ],
        *[
            "of",
            "on",
            "or",
            "please",
            "show",
            "tell",
            "that",
            "the",
            "their",
            "there",
            "this",
            "to",
            "up",
            "was",
            "what",
            "when",
            "where",
            "which",
            "who",
            "with",
        ],
        *[
            "you",
            "your",
            "find",
            "look",
            "search",
            "go",
            "open",
            "click",
            "see",
            "all",
            "one",
            "another",
            "value",
            "given",
        ],
    ]
)
"""Words that nearly any goal has; two texts that share only these have nothing to do with each other."""


def telling_words(text: str) -> frozenset[str]:
    """The words of a text but for common ones and variables, folded, plural s cut."""
    words = re.findall(r"\w+", re.sub(r"\{[^{}]*\}", " ", text).casefold())
    return frozenset(_stem(word) for word in words if word not in COMMON and len(word) > 1)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
