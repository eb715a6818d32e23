"""Makes code, schema and texts of the table of options.
usage: generate.py TABLE options.hpp options.cpp option_texts.cpp"""
import sys

import cpp
import texts
from table import Mistake, Table


def write(name, text):
    """Leaves a file alone that says the same, so that nothing is compiled again for it."""
    try:
        with open(name) as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(name, 'w') as file:
        file.write(text)


def main():
    path, *outputs = sys.argv[1:]
    try:
        table = Table(path)
        made = [cpp.header(table), cpp.source(table), texts.source(table)]
    except Mistake as mistake:
        sys.exit(f'{path}: {mistake}')
    for name, text in zip(outputs, made):
        write(name, text)


main()
