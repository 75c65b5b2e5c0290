"""Amounts of money as forms have them: dollars with a point in fields, cents in the data."""

import re


def cents(text: str) -> int | None:
    """An amount such as 12.50 in cents; None for what is none."""
    found = re.fullmatch(r"\$?(\d{1,6})(?:\.(\d{1,2}))?", text.replace(",", ""))
    return int(found[1]) * 100 + int((found[2] or "0").ljust(2, "0")) if found else None


def plain(amount: int | None) -> str:
    """Cents as a field has them: 12.50."""
    return "" if amount is None else f"{amount / 100:.2f}"
