"""Makes the options' code of a table in which some defaults are others.
usage: other_defaults.py TABLE GENERATOR HEADER OUTPUT

HEADER is what the table makes as it is. It does not depend on defaults, which the test relies on."""
import os
import subprocess
import sys
import tempfile

import yaml

CHANGED = {'attention': 'unfused', 'overlap.data': False, 'recompute': 'full', 'overlap.p2p': 'rendezvous'}


def entry_at(table, path):
    entry = table['experiment']
    for key in path.split('.'):
        entry = entry['keys'][key]
    return entry


def main():
    table_path, generator, header, output = sys.argv[1:]
    with open(table_path) as file:
        table = yaml.safe_load(file)
    for path, value in CHANGED.items():
        entry = entry_at(table, path)
        if entry['default'] == value:
            sys.exit(f'{path}: {value} is its default already')
        entry['default'] = value
    with tempfile.TemporaryDirectory() as folder:
        changed = f'{folder}/options.yaml'
        with open(changed, 'w') as file:
            yaml.safe_dump(table, file, sort_keys=False, allow_unicode=True)
        subprocess.run([sys.executable, '-B', generator, changed, f'{folder}/options.hpp', output,
                        f'{folder}/option_texts.cpp'], check=True)
        with open(f'{folder}/options.hpp') as one, open(header) as other:
            if one.read() != other.read():
                os.remove(output)
                sys.exit('options.hpp depends on defaults')


main()
