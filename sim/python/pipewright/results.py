"""Results: what the program writes as JSON, with its keys as attributes."""
import copy
import difflib
import html
import io
import json
import os

from . import _pipewright as _core
from .errors import InputError


def _wrapped(value):
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_wrapped(item) for item in value]
    return value


def _peak_memory(data):
    """The most that a rank holds, as the CSV has it; None where there are no ranks."""
    ranks = data.get("ranks")
    peaks = [rank.get("peak_memory_bytes") for rank in ranks] if isinstance(ranks, list) else []
    return max((peak for peak in peaks if peak is not None), default=None)


# Attributes that follow from the keys of a run.
_DERIVED = {"peak_memory_bytes": _peak_memory}


def _lasting(value):
    """What does not differ when the same is simulated again: all but the simulator's own times."""
    if isinstance(value, dict):
        return {key: _lasting(item) for key, item in value.items() if key != "simulation"}
    return [_lasting(item) for item in value] if isinstance(value, list) else value


class Record:
    """An object of a result. Its keys are attributes and items."""

    def __init__(self, data):
        self._data = data

    def to_dict(self):
        """The object as plain dicts and lists. They are a copy: changing them leaves the result as it is."""
        return copy.deepcopy(self._content())

    def _content(self):
        return self._data

    def _derived(self):
        data = self._content()
        found = {name: of(data) for name, of in _DERIVED.items() if name not in data}
        return {name: value for name, value in found.items() if value is not None}

    def __getattr__(self, name):
        if not name.startswith("_"):
            data = self._content()
            if name in data:
                return _wrapped(data[name])
            if name in _DERIVED and name in self._derived():
                return self._derived()[name]
        raise AttributeError(self._no_key(name), name=name, obj=self)

    def _no_key(self, name):
        keys = list(self._content()) if not name.startswith("_") else []
        near = difflib.get_close_matches(name, keys, 1) or [key for key in keys if key.startswith(name)][:1]
        hint = f"; did you mean '{near[0]}'?" if near else f"; it has: {', '.join(keys)}" if keys else ""
        return f"no key '{name}' in this result{hint}"

    def __setattr__(self, name, value):
        if not name.startswith("_"):
            raise AttributeError(f"'{name}' of a result cannot be set; change what to_dict() returns", name=name, obj=self)
        super().__setattr__(name, value)

    def __getitem__(self, key):
        return _wrapped(self._content()[key])

    def __contains__(self, key):
        return key in self._content()

    def __iter__(self):
        return iter(self._content())

    def __len__(self):
        return len(self._content())

    def keys(self):
        return self._content().keys()

    def __dir__(self):
        return [*super().__dir__(), *self._content(), *self._derived()]

    def __eq__(self, other):
        """Records are equal where all that they say is, but for the times that the simulator itself took."""
        if not isinstance(other, Record):
            return NotImplemented
        return _lasting(self._content()) == _lasting(other._content())

    def __hash__(self):
        return hash(json.dumps(_lasting(self._content()), sort_keys=True))

    def __repr__(self):
        return repr(self._content())

    def __reduce__(self):
        return Record, (self._content(),)


class _Kept:
    """The forms of an outcome that a pickle keeps: JSON, CSV and text."""

    has_page = False

    def __init__(self, json, csv, text, best):
        self._forms = {"json": json, "csv": csv}
        self._text, self.best = text, best

    def _form(self, form):
        if self._forms.get(form) is None:
            message = f"a result that was pickled has no {form}; call save({form}=...) before"
            raise InputError(f"error: {message}", message)
        return self._forms[form]

    def json(self):
        return self._form("json")

    def csv(self):
        return self._form("csv")

    def text(self, columns):
        return self._text

    def save(self, form, path):
        _core.write(path, self._form(form))


class Result(Record):
    """The result of a function: its JSON as attributes, its page and its trace to save."""

    def __init__(self, outcome):
        super().__init__(None)
        self._outcome = outcome

    def _content(self):
        if self._data is None:
            self._data = json.loads(self._outcome.json())
        return self._data

    @property
    def best(self):
        """What the program says to take: of a sweep or a comparison a row, of a plan a proposal; None where nothing
        fits."""
        if "results" not in self:
            return self.__getattr__("best")
        place = self._outcome.best
        return None if place is None else self["results"][place]

    def __dir__(self):
        has_best = "results" in self or "best" in self
        return [name for name in super().__dir__() if name != "best" or has_best]

    def save(self, *, json=None, csv=None, html=None, trace=None, experiment=None):
        """Writes the forms that are named to files. A file is whole or not there.

        `experiment` is the job as an experiment: of a plan the best, of a diagnosis the one that was found."""
        targets = {"json": json, "csv": csv, "html": html, "trace": trace, "experiment": experiment}
        wanted = {form: os.fsdecode(path) for form, path in targets.items() if path is not None}
        if not wanted:
            message = f"save() needs a file to write; name one of {', '.join(f'{form}=' for form in targets)}"
            raise InputError(f"error: {message}", message)
        for form, path in wanted.items():
            self._outcome.save(form, path)

    def to_pandas(self):
        """The rows of the result as a DataFrame, with the columns of the program's CSV. `feasible` is
        False where a combination cannot be, which has a reason."""
        import pandas

        frame = pandas.read_csv(io.StringIO(self._outcome.csv()))
        if "schedule" in frame and "feasible" in frame:
            frame["feasible"] = frame["feasible"].eq(True)
        return frame

    def __repr__(self):
        return self._outcome.text(80).rstrip("\n")

    def _repr_html_(self):
        if not self._outcome.has_page:
            return f"<pre>{html.escape(repr(self))}</pre>"
        page = html.escape(self._outcome.html(), quote=True)
        return (f'<iframe srcdoc="{page}" width="100%" height="640" '
                'style="border: 0" sandbox="allow-scripts"></iframe>')

    def __deepcopy__(self, memo):
        return Result(self._outcome)

    def __reduce__(self):
        try:
            csv = self._outcome.csv()
        except InputError:
            csv = None
        return _restored, (self._outcome.json(), csv, self._outcome.text(80), self._outcome.best)


def _restored(*forms):
    return Result(_Kept(*forms))
