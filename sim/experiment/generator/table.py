"""The table of options as plain data: entries with their paths."""
import re

import yaml

SCALARS = {'bool', 'int', 'number', 'fraction', 'time', 'seconds', 'bytes', 'bandwidth', 'count',
           'text', 'path', 'choice', 'name', 'any'}
WORDS = SCALARS | {'map', 'list'}
KINDS = ['model', 'synthetic', 'peers', 'trace', 'traffic']
KNOWN = {'doc', 'type', 'least', 'most', 'above', 'choices', 'items', 'keys', 'required', 'default',
         'derived', 'absent', 'or', 'needs', 'needs_message', 'excludes', 'only', 'source', 'unit', 'struct',
         'members', 'field', 'enum', 'cpp', 'reader', 'into', 'what', 'id', 'ref', 'of', 'wide',
         'positive', 'pattern', 'numeric', 'optional', 'finish', 'applies', 'handled', 'loose',
         'required_if_given', 'times', 'wants'}


class Mistake(Exception):
    """The table says something that has no meaning."""


class Table:
    """`experiment`: the entry of a whole document. `synthetic`: that of a synthetic model."""

    def __init__(self, path):
        with open(path) as file:
            data = yaml.safe_load(file)
        self.shared = data['shared']
        self.experiment = {**data['experiment'], 'type': 'map'}
        self.synthetic = {**data['synthetic'], 'type': 'map'}
        for name in ('experiment', 'synthetic'):
            check(self.resolved(getattr(self, name)), name, self)

    def resolved(self, entry):
        """`entry` with what it refers to laid under it."""
        if 'ref' not in entry:
            return entry
        return {**self.shared[entry['ref']], **{k: v for k, v in entry.items() if k != 'ref'}}

    def keys(self, entry):
        """Pairs of a key and its entry."""
        return [(str(key), self.resolved(one)) for key, one in (entry.get('keys') or {}).items()]

    def forms(self, entry):
        """The forms that a value may have: the entry's own first."""
        return [entry] + [self.resolved(form) for form in entry.get('or', [])]

    def walk(self, entry=None, path=()):
        """Every key below `entry` with its path, each once; maps before what is in them."""
        seen = set()
        for key, one in self._walk(entry or self.experiment, path):
            if key not in seen:
                seen.add(key)
                yield key, one

    def _walk(self, entry, path):
        for key, one in self.keys(entry):
            here = path + (key,)
            yield here, one
            for form in self.forms(one):
                if form.get('type') == 'list':
                    form = self.resolved(form['items'])
                    for inner in self.forms(form):
                        yield from self._walk(inner, here)
                yield from self._walk(form, here)


def check(entry, path, table):
    unknown = set(entry) - KNOWN
    if unknown:
        raise Mistake(f'{path}: unknown words {sorted(unknown)}')
    if not entry.get('doc'):
        raise Mistake(f'{path}: needs a doc')
    if entry.get('type') not in WORDS:
        raise Mistake(f"{path}: no type '{entry.get('type')}'")
    for key, one in table.keys(entry):
        here = f'{path}.{key}'
        holds = one.get('struct') or 'default' in one or 'derived' in one or one.get('required')
        if not holds and not ('description' in here or 'source' in here):
            optional = one.get('type') == 'map' and (one.get('cpp') or '').startswith('std::optional')
            if not optional and one.get('reader') != 'read_signatures':
                raise Mistake(f'{here}: needs required, default or derived')
        check(one, here, table)
    for form in entry.get('or', []):
        check(table.resolved(form), path, table)
    if 'items' in entry:
        check(table.resolved(entry['items']), path + '[]', table)


def identifier(text):
    """`text` as a name in C++."""
    name = re.sub(r'\W+', '_', str(text)).strip('_')
    return '_' + name if name[:1].isdigit() else name


ABOVE_ZERO = 'above 0'


def needs(entry):
    """The keys beside which a key means something, each with its value: one of them is enough."""
    return list(entry.get('needs', {}).items())


def literal(value):
    """A default as a person writes it in YAML."""
    return {True: 'true', False: 'false'}.get(value, str(value)) if isinstance(value, bool) else str(value)
