"""Writes pipewright/__init__.pyi, the types of the module, from the module's own tables: the help of
its functions, and the JSON Schema of results.
  usage: stubs.py FOLDER_OF_THE_PACKAGE OUTPUT"""
import keyword
import re
import sys

OPTION = re.compile(r"--([a-z][a-z-]*)((?: [^ ,-][^ ,]*)?)")
PLAIN = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}
# What a run has beside its keys.
DERIVED = {"peak_memory_bytes": {"type": "integer", "description": "The most that a rank holds."}}
AS_SIMULATE = "other options are those of 'pipewright simulate'"
KEYS_OF_RESULTS = "result_keys"
HEAD = '''"""The types of the module. Generated from its tables."""
from os import PathLike
from typing import Any, Callable, Iterator, KeysView, Mapping, Sequence

__version__: str

Progress = Callable[[int, int], object] | bool | None

class InputError(ValueError):
    message: str
    hint: str
    file: str | None
    line: int | None
    column: int | None

class Failure(RuntimeError): ...

class Record:
    def to_dict(self) -> dict[str, Any]: ...
    def keys(self) -> KeysView[str]: ...
    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, key: str) -> Any: ...
    def __contains__(self, key: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

class Result(Record):
    def save(self, *, json: str | PathLike[str] | None = ..., csv: str | PathLike[str] | None = ...,
             html: str | PathLike[str] | None = ..., trace: str | PathLike[str] | None = ...,
             experiment: str | PathLike[str] | None = ...) -> None: ...
    @property
    def best(self) -> Record | None: ...
    def to_pandas(self) -> Any: ...
    def _repr_html_(self) -> str: ...

Subject = str | PathLike[str] | Mapping[str, Any] | Record

def catalogue(kind: str, name: str | None = ...) -> dict[str, Any]: ...
def schema(kind: str) -> dict[str, Any]: ...
'''


class Classes:
    """Classes for the objects of a schema, each written once."""

    def __init__(self, definitions):
        self.definitions = definitions
        self.names = {}
        self.texts = []

    def type_of(self, schema):
        if "$ref" in schema:
            return self.named(schema["$ref"].rsplit("/", 1)[1])
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.type_of(choice) for choice in schema["anyOf"]))
        if "const" in schema or "enum" in schema:
            return "str"
        kinds = schema.get("type", "object")
        if isinstance(kinds, list):
            return " | ".join(PLAIN.get(kind, "Any") for kind in kinds)
        if kinds == "array":
            return f"list[{self.type_of(schema['items'])}]" if "items" in schema else "list[Any]"
        return PLAIN.get(kinds, "Record")

    def named(self, name):
        definition = self.definitions[name]
        if "properties" not in definition or name == "experiment":
            return self.type_of({key: value for key, value in definition.items() if key != "$ref"})
        if name not in self.names:
            self.names[name] = "".join(part.capitalize() for part in name.split("_"))
            self.write(self.names[name], "Record", definition["properties"])
        return self.names[name]

    def write(self, title, base, properties):
        lines = [f"class {title}({base}):"]
        for key, schema in properties.items():
            if not key.isidentifier() or keyword.iskeyword(key):
                continue
            lines.append(f"    {key}: {self.type_of(schema)}")
            if "description" in schema:
                lines.append(f'    """{schema["description"]}"""')
        self.texts.append("\n".join(lines))


def entries(text):
    """The entries of a help text's lists: a line that begins with an option, and those below it."""
    found = []
    for line in text.splitlines():
        if re.match(r" {2}(-\w, )?--", line):
            found.append(line.strip())
        elif found and line.startswith("   "):
            found[-1] += " " + line.strip()
    return found


def type_of(option, value, entry):
    if option == "schedules":
        return "str | Sequence[Any]"
    if "epeatable" in entry:
        return "str | Sequence[str]"
    return "bool" if not value else "float" if value == "N" else "str | float"


def options_of(text, writers, simulate):
    """The options that a help text names, with their types: those that it only refers to have the
    types that they have in `simulate`."""
    found = dict(simulate) if AS_SIMULATE in text else {}
    for entry in entries(text):
        names = entry.split("  ")[0]
        for name, value in OPTION.findall(names):
            key = name.replace("-", "_")
            if name not in writers and name != "set":
                found[key] = (simulate if "as for" in entry else {}).get(
                    key, type_of(name, value.strip(), entry))
    return found


def function(name, text, options, result):
    subject = text.split()[2].strip("[].").lower()
    kind = "Subject | Sequence[Subject]" if text.split()[2].rstrip("]").endswith("...") else "Subject"
    settings = "set: Mapping[str, Any] | None = ..., " if "--set " in text or AS_SIMULATE in text else ""
    words = "".join(f", {key}: {kind} = ..." for key, kind in options.items())
    summary = text.strip().splitlines()[2]
    return (f"def {name}(*{subject}: {kind}, {settings}progress: Progress = ...{words}) -> {result}:\n"
            f'    """{summary}"""\n')


def main(folder, output):
    sys.path.insert(0, folder + "/..")
    import pipewright

    definitions = pipewright.schema("result")["$defs"]
    classes = Classes(definitions)
    classes.write("RunResult", "Result", {**definitions[KEYS_OF_RESULTS]["properties"], **DERIVED})
    parts = [HEAD, *(text + "\n" for text in classes.texts)]
    simulate = options_of(pipewright.FUNCTIONS["simulate"], pipewright.WRITERS, {})
    for name, text in pipewright.FUNCTIONS.items():
        parts.append(function(name, text, options_of(text, pipewright.WRITERS, simulate),
                              "RunResult" if name == "simulate" else "Result"))
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
