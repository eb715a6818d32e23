"""A line that says how far long work is: on a terminal and in a notebook, nowhere else."""
import sys
import time

QUIET_S = 1.0  # what takes less says nothing
STEP_S = 0.2


def _is_watched():
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or getattr(shell, "kernel", None) is not None


class Line:
    """Called with the runs that are done and all of them."""

    def __init__(self):
        self._begin = self._last = time.monotonic()
        self._drawn = False

    def __call__(self, done, total):
        now = time.monotonic()
        if now - self._begin < QUIET_S or now - self._last < STEP_S:
            return
        self._last, self._drawn = now, True
        left = (now - self._begin) / max(done, 1) * (total - done)
        sys.stderr.write(f"\r{done} of {total} runs, {left:.0f} s left   ")
        sys.stderr.flush()

    def close(self):
        if self._drawn:
            sys.stderr.write("\r" + " " * 60 + "\r")
            sys.stderr.flush()


def line():
    """A Line where somebody sees it, else None."""
    return Line() if _is_watched() else None
