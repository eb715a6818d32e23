"""Results: what the program writes as JSON, with its keys as attributes."""
import html
import io
import json


def _wrapped(value):
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_wrapped(item) for item in value]
    return value


class Record:
    """An object of a result. Its keys are attributes and items."""

    def __init__(self, data):
        self._data = data

    def to_dict(self):
        """The object as plain dicts and lists."""
        return self._data

    def __getattr__(self, name):
        if not name.startswith("__"):
            try:
                return _wrapped(self.to_dict()[name])
            except KeyError:
                pass
        raise AttributeError(f"no key '{name}' in this result", name=name, obj=self)

    def __getitem__(self, key):
        return _wrapped(self.to_dict()[key])

    def __contains__(self, key):
        return key in self.to_dict()

    def __iter__(self):
        return iter(self.to_dict())

    def __len__(self):
        return len(self.to_dict())

    def keys(self):
        return self.to_dict().keys()

    def __dir__(self):
        return [*super().__dir__(), *self.to_dict()]

    def __repr__(self):
        return repr(self.to_dict())


class Result(Record):
    """The result of a function: its JSON as attributes, its page and its trace to save."""

    def __init__(self, outcome):
        super().__init__(None)
        self._outcome = outcome

    def to_dict(self):
        if self._data is None:
            self._data = json.loads(self._outcome.json())
        return self._data

    def save(self, *, json=None, csv=None, html=None, trace=None):
        """Writes the forms that are named to files. A file is whole or not there."""
        targets = {"json": json, "csv": csv, "html": html, "trace": trace}
        for form, path in targets.items():
            if path is not None:
                getattr(self._outcome, "save_" + form)(str(path))

    def to_pandas(self):
        """The rows of the result as a DataFrame, with the columns of the program's CSV."""
        import pandas

        return pandas.read_csv(io.StringIO(self._outcome.csv()))

    def __repr__(self):
        return self._outcome.text(80).rstrip("\n")

    def _repr_html_(self):
        if not self._outcome.has_page:
            return f"<pre>{html.escape(repr(self))}</pre>"
        page = html.escape(self._outcome.html(), quote=True)
        return (f'<iframe srcdoc="{page}" width="100%" height="640" '
                'style="border: 0" sandbox="allow-scripts"></iframe>')
