"""Values as native fields take them: dates, times, months, weeks, colours, numbers."""

import re
from datetime import date

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FORMATS = {
    "date": "YYYY-MM-DD",
    "time": "HH:MM",
    "datetime-local": "YYYY-MM-DDTHH:MM",
    "month": "YYYY-MM",
    "week": "YYYY-Www",
    "color": "#rrggbb",
    "range": "a number",
}
"""What each kind of native field takes."""


def for_field(kind: str, text: str) -> str | None:
    """The text as a field of this kind takes it; None where it can't be read without guessing."""
    text = text.strip()
    if not text:
        return ""
    readers = {
        "date": _date,
        "time": _time,
        "datetime-local": _date_time,
        "month": _month,
        "week": _week,
        "color": _color,
        "range": _number,
    }
    return readers[kind](text)


def _date(text: str) -> str | None:
    found = re.match(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:$|[T ])", text)
    if found:
        return _real_date(found[1], found[2], found[3])
    found = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?\.? ([a-z]{3,9})\.?,? (\d{4})", text, re.IGNORECASE)
    if found and _month_number(found[2]):
        return _real_date(found[3], _month_number(found[2]), found[1])
    found = re.fullmatch(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})", text, re.IGNORECASE)
    if found and _month_number(found[1]):
        return _real_date(found[3], _month_number(found[1]), found[2])
    found = re.fullmatch(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})", text)
    if found:
        return _numbers_only(int(found[1]), int(found[3]), found[4], dotted=found[2] == ".")
    return None


def _numbers_only(first: int, second: int, year: str, *, dotted: bool) -> str | None:
    """Day and month in either order; None where both could be the month."""
    if dotted or first > 12 or first == second:
        return _real_date(year, second, first)
    if second > 12:
        return _real_date(year, first, second)
    return None


def _real_date(year: str, month: str | int, day: str | int) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _month_number(name: str) -> int:
    short = name[:3].lower()
    return MONTHS.index(short) + 1 if short in MONTHS else 0


def _time(text: str) -> str | None:
    found = re.fullmatch(
        r"(\d{1,2})(?::(\d{2}))?(?::(\d{2})(\.\d{1,3})?)?\s*([ap])?\.?(?:m\.?)?", text, re.IGNORECASE
    )
    if not found or (found[2] is None and not found[5]):
        return None
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[5]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[5].lower() == "p" else 0)
    if hour > 23 or minute > 59 or int(found[3] or 0) > 59:
        return None
    seconds = f":{found[3]}{found[4] or ''}" if found[3] else ""
    return f"{hour:02}:{minute:02}{seconds}"


def _date_time(text: str) -> str | None:
    text = text.removesuffix("Z")
    found = re.fullmatch(
        r"(.+?)(?:T|,? (?:at )?)(\d{1,2}(?::\d{2}(?::\d{2}(?:\.\d+)?)?)?\s*(?:[ap]\.?m\.?)?)",
        text,
        re.IGNORECASE,
    )
    if not found:
        return None
    day, hour = _date(found[1]), _time(found[2])
    return f"{day}T{hour}" if day and hour else None


def _month(text: str) -> str | None:
    found = re.fullmatch(r"(\d{4})[-/.](\d{1,2})(?:[-/.]\d{1,2})?", text)
    if found and 1 <= int(found[2]) <= 12:
        return f"{found[1]}-{int(found[2]):02}"
    found = re.fullmatch(r"(\d{1,2})[-/.](\d{4})", text)
    if found and 1 <= int(found[1]) <= 12:
        return f"{found[2]}-{int(found[1]):02}"
    found = re.fullmatch(r"([a-z]{3,9})\.?,? (\d{4})", text, re.IGNORECASE)
    if found and _month_number(found[1]):
        return f"{found[2]}-{_month_number(found[1]):02}"
    return None


def _week(text: str) -> str | None:
    found = re.fullmatch(r"(\d{4})-?\s?W(\d{1,2})", text, re.IGNORECASE)
    if not found:
        found = re.fullmatch(r"(?:week|W) ?(?P<w>\d{1,2})(?: of|,)? (?P<y>\d{4})", text, re.IGNORECASE)
        year, week = (found["y"], int(found["w"])) if found else ("", 0)
    else:
        year, week = found[1], int(found[2])
    if not 1 <= week <= 53:
        day = _date(text)
        if day is None:
            return None
        year_number, week, _ = date.fromisoformat(day).isocalendar()
        year = f"{year_number:04}"
    return f"{year}-W{week:02}"


_COLORS = {
    "black": "#000000", "white": "#ffffff", "red": "#ff0000", "lime": "#00ff00", "green": "#008000",
    "blue": "#0000ff", "yellow": "#ffff00", "orange": "#ffa500", "purple": "#800080", "pink": "#ffc0cb",
    "gray": "#808080", "grey": "#808080", "cyan": "#00ffff", "magenta": "#ff00ff", "brown": "#a52a2a",
}  # fmt: skip


def _color(text: str) -> str | None:
    text = text.lower()
    if text in _COLORS:
        return _COLORS[text]
    if re.fullmatch(r"#?[0-9a-f]{6}", text):
        return "#" + text.removeprefix("#")
    if re.fullmatch(r"#[0-9a-f]{3}", text):
        return "#" + "".join(digit * 2 for digit in text[1:])
    found = re.fullmatch(r"rgb\((\d{1,3}),? ?(\d{1,3}),? ?(\d{1,3})\)", text)
    if found and all(int(part) < 256 for part in found.groups()):
        return "#" + "".join(f"{int(part):02x}" for part in found.groups())
    return None


def _number(text: str) -> str | None:
    found = re.fullmatch(r"([-+]?\d*[.,]?\d+(?:e[-+]?\d+)?)\s*\D{0,3}", text, re.IGNORECASE)
    if not found:
        return None
    return found[1].replace(",", ".").removeprefix("+")
