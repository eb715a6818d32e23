#!/usr/bin/env python3
"""Makes C++ of the table of what classes take for keys that a file leaves out, whose head says what it
holds.
  usage: generate_class_defaults.py class_defaults.yaml OUT.cpp"""
import json
import sys

import yaml


def text(keys):
    return json.dumps(json.dumps(keys))


def main():
    source, out = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        table = yaml.safe_load(file)
    left_out, in_text_config = table.pop("left_out"), table.pop("in_text_config")
    if table:
        sys.exit(f"{source}: no part {sorted(table)}")
    types = list(left_out) + [name for name in in_text_config if name not in left_out]
    rows = "".join(f"    {{{json.dumps(name)}, {text(left_out.get(name, {}))},\n"
                   f"     {text(in_text_config.get(name, {}))}}},\n" for name in types)
    with open(out, "w", encoding="utf-8") as file:
        file.write('#include "workload/model/hugging_face/class_defaults.hpp"\n\n'
                   "namespace pipewright::hugging_face {\n\n"
                   "std::span<const ClassDefaults> classes_with_defaults() {\n"
                   f"  static constexpr ClassDefaults table[] = {{\n{rows}  }};\n"
                   "  return table;\n}\n\n}  // namespace pipewright::hugging_face\n")


if __name__ == "__main__":
    main()
