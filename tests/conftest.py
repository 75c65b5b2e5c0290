"""Fixtures of all tests."""

from tests.pages.kit import shared_chromium

__all__ = ["shared_chromium"]
