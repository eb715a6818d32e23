"""Pipewright predicts how a large model trains on a cluster.

Every function is a command of the program with the same options: `--subject-to` is `subject_to`. An
experiment, a study or a cluster is a name of the catalogue, a path, a dict, a text of YAML, or what a
result has as its experiment.

    import pipewright as pw
    result = pw.simulate("gpt3-175b-selene", set={"parallel.tensor": 4})
    print(result.iteration_time_s, result.breakdown.bubble_s)
"""
import difflib as _difflib
import json as _json
import os as _os
from collections.abc import Mapping as _Mapping

from . import _pipewright as _core
from . import progress as _progress
from . import signatures as _signatures
from .errors import Failure, InputError
from .results import Record, Result
from .signatures import FUNCTIONS, WRITERS

__version__ = _core.__version__

# An option whose value is one YAML list; any other list is the option several times.
_LISTS = ("schedules",)
_SUBJECT = "a name, a path, a dict, a text of YAML or the experiment of a result"
# Where a result has an experiment, by a key of its own.
_EXPERIMENT_OF = {"experiment": "experiment", "experiment_yaml": "experiment_yaml",
                  "results": "best.experiment", "proposals": "best.experiment_yaml"}


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


def _text(name, value):
    """The value of `name` as it stands on the command line. A whole number may be a float."""
    def plain_of(part):
        plain = _plain(part)
        if plain is part:
            _refuse(f"{name} takes no {type(part).__name__}", "give a dict, a list, a text or a number")
        return plain

    value = _plain(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return value if isinstance(value, str) else _json.dumps(value, default=plain_of)
    except InputError:
        raise
    except (TypeError, ValueError) as error:  # keys that are no text; what holds itself
        _refuse(f"{name} cannot be read: {error}", "give a dict, a list, a text or a number")


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
        elif isinstance(value, (list, tuple)) and name in _signatures.COMMAS:
            yield f"{option}={','.join(_text(name, item) for item in value)}"
        elif isinstance(value, (list, tuple)) and name not in _LISTS:
            for item in value:
                yield f"{option}={_text(name, item)}"
        else:
            yield f"{option}={_text(name, value)}"


def _refuse_unknown(command, options):
    """Refuses names that are no options of the command. What looks like one is often a key of the experiment."""
    known = [*_signatures.parameters(command), *WRITERS]
    for name in options:
        if name in known:
            continue
        near = _difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}=?" if near else "keys stand in the dict that is run, or in set={'parallel.tensor': 4}"
        _refuse(f"{command} has no option {name}=", hint)


def _is_document(value):
    """A dict, or a text that is no name and no path: YAML has lines, or keys on one of them."""
    if not isinstance(value, str):
        return isinstance(value, dict)
    has_keys = ": " in value or value.lstrip().startswith("{")
    return "\n" in value or has_keys and not _os.path.exists(value)


def _refuse_result(command, result):
    for key, attribute in _EXPERIMENT_OF.items():
        if key in result:
            _refuse(f"{command} takes no result", f"give its experiment, result.{attribute}")
    if isinstance(result, Result):
        _refuse(f"{command} takes no result", f"give {_SUBJECT}")


class _Documents:
    """The one document that the words of a command may stand for, as `-`."""

    def __init__(self, command):
        self.command, self.document = command, None

    def word(self, subject):
        if isinstance(subject, Record):
            _refuse_result(self.command, subject)
        subject = _plain(subject)
        if _is_document(subject):
            if self.document is not None:
                _refuse("one dict at most", "write the other to a file")
            self.document = subject
            return "-"
        if not isinstance(subject, str):
            _refuse(f"{self.command} takes no {type(subject).__name__}", f"give {_SUBJECT}")
        return subject


def _assignments(settings):
    settings = _plain(settings)
    if settings is None:
        return []
    if not isinstance(settings, dict):
        _refuse(f"set= takes no {type(settings).__name__}", "give a dict such as {'parallel.tensor': 4}")
    for key in settings:
        if not isinstance(key, str) or not key or "=" in key:
            _refuse(f"set= has the key {key!r}", "a key is a text such as 'parallel.tensor'")
    return [f"--set={key}={_text(key, value)}" for key, value in settings.items()]


def _each(subjects):
    """The subjects, those of a list one by one: traces are often the paths of a folder."""
    for subject in subjects:
        yield from _each(subject) if isinstance(subject, (list, tuple)) else [subject]


def _ask(command, subjects, settings, progress, options):
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        _refuse(f"progress= takes no {type(progress).__name__}", "give a function of two numbers, True or False")
    documents = _Documents(command)
    words = [documents.word(subject) for subject in subjects]
    words += _assignments(settings)
    words += _words({name: documents.word(value) if name in _signatures.SUBJECTS and value is not None else value
                     for name, value in options.items()})
    line = _progress.teller(progress)
    name = "text" if isinstance(documents.document, str) else "dict"
    try:
        return _core.ask(command, words, documents.document, name, line)
    finally:
        if isinstance(line, _progress.Line):
            line.close()


def _function(command, text):
    subject, takes_many = _signatures.subject_of(text), _signatures.takes_many(text)
    is_optional = _signatures.is_optional(text)

    def function(*subjects, set=None, progress=None, **options):
        if subject in options:
            subjects = (options.pop(subject), *subjects)
        if is_optional and subjects == (None,):
            subjects = ()
        try:
            return Result(_ask(command, _each(subjects) if takes_many else subjects, set, progress, options))
        except InputError as error:
            if error.message.startswith("unknown option"):
                _refuse_unknown(command, options)
            raise

    function.__name__ = function.__qualname__ = command
    function.__doc__ = _signatures.doc_of(command)
    function.__signature__ = _signatures.signature(command)
    return function


globals().update({name: _function(name, text) for name, text in FUNCTIONS.items()})


def _answer(command, *words):
    for word in words:
        if not isinstance(word, str):
            _refuse(f"{command} takes no {type(word).__name__}", "give a kind, as a text")
    return _json.loads(_ask(command, words, None, False, {}).json())


def catalogue(kind, name=None):
    """What the catalogue holds of a kind, as names with a line each; of a name, the whole entry."""
    return _answer("list", kind, *([name] if name is not None else []))


def schema(kind):
    """The JSON Schema of a kind of file."""
    return _answer("schema", kind)


def __dir__():
    return [*__all__, "__version__"]


__all__ = ["Failure", "InputError", "Record", "Result", "catalogue", "schema", *FUNCTIONS]
