"""Writes pipewright/__init__.pyi, the types of the module, from the module's own tables: the help of
its functions, and the JSON Schema of results.
  usage: stubs.py FOLDER_OF_THE_PACKAGE OUTPUT"""
import keyword
import sys

PLAIN = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}
# What a run has beside its keys.
DERIVED = {"peak_memory_bytes": {"type": "integer", "description": "The most that a rank holds."}}
KEYS_OF_RESULTS = "result_keys"
HEAD = '''"""The types of the module. Generated from its tables."""
from os import PathLike
from typing import Any, Callable, Iterator, KeysView, Mapping, Sequence, SupportsIndex

__version__: str

_Path = str | PathLike[str] | None
_Value = str | float | PathLike[str] | None
_Progress = Callable[[int, int], object] | bool | None

class InputError(ValueError):
    message: str
    hint: str
    file: str | None
    line: int | None
    column: int | None
    def __init__(self, text: str, message: str = ..., file: str = ..., line: int = ..., column: int = ...) -> None: ...

class Failure(RuntimeError): ...

class Record:
    def __init__(self, data: Any) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def keys(self) -> KeysView[str]: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
    def __getitem__(self, key: str) -> Any: ...
    def __contains__(self, key: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Result(Record):
    def __init__(self, outcome: Any) -> None: ...
    def __deepcopy__(self, memo: Any) -> Result: ...
    def save(self, *, json: _Path = ..., csv: _Path = ..., html: _Path = ..., trace: _Path = ...,
             experiment: _Path = ...) -> None: ...
    @property
    def best(self) -> Record | None: ...
    def to_pandas(self) -> Any: ...
    def _repr_html_(self) -> str: ...

_Subject = str | PathLike[str] | Mapping[str, Any] | Record

def catalogue(kind: str, name: str | None = ...) -> dict[str, Any]: ...
def schema(kind: str) -> dict[str, Any]: ...
'''


class Classes:
    """Classes for the objects of a schema, each written once. At run time each is a Record, so their names
    are private."""

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
            self.names[name] = "_" + "".join(part.capitalize() for part in name.split("_"))
            self.write(self.names[name], "Record", definition["properties"])
        return self.names[name]

    def write(self, title, base, properties):
        lines = [f"class {title}({base}):"]
        for key, schema in properties.items():
            if not key.isidentifier() or keyword.iskeyword(key):
                continue
            lines += ["    @property", f"    def {key}(self) -> {self.type_of(schema)}:",
                      f'        """{schema.get("description", "")}"""']
        self.texts.append("\n".join(lines))


def function(signatures, name, text, result):
    words = "".join(f", {key}: {kind} = ..." for key, kind in signatures.parameters(name).items())
    subject = signatures.subject_of(text)
    if signatures.takes_many(text):
        subject = f"*{subject}: _Subject | Sequence[_Subject]"
    elif signatures.is_optional(text):
        subject = f"{subject}: _Subject | None = ..., *"
    else:
        subject = f"{subject}: _Subject, *"
    return (f"def {name}({subject}{words}) -> {result}:\n"
            f'    """{signatures.summary_of(text)}"""\n')


def main(folder, output):
    sys.path.insert(0, folder + "/..")
    import pipewright
    from pipewright import signatures

    definitions = pipewright.schema("result")["$defs"]
    classes = Classes(definitions)
    classes.write("_RunResult", "Result", {**definitions[KEYS_OF_RESULTS]["properties"], **DERIVED})
    parts = [HEAD, *(text + "\n" for text in classes.texts)]
    for name, text in pipewright.FUNCTIONS.items():
        parts.append(function(signatures, name, text, "_RunResult" if name == "simulate" else "Result"))
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
