"""Signals of the operating system."""

import asyncio
import signal
import sys


def end_by_sigterm() -> None:
    """SIGTERM cancels the current task, as Ctrl-C does, so that it ends in good order."""
    task = asyncio.current_task()
    if task is not None and sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
