"""Pipewright predicts how a large model trains on a cluster.

Every function is a command of the program with the same options: `--subject-to` is `subject_to`. An
experiment, a study or a cluster is a name of the catalogue, a path or a dict.

    import pipewright as pw
    result = pw.simulate("gpt3-175b-selene", set={"parallel.tensor": 4})
    print(result.iteration_time_s, result.breakdown.bubble_s)
"""
import json as _json
import os as _os

from . import _pipewright as _core
from . import progress as _progress
from .errors import Failure, InputError
from .results import Record, Result

__version__ = _core.__version__

# What a result writes when it is told to, by save().
WRITERS = ("json", "csv", "html", "trace", "output", "quiet", "format")
# An option whose value is one YAML list; any other list is the option several times.
_LISTS = ("schedules",)


def _text(value):
    return value if isinstance(value, str) else _json.dumps(value)


def _words(options):
    """Options as the command line takes them: True is the option alone."""
    for name, value in options.items():
        if name in WRITERS:
            raise InputError(f"error: '{name}': call save() of the result", "call save() of the result")
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield option
        elif isinstance(value, (list, tuple)) and name not in _LISTS:
            for item in value:
                yield f"{option}={_text(item)}"
        else:
            yield f"{option}={_os.fspath(value) if hasattr(value, '__fspath__') else _text(value)}"


def _ask(command, subjects, settings, progress, options):
    documents = [subject for subject in subjects if isinstance(subject, dict)]
    if len(documents) > 1:
        raise InputError("error: one dict at most", "one dict at most")
    words = ["-" if isinstance(subject, dict) else _os.fspath(subject) for subject in subjects]
    words += [f"--set={key}={_text(value)}" for key, value in (settings or {}).items()]
    words += _words(options)
    line = _progress.line() if progress is None else progress or None
    try:
        return _core.ask(command, words, documents[0] if documents else None, "dict", line)
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
