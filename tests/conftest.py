"""Fixtures of all tests."""

from tests.left_behind import nothing_is_left_behind
from tests.pages.kit import shared_chromium

__all__ = ["nothing_is_left_behind", "shared_chromium"]
