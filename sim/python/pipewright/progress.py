"""A line that says how far long work is: on a terminal and in a notebook, nowhere else."""
import sys
import time

RUNS = "runs"  # what the core says of work with many runs
QUIET_S = 1.0  # what takes less says nothing
STEP_S = 0.2


def _is_watched():
    if sys.stderr is None:
        return False
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or getattr(shell, "kernel", None) is not None


def _text(what, done, total, passed):
    """'3 of 10 runs, 5 s left', or 'simulating: 42 %, 3 s left'. Nobody knows a total of 0."""
    if not total:
        return f"{what}: {done}, {passed:.0f} s" if done else f"{what}: {passed:.0f} s"
    left = f", {passed / done * (total - done):.0f} s left" if done else ""
    return f"{done} of {total} runs{left}" if what == RUNS else f"{what}: {100 * done / total:.0f} %{left}"


class Line:
    """Called with what is being done, how much of it is done, and all of it."""

    def __init__(self):
        self._begin = self._since = self._last = time.monotonic()
        self._what, self._width = None, 0

    def __call__(self, what, done, total):
        now = time.monotonic()
        if what != self._what:
            self._what, self._since = what, now
        if now - self._begin < QUIET_S or now - self._last < STEP_S:
            return
        self._last = now
        self._draw(_text(what, done, total, now - self._since))

    def _draw(self, text):
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = max(self._width, len(text))

    def close(self):
        if self._width:
            self._draw("")
            sys.stderr.write("\r")
            sys.stderr.flush()


def teller(progress):
    """What the core tells how far it is. `progress` is as a caller gives it: None is a Line where somebody
    sees it, True a Line, False nothing, and a function is called with the runs that are done and all of them."""
    if progress is None:
        return Line() if _is_watched() else None
    if progress is True:
        return Line()
    return (lambda what, done, total: progress(done, total) if what == RUNS else None) if progress else None
