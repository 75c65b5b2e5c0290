"""Amounts of money: kept in cents, shown in dollars."""


def money(cents: int) -> str:
    """1299 as "$12.99", 129900 as "$1,299.00"."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"
