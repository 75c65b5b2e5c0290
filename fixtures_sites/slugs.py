"""Names as they appear in addresses of pages and as search compares them."""

import re


def slugify(text: str) -> str:
    """Lower-case words joined by hyphens: "Children's Hospital" -> "childrens-hospital"."""
    return "-".join(words(text))


def words(text: str) -> list[str]:
    """The lower-case words and numbers of a text, apostrophes and full stops dropped."""
    return re.findall(r"[a-z0-9]+", text.casefold().replace("&", " and ").translate(_DROPPED))


_DROPPED = {ord(char): None for char in "'’."}
