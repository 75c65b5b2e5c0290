"""Takes a secret out of texts, however it is spelt there."""

import base64
import re
import unicodedata
from collections.abc import Callable, Mapping
from html.entities import codepoint2name
from typing import Any

MASK = "••••••••"
"""What is kept of text that went into a password field."""
_SECRET_NAME = re.compile(r"API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
SHORT = 4
"""A secret of fewer characters is taken out as a whole word only: it would blot out half of a text."""
_BLANK = (
    r"(?:\s|\+|(?i:%(?:25)*(?:20|0a|0d|09|c2%(?:25)*a0))|\\+[nrt]|&(?:amp;)*(?:#(?:10|13|32|160)|nbsp);)+"
)
_NOT_IN_NAMES = '"*/:<>?\\|'
"""Characters for which the browser writes _ in names of files."""
_IN_JSON = {"\b": "b", "\f": "f"}
_LONGEST_BEGUN = 60
"""Characters of a secret whose beginnings are looked for."""
_LEAST_BASE64 = 5
"""Characters; fewer are found anywhere."""

Masker = Callable[[str], str]


def is_secret_name(name: str) -> bool:
    """Whether an environment variable is called like one that holds a key, a token or a password."""
    return _SECRET_NAME.search(name) is not None


def masker(secret: str) -> Masker:
    """A function that replaces a secret by MASK, however it is spelt; see `spelt`."""
    if not secret.strip():
        return str
    pattern = re.compile(spelt(secret))
    return lambda text: pattern.sub(MASK, text)


class Masks:
    """Masks one after the other, to which others come as secrets become known, each `of` something that ends."""

    def __init__(self, first: Masker) -> None:
        self._first = first
        self._more: list[tuple[str, Masker]] = []

    def __call__(self, text: str) -> str:
        text = self._first(text)
        for _, mask in self._more:
            text = mask(text)
        return text

    def add(self, mask: Masker, of: str = "") -> None:
        """Takes a secret out of all texts from now on."""
        self._more.append((of, mask))

    def drop(self, of: str) -> None:
        """Forgets the secrets of what has ended."""
        self._more = [one for one in self._more if one[0] != of]


def masked_within(mask: Masker, value: Any, key: Masker = str) -> Any:
    """JSON data with `mask` over all texts in it, and `key` over the names."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key(str(name)): masked_within(mask, item, key) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked_within(mask, item, key) for item in value]
    return value


def spelt(secret: str) -> str:
    """A regular expression of a secret's spellings: as it is, in capitals, in small letters, with its
    white space collapsed or broken, escaped for URLs, forms, JSON, YAML or HTML (once or more often),
    and inside of base64. White space at its ends counts for nothing."""
    secret = secret.strip()
    forms = {unicodedata.normalize(form, secret) for form in ("NFC", "NFD")} | {secret}
    forms |= {secret.lower(), secret.upper()}
    plain = "|".join(_escaped(form) for form in sorted(forms, key=lambda form: (-len(form), form)))
    if len(secret) < SHORT:
        return rf"(?<!\w)(?:{plain})(?!\w)"
    return "|".join([plain, *_in_base64(secret)])


def begun(secret: str) -> str:
    """A regular expression of a secret that is not whole yet, while it is typed letter by letter: its first half
    and whatever follows of the rest, escaped or not, to the end of a word that is no key of JSON."""
    text = secret.strip()[:_LONGEST_BEGUN]
    half = max(SHORT, (len(text) + 1) // 2)
    rest = ""
    for char in reversed(text[half:]):
        rest = f"(?:{_character(char)}{rest})?"
    if len(text) <= half:
        return "(?!)"  # short ones are looked for whole
    return "".join(map(_character, text[:half])) + rest + r'(?!\w|":)'


def _escaped(text: str) -> str:
    return "".join(_BLANK if part.isspace() else "".join(map(_character, part)) for part in _parts(text))


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"(\s+)", text) if part]


def _character(char: str) -> str:
    """One character with all its escapes, the longer ones first. Letters and digits have none: nothing
    that serialises texts escapes them."""
    if char.isascii() and char.isalnum():
        return char
    number = ord(char)
    percent = "".join(f"%(?:25)*{byte:02x}" for byte in char.encode())
    units = char.encode("utf-16-be").hex(" ", 2).split()
    names = [f"#0*{number}", f"#x0*{number:x}"]
    named = codepoint2name.get(number) or ("apos" if char == "'" else "")
    if named:
        names.append(named)
    forms = [
        f"(?i:{percent})",
        "(?i:" + "".join(rf"\\+u{unit}" for unit in units) + ")",
        f"(?i:&(?:amp;)*(?:{'|'.join(names)});)",
    ]
    if number < 256:
        forms.append(rf"(?i:\\+x{number:02x})")
    if char in _IN_JSON:
        forms.append(rf"\\+{_IN_JSON[char]}")
    if char.isascii() and not char.isalnum():
        forms.append(rf"\\+{re.escape(char)}")
    if char in _NOT_IN_NAMES:
        forms.append("_")
    return f"(?:{'|'.join([*forms, re.escape(char)])})"


def _in_base64(secret: str) -> list[str]:
    """The secret inside of base64, at each of the three places that it can have in a group of bytes;
    what its first and last characters share with their neighbours is left out."""
    data = secret.encode()
    found = []
    for before in range(3):
        text = base64.b64encode(bytes(before) + data).decode()
        inner = text.rstrip("=")[(0, 2, 3)[before] :]
        if text.endswith("="):
            inner = inner[:-1]
        if len(inner) >= _LEAST_BASE64:
            found.append("".join({"+": "(?:[+-]|%2[bB])", "/": "(?:[/_]|%2[fF])"}.get(c, c) for c in inner))
    return found
