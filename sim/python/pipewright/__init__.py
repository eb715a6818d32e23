"""Pipewright predicts how a large model trains on a cluster.

Every function is a command of the program with the same options: `--subject-to` is `subject_to`. An
experiment, a study or a cluster is a name of the catalogue, a path, a dict, a text of YAML, or what a
result has as its experiment.

    import pipewright as pw
    result = pw.simulate("gpt3-175b-selene", set={"parallel.tensor": 4})
    print(result.iteration_time_s, result.breakdown.bubble_s)
"""
import json as _json
import os as _os
from collections.abc import Mapping as _Mapping

from . import _pipewright as _core
from . import progress as _progress
from .errors import Failure, InputError
from .results import Record, Result

__version__ = _core.__version__

# What the command writes or prints, and what does so here.
WRITERS = {
    **{form: f"call save({form}=...) of the result" for form in ("json", "csv", "html", "trace")},
    "output": "call save(experiment=...) of the result, or save() with the forms that you want",
    "quiet": "leave it out, as a function prints nothing",
    "format": "print the result, or call save()",
}
# An option whose value is one YAML list; any other list is the option several times.
_LISTS = ("schedules",)
# An option whose value is numbers with commas between them.
_COMMAS = ("layers",)
# An option that names an experiment.
_EXPERIMENTS = ("experiment",)
_SUBJECT = "a name, a path, a dict, a text of YAML or an experiment of a result"


def _refuse(what, right):
    raise InputError(f"error: {what}; {right}", f"{what}; {right}")


def _plain(value):
    """A value in types of Python's own: NumPy's numbers and arrays, pandas' columns, ranges."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (range, set, frozenset)):
        return list(value)
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, _Mapping) and not isinstance(value, dict):
        return dict(value)
    return _os.fspath(value) if hasattr(value, "__fspath__") else value


def _json_of(value):
    plain = _plain(value)
    if plain is value:
        _refuse(f"this takes no {type(value).__name__}", "give a dict, a list, a text or a number")
    return plain


def _text(value):
    """A value as it stands on the command line. A whole number may be a float."""
    value = _plain(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else _json.dumps(value, default=_json_of)


def _words(options):
    """Options as the command line takes them: True is the option alone."""
    for name, value in options.items():
        value = _plain(value)
        if value is None or value is False:
            continue
        if name in WRITERS:
            _refuse(f"'{name}' is no option of a function", WRITERS[name])
        option = "--" + name.replace("_", "-")
        if value is True:
            yield option
        elif isinstance(value, (list, tuple)) and name in _COMMAS:
            yield f"{option}={','.join(map(_text, value))}"
        elif isinstance(value, (list, tuple)) and name not in _LISTS:
            for item in value:
                yield f"{option}={_text(item)}"
        else:
            yield f"{option}={_text(value)}"


def _is_document(value):
    """A dict, or a text that is no name: YAML has lines."""
    return isinstance(value, dict) or isinstance(value, str) and "\n" in value


class _Documents:
    """The one document that the words of a command may stand for, as `-`."""

    def __init__(self):
        self.document = None

    def word(self, subject):
        subject = _plain(subject)
        if _is_document(subject):
            if self.document is not None:
                _refuse("one dict at most", "write the other to a file")
            self.document = subject
            return "-"
        if not isinstance(subject, str):
            _refuse(f"this reads no {type(subject).__name__}", f"give {_SUBJECT}")
        return subject


def _assignments(settings):
    settings = _plain(settings)
    if settings is None:
        return []
    if not isinstance(settings, dict):
        _refuse(f"set= takes no {type(settings).__name__}", "give a dict such as {'parallel.tensor': 4}")
    return [f"--set={key}={_text(value)}" for key, value in settings.items()]


def _each(subjects):
    """The subjects, those of a list one by one: traces are often the paths of a folder."""
    for subject in map(_plain, subjects):
        yield from _each(subject) if isinstance(subject, (list, tuple)) else [subject]


def _ask(command, subjects, settings, progress, options):
    documents = _Documents()
    words = [documents.word(subject) for subject in _each(subjects)]
    words += _assignments(settings)
    words += _words({name: documents.word(value) if name in _EXPERIMENTS and value is not None else value
                     for name, value in options.items()})
    line = _progress.line() if progress is None else progress or None
    name = "text" if isinstance(documents.document, str) else "dict"
    try:
        return _core.ask(command, words, documents.document, name, line)
    finally:
        if isinstance(line, _progress.Line):
            line.close()


def _function(command, text):
    subject = text.split()[2].strip("[].").lower()

    def function(*subjects, set=None, progress=None, **options):
        if subject in options:
            subjects = (options.pop(subject), *subjects)
        return Result(_ask(command, subjects, set, progress, options))

    function.__name__ = function.__qualname__ = command
    function.__doc__ = text
    return function


_QUESTIONS = ("list", "schema")
# The functions and the help of each.
FUNCTIONS = {name: text for name, text in _core.functions().items() if name not in _QUESTIONS}
globals().update({name: _function(name, text) for name, text in FUNCTIONS.items()})


def _answer(command, *words):
    return _json.loads(_ask(command, words, None, False, {}).json())


def catalogue(kind, name=None):
    """What the catalogue holds of a kind, as names with a line each; of a name, the whole entry."""
    return _answer("list", kind, *([name] if name is not None else []))


def schema(kind):
    """The JSON Schema of a kind of file."""
    return _answer("schema", kind)


__all__ = ["Failure", "InputError", "Record", "Result", "catalogue", "schema", *FUNCTIONS]
