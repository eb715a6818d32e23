"""The parameters of the functions, from the help of their commands."""
import functools
import inspect
import re

from . import _pipewright as _core

# What a command writes or prints, and what does so here.
WRITERS = {
    **{form: f"call save({form}=...) of the result" for form in ("json", "csv", "html", "trace")},
    "output": "call save(experiment=...) of the result, or save() with the forms that you want",
    "quiet": "leave it out, as a function prints nothing",
    "format": "print the result, or call save()",
}
# An option whose value is numbers with commas between them.
COMMAS = ("layers",)
# An option that names an experiment.
SUBJECTS = ("experiment",)
QUESTIONS = ("list", "schema")
# The functions and the help of each.
FUNCTIONS = {name: text for name, text in _core.functions().items() if name not in QUESTIONS}

_OPTION = re.compile(r"--([a-z][a-z-]*)((?: [^ ,-][^ ,]*)?)")
_AS_SIMULATE = "other options are those of 'pipewright simulate'"
_BUT_FOR = ("verbose",)  # which none of the others has
_SETTINGS = "Mapping[str, Any] | None"


def subject_of(text):
    """What a command is about, as its help names it: 'experiment'."""
    return text.split()[2].strip("[].").lower()


def takes_many(text):
    """Whether a command has any number of subjects, as its help says by '...'."""
    return text.split()[2].rstrip("]").endswith("...")


def is_optional(text):
    """Whether a command does without its subject, as its help says by brackets."""
    return text.split()[2].startswith("[")


def summary_of(text):
    """The first line that a help text says of its command."""
    return text.strip().splitlines()[2]


# What only the command line has: usage, examples, standard output and exit status.
_OF_THE_LINE = re.compile(r"pipewright |  pipewright |Examples?:|Exit status|'-' as FILE")
_HEAD = re.compile(r" {2}(?:-\w, )?--([a-z][a-z-]*)((?: [^ ]+)*) *")
_NAMED = re.compile(r"--([a-z][a-z-]*)")


def _head_of(match):
    """The head of an entry as a parameter, as wide as it was."""
    return f"  {match[1].replace('-', '_')}={match[2].strip() or 'True'}  ".ljust(len(match[0]))


def _parameter(match):
    return match[1].replace("-", "_")


def doc_of(name):
    """The help of a command as that of its function: what the function takes, by its names."""
    lines, left_out = [], False
    for line in FUNCTIONS[name].strip().splitlines():
        head = _HEAD.match(line)
        left_out = head[1] in (*WRITERS, "set") if head else left_out and line.startswith("   ")
        if not left_out and not _OF_THE_LINE.match(line):
            named = _head_of(head) + line[head.end():] if head else line
            lines.append(named if "pipewright " in line else _NAMED.sub(_parameter, named))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    tail = "progress=False keeps it quiet. save() of the result writes files: save(json=, csv=, html=, trace=)."
    if "set" in parameters(name):
        tail = "set={'key.path': value} changes values of the experiment.\n" + tail
    return f"{text}\n\n{tail}\n"


def _entries(text):
    """The entries of a help text's lists: a line that begins with an option, and those below it."""
    found = []
    for line in text.splitlines():
        if re.match(r" {2}(-\w, )?--", line):
            found.append(line.strip())
        elif found and line.startswith("   "):
            found[-1] += " " + line.strip()
    return found


def _type_of(option, value, entry):
    """The type of an option, as a stub writes it. `value` is what its help puts behind it."""
    if option in COMMAS:
        return "SupportsIndex | str | Sequence[SupportsIndex] | None"
    if option in SUBJECTS:
        return "_Subject | None"
    if option == "schedules":
        return "str | Sequence[Any] | None"
    if "epeatable" in entry:
        return "str | Sequence[str] | None"
    return "bool | None" if not value else "SupportsIndex | None" if value == "N" else "_Value"


def _options_of(text, simulate):
    """The options that a help text names, with their types. An option that the text only refers to has
    the type that it has in `simulate`."""
    as_simulate = {key: kind for key, kind in simulate.items() if key not in _BUT_FOR}
    found = as_simulate if _AS_SIMULATE in text else {}
    for entry in _entries(text):
        names = entry.split("  ")[0]
        for name, value in _OPTION.findall(names):
            key = name.replace("-", "_")
            if name not in WRITERS and name != "set":
                its = simulate.get(key) if "as for" in entry else None
                found[key] = its or _type_of(name, value.strip(), entry)
    return found


@functools.cache
def parameters(name):
    """The keyword parameters of a function with the type of each, in their order."""
    text = FUNCTIONS[name]
    settings = {"set": _SETTINGS} if "--set " in text or _AS_SIMULATE in text else {}
    return {**settings, "progress": "_Progress", **_options_of(text, _options_of(FUNCTIONS["simulate"], {}))}


def signature(name):
    """The signature that help() and editors show."""
    kinds, text = inspect.Parameter, FUNCTIONS[name]
    if takes_many(text):
        subject = kinds(subject_of(text), kinds.VAR_POSITIONAL)
    else:
        default = None if is_optional(text) else kinds.empty
        subject = kinds(subject_of(text), kinds.POSITIONAL_OR_KEYWORD, default=default)
    return inspect.Signature(
        [subject,
         *(kinds(key, kinds.KEYWORD_ONLY, default=None) for key in parameters(name))])
