#!/usr/bin/env python3
"""Makes C++ of the tables of the arguments of Megatron-LM and of its forks, whose heads say what their
words mean.
  usage: generate_arguments.py arguments.yaml fork_arguments.yaml OUT.cpp"""
import json
import sys

import yaml

EFFECTS = ["means", "nothing", "slight", "refused"]
TAKES = ["flag", "one", "some", "maybe"]
TYPES = {"int": "integer", "float": "real"}
GOES = ["along", "model", "plan"]


def text(value):
    return json.dumps(str(value))


def of_fork(name, entry):
    """Returns the entry of a fork's argument as one of no month, which goes nowhere."""
    if not entry.pop("of", None) or "from" in entry or "to" in entry:
        sys.exit(f"{name}: an argument of a fork needs `of` and has no months")
    return {**entry, "from": "", "to": "", "goes": "plan"}


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)["arguments"]


def row(name, entry):
    effects = [effect for effect in EFFECTS if effect in entry]
    goes = entry.get("goes", "along")
    unknown = set(entry) - {"takes", "from", "to", "unless", "type", "choices", "ends", "goes", "field",
                          *EFFECTS}
    if len(effects) != 1 or entry["takes"] not in TAKES or unknown or goes not in GOES:
        sys.exit(f"{name}: needs `takes` and one of {EFFECTS}, and has {sorted(entry)}")
    unless = "\n".join(str(value) for value in entry.get("unless", []))
    choices = "\n".join(str(value) for value in entry.get("choices", []))
    return (f"    {{{text(name)}, Takes::{entry['takes']}, Effect::{effects[0]}, "
            f"{text(entry[effects[0]])}, {text(unless)}, "
            f"{text(entry['from'])}, {text(entry['to'])}, "
            f"Type::{TYPES[entry['type']] if 'type' in entry else 'text'}, {text(choices)}, "
            f"{text(entry.get('ends', entry['to']))}, Goes::{goes}, "
            f"{str(entry.get('field', False)).lower()}}},\n")


def main():
    source, forks, out = sys.argv[1:]
    table = load(source)
    for name, entry in load(forks).items():
        if name in table:
            sys.exit(f"{name}: is an argument of Megatron-LM too")
        table[name] = of_fork(name, entry)
    with open(out, "w", encoding="utf-8") as file:
        file.write('// Made of sim/convert/megatron/arguments.yaml and fork_arguments.yaml.\n'
                   '#include "convert/megatron/arguments.hpp"\n\n'
                   "namespace pipewright::megatron {\n\n"
                   "static constexpr Argument table[] = {\n")
        for name in sorted(table):
            file.write(row(name, table[name]))
        file.write("};\n\nstd::span<const Argument> arguments() { return table; }\n\n"
                   "}  // namespace pipewright::megatron\n")


main()
