"""What people read of every key: `pipewright help KEY`, completion, the reference page."""
import json

import schema
from cpp import quoted
from table import ABOVE_ZERO, literal, needs

RANGES = {'int': 'a whole number', 'number': 'a number', 'fraction': 'a fraction or a percentage',
          'bool': 'true or false', 'time': 'a time', 'seconds': 'a time', 'bytes': 'a number of bytes',
          'bandwidth': 'a bandwidth', 'count': 'a count', 'text': 'a text', 'path': 'a path',
          'any': 'anything', 'map': 'a map', 'choice': 'one of the choices'}


def type_text(table, entry):
    kind = entry['type']
    if kind == 'list':
        return 'a list'
    if kind == 'name':
        return f"a {entry['of']}: a name, a path or a map"
    text = RANGES[kind]
    if 'least' in entry and 'most' in entry and kind in ('int', 'number', 'fraction'):
        text += f" from {entry['least']} to {entry['most']}"
    return text


def all_types(table, entry):
    words = []
    for form in table.forms(entry):
        word = type_text(table, form)
        if word not in words:
            words.append(word)
    return ', or '.join(words)


def beside(entry):
    wanted = [f'{key} {value}' if value == ABOVE_ZERO else f'{key}: {literal(value)}' for key, value in needs(entry)]
    words = ['needs ' + listed(wanted, 'or')] if wanted else []
    words += [f"wants {entry['wants']}"] if 'wants' in entry else []
    words += ['excludes ' + listed(entry['excludes'])] if entry.get('excludes') else []
    return ', '.join(words)


def listed(keys, last='and'):
    """'a, b and c'."""
    return f' {last} '.join([', '.join(keys[:-1]), keys[-1]] if len(keys) > 1 else keys)


KINDS = {'model': 'a model', 'synthetic': 'a synthetic model', 'peers': 'peers', 'trace': 'a trace',
         'traffic': 'traffic'}


def kinds(entry):
    """Which experiments have the key, where not all have it."""
    only = entry.get('only', KINDS)
    words = [text for kind, text in KINDS.items() if kind in only]
    if len(words) == len(KINDS):
        return ''
    return 'experiments with ' + ' or '.join(filter(None, [', '.join(words[:-1]), words[-1]]))


def choices_of(table, entry):
    """Pairs of a choice and its text, each name once: of a value, or of the items of a list."""
    found = {}
    for form in table.forms(entry):
        items = table.forms(table.resolved(form['items'])) if form.get('type') == 'list' else []
        for one in [form, *items]:
            for name, doc in one.get('choices', {}).items():
                found.setdefault(str(name), doc)
    return list(found.items())


def source(table):
    """A C++ array of OptionText, in the order of the table."""
    rows, choices = [], []
    walks = list(table.walk()) + [(('model', 'synthetic') + path, one)
                                  for path, one in table.walk(table.synthetic)]
    for path, entry in walks:
        first = len(choices)
        choices += choices_of(table, entry)
        default = literal(entry['default']) if 'default' in entry else ''
        derived = '' if default else entry.get('derived', 'required' if entry.get('required') else '')
        words = ['.'.join(path), all_types(table, entry), entry.get('unit', ''), default, derived,
                 beside(entry), kinds(entry), entry['doc'], entry.get('source', '')]
        rows.append(f"    {{{', '.join(map(quoted, words))}, {first}, {len(choices) - first}}},")
    pairs = '\n'.join(f'    {{{quoted(name)}, {quoted(doc)}}},' for name, doc in choices)
    return ('// Generated from options.yaml by generator/generate.py.\n'
            '#include "experiment/option_texts.hpp"\n\nnamespace pipewright {\nnamespace {\n\n'
            f'constexpr ChoiceText choices[] = {{\n{pairs}\n}};\n\n'
            'constexpr OptionText options[] = {\n' + '\n'.join(rows) + '\n};\n\n}  // namespace\n\n'
            'std::span<const OptionText> option_texts() { return options; }\n\n'
            'std::span<const ChoiceText> choices_of(const OptionText& option) {\n'
            '  return std::span(choices).subspan(option.first_choice, option.choices);\n}\n\n'
            'std::string_view option_schema() {\n  return R"json(' +
            json.dumps(schema.definitions(table)) + ')json";\n}\n\n}  // namespace pipewright\n')
