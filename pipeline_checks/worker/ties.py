"""The child does not outlive its parent."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

PR_SET_PDEATHSIG = 1  # linux/prctl.h
LOOK_EVERY_S = 0.5


def die_with_parent(parent: int) -> None:
    """End this process when the parent ends, however it ends.

    Linux does it itself, even while native code never lets Python run. Elsewhere a thread looks
    twice a second, and ends the whole process group.

    Args:
        parent: The parent's process id.
    """
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - needed on Linux alone

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    else:
        threading.Thread(target=_watch_parent, args=[parent], daemon=True).start()
    if os.getppid() != parent:  # it ended before we could ask
        os.kill(os.getpid(), signal.SIGKILL)


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY_S)
    os.killpg(os.getpgid(0), signal.SIGKILL)
