"""The table that measurements go to: one row a measurement, written as soon as it is known."""

import csv
import os

COLUMNS = (
    "part",  # products, streams, attention, ...
    "what",  # the kernel or operator
    "precision",
    "direction",  # forward, backward or both
    "shape",  # words such as m=8192
    "us",  # microseconds, the median
    "flops",  # of the work
    "bytes",  # that must be read and written
    "watts",
    "mhz",
    "note",
)


class Rows:
    """Writes rows to a CSV file. A body that fails becomes a row whose note says why."""

    def __init__(self, path):
        self.folder = os.path.dirname(path) or "."
        self._file = open(path, "w", newline="")
        self._writer = csv.DictWriter(self._file, COLUMNS)
        self._writer.writeheader()

    def add(self, part, what, precision, direction, shape, seconds=None, **more):
        row = {
            "part": part,
            "what": what,
            "precision": precision,
            "direction": direction,
            "shape": " ".join(f"{name}={value}" for name, value in shape.items()),
            "us": "" if seconds is None else f"{seconds * 1e6:.5g}",
        }
        row.update({name: f"{v:.6g}" if isinstance(v, float) else v for name, v in more.items()})
        self._writer.writerow(row)
        self._file.flush()

    def tried(self, measure, part, what, precision, direction, shape, **more):
        """Adds what `measure()` takes in seconds, or why it could not be measured."""
        try:
            self.add(part, what, precision, direction, shape, measure(), **more)
        except Exception as error:  # a kernel that a release lacks is no reason to stop
            lines = str(error).splitlines() or [""]
            self.add(part, what, precision, direction, shape, note=f"failed: {lines[0][:120]}")
