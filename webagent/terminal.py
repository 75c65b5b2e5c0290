"""Text as it may be written on a terminal."""

import unicodedata


def printable(text: str, limit: int = 200) -> str:
    """One line without control characters, which a page could use to write on the terminal."""
    kept = "".join(" " if unicodedata.category(char)[0] == "C" else char for char in text)
    line = " ".join(kept.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
