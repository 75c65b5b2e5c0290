"""Booking references: six letters and digits, none of which look alike."""

SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def reference(number: int) -> str:
    """The reference of the booking with this number, from 1; no two have the same below 32**6."""
    mixed = (number * 654_188_429 + 98_765_431) % 32**6
    return "".join(SIGNS[mixed >> shift & 31] for shift in range(25, -1, -5))
