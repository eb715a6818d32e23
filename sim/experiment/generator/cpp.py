"""The structs that documents are read into, their readers, and the resolved document, in C++."""
from table import ABOVE_ZERO, KINDS, Mistake, identifier, literal, needs

TYPES = {'bool': 'bool', 'int': 'int', 'number': 'double', 'fraction': 'double', 'time': 'Time',
         'seconds': 'double', 'bytes': 'Bytes', 'bandwidth': 'Bandwidth', 'count': 'double',
         'text': 'std::string', 'path': 'std::string'}


def quoted(text):
    return '"' + str(text).replace('\\', '\\\\').replace('"', '\\"') + '"'


def member(key, entry):
    name = entry.get('field') or identifier(key)
    return name + '_s' if entry['type'] == 'seconds' and 'field' not in entry else name


def plain_type(entry):
    if 'cpp' in entry:
        return entry['cpp']
    if 'struct' in entry:
        return f"std::optional<{entry['struct']}>" if entry.get('optional') else entry['struct']
    if 'enum' in entry:
        return entry['enum']
    if entry.get('wide'):
        return 'int64_t'
    if entry['type'] not in TYPES:
        raise Mistake(f'no C++ type for {entry}')
    return TYPES[entry['type']]


def field_type(entry):
    """Without a default, nothing stands for a key that is absent."""
    plain = plain_type(entry)
    always = 'default' in entry or 'absent' in entry or entry.get('required') or 'cpp' in entry
    return plain if always or 'struct' in entry else f'std::optional<{plain}>'


def is_read(entry):
    """Keys that code reads by hand, or not at all, have no member."""
    return not entry.get('handled') and entry['type'] not in ('any', 'name')


def enumerators(entry):
    return [f"{entry['enum']}::{identifier(str(name).replace('-', '_').replace('.', '_'))}"
            for name in entry['choices']]


def default_value(entry):
    """What a plain member is where its key is absent, as C++; empty where a reader says it."""
    value = entry.get('absent', entry.get('default'))
    if value is None or 'reader' in entry:
        return '{}'
    if entry['type'] == 'choice':
        return enumerators(entry)[list(map(str, entry['choices'])).index(literal(value))]
    if entry['type'] in ('int', 'number', 'fraction', 'count'):
        return str(value)
    if entry['type'] == 'bool':
        return literal(value)
    if value in ('0 s', '0 B'):
        return '{}'
    raise Mistake(f'write the default {value} as C++')


def comment(text, indent=''):
    """A documentation comment, wrapped."""
    lines, line = [], ''
    for word in text.split():
        if len(indent) + len(line) + len(word) + 5 > 100:
            lines.append(line)
            line = ''
        line += ' ' + word
    return ''.join(f'{indent}///{one}\n' for one in lines + [line])


def constant(path, key):
    """The name of the constant that is a key's default."""
    return identifier(f'{path}.{key}')


def constants(table):
    """The defaults of members, as (type, name, value): files that only read them are not compiled again
    for a new default."""
    return [(field_type(one), constant(path, key), default_value(one))
            for entry, path in structs(table) for key, one in table.keys(entry) if has_constant(one)]


def has_constant(entry):
    return is_read(entry) and 'default' in entry and default_value(entry) != '{}'


def initial(path, key, entry):
    """What follows a member's name in its declaration."""
    if field_type(entry).startswith('std::optional'):
        return ''
    if has_constant(entry):
        return f' = defaults::{constant(path, key)}'
    value = default_value(entry)
    return value if value == '{}' else f' = {value}'


def declare_struct(table, entry, path):
    text = comment(entry['doc']) + f"struct {entry['struct']} {{\n"
    for key, one in table.keys(entry):
        if not is_read(one):
            continue
        if plain_type(one) != 'none':
            text += comment(one['doc'], '  ')
            text += f'  {field_type(one)} {member(key, one)}{initial(path, key, one)};\n'
        for more in one.get('members', []) if 'struct' not in one else []:
            text += f'  {more}\n'
    text += ''.join(f'  {more}\n' for more in entry.get('members', []))
    return text + '};\n'


def conversion(entry, value):
    """C++ that reads `value`, an expression of a config::Value, by the entry's type."""
    kind = entry['type']
    if 'reader' in entry:
        return f"{entry['reader']}({value})"
    if 'struct' in entry:
        return f'{reader_name(entry)}({value})'
    if kind == 'int':
        read = f"config::as_int({value}, {entry.get('least', 'INT64_MIN')}, {entry.get('most', 'INT64_MAX')})"
        return read if entry.get('wide') else f'static_cast<int>({read})'
    if kind in ('number', 'fraction'):
        return f"config::as_{kind}({value}, {entry.get('least', 0)}, {entry.get('most', 1e300)})"
    if kind == 'choice':
        return f"static_cast<{entry['enum']}>(config::as_choice({value}, choices::{entry['path']}))"
    if kind in ('text', 'path'):
        return f'config::as_text({value})'
    return f'config::as_{kind}({value})'


def reader_name(entry):
    return 'read_' + ''.join('_' + c.lower() if c.isupper() else c for c in entry['struct']).strip('_')


def read_key(key, entry):
    """The statements that read one key out of `fields` into `x`."""
    into = entry.get('into')
    target = f'x.{member(key, entry)}'
    found = f'fields.find({quoted(key)})'
    if 'struct' in entry and not entry.get('optional'):
        if any(one.get('required_if_given') for one in entry['keys'].values()):
            return f'  if (const Value* v = {found}) {target} = {conversion(entry, "*v")};\n'
        return f'  {target} = {conversion(entry, f"given_or_empty({found})")};\n'
    text = ''
    if 'reader' in entry and 'default' in entry:
        value = f'given_or({found}, {quoted(literal(entry["default"]))})'
        return f"  {entry['reader']}({value}, x);\n" if into else f'  {target} = {conversion(entry, value)};\n'
    if entry.get('required') or entry.get('required_if_given'):
        text = f'  {target} = {conversion(entry, f"fields.at({quoted(key)})")};\n'
    elif into:
        text = f"  if (const Value* v = {found}) {entry['reader']}(*v, x);\n"
    else:
        text = f'  if (const Value* v = {found}) {target} = {conversion(entry, "*v")};\n'
    if 'positive' in entry:
        text += positive(key, entry, target)
    return text


def positive(key, entry, target):
    optional = field_type(entry).startswith('std::optional')
    zero = 'Bytes{}' if entry['type'] == 'bytes' else '0'
    value = ('*' if optional else '') + target
    condition = f'{target} && !({value} > {zero})' if optional else f'!({value} > {zero})'
    return f'  if ({condition}) fields.at({quoted(key)}).fail({quoted(entry["positive"])});\n'


def need(key, entry, keys):
    """What a key needs beside it, and does not stand beside."""
    text = ''
    for other, wanted in needs(entry):
        sibling = f'x.{member(other, keys[other])}'
        message = entry.get('needs_message', f"'{key}' goes with '{other}: {literal(wanted)}'")
        text += (f'  if (const Value* v = fields.find({quoted(key)}); v && {sibling} != {wanted})\n'
                 f'    v->fail({quoted(message)});\n')
    for other in entry.get('excludes', []):
        text += (f'  if (const Value* v = fields.find({quoted(key)}); v && fields.find({quoted(other)}))\n'
                 f"    v->fail(\"'{key}' means nothing beside '{other}'\");\n")
    return text


def define_reader(table, entry, path, head=None):
    head = head or f"{entry['struct']} {reader_name(entry)}(const Value& value) {{\n"
    what = quoted(entry.get('what') or path)
    text = head + f'  const Fields fields(value, {what}, keys::{identifier(path)});\n'
    text += f"  {entry['struct']} x;\n"
    keys = dict(table.keys(entry))
    for key, one in keys.items():
        if is_read(one):
            text += read_key(key, one)
        text += need(key, one, keys)
    if 'finish' in entry:
        text += f"  {entry['finish']}(fields, x);\n"
    return text + '  return x;\n}\n'


def structs(table):
    """Entries that become structs, with their paths: inner ones first."""
    found = []

    def visit(entry, path):
        for key, one in table.keys(entry):
            visit(one, path + (key,))
        if 'struct' in entry:
            found.append((entry, '.'.join(path) or 'experiment'))

    visit(table.experiment, ())
    return found


def name_arrays(table):
    """The keys of every map and the names of every choice, by the identifiers that code uses."""
    keys, choices = {}, {}

    def visit(entry, path):
        for form in table.forms(entry):
            if form.get('type') == 'list':
                visit(table.resolved(form['items']), path)
            if 'keys' in form:
                name = identifier(form.get('id') or '.'.join(path) or 'experiment')
                keys.setdefault(name, [key for key, _ in table.keys(form)])
            if 'choices' in form:
                form['path'] = entry['path'] = identifier('.'.join(path))
                choices.setdefault(form['path'], [str(name) for name in form['choices']])
            for key, one in table.keys(form):
                visit(one, path + (key,))

    visit(table.experiment, ())
    visit(table.synthetic, ('synthetic',))
    return keys, choices


def arrays(namespace, names):
    text = f'namespace {namespace} {{\n'
    for name, words in sorted(names.items()):
        text += f'inline constexpr std::string_view {name}[] = {{{", ".join(map(quoted, words))}}};\n'
    return text + f'}}  // namespace {namespace}\n'


def any_of(target, entry):
    """The condition that one of what a key needs is there; none where it needs nothing."""
    def holds(other, wanted):
        if wanted == ABOVE_ZERO:
            return f'!is({target}, {quoted(other)}, "0")'
        return f'is({target}, {quoted(other)}, {quoted(literal(wanted))})'
    words = [holds(other, wanted) for other, wanted in needs(entry)]
    return ['(' + ' || '.join(words) + ')'] if words else []


def fill(table, entry, target, depth):
    """The statements that set every absent key of the map `target` to its default."""
    text, indent = '', '  ' * depth
    for key, one in table.keys(entry):
        conditions = [f'!{target}.find({quoted(other)})' for other in one.get('excludes', [])]
        conditions += [f'{target}.find({quoted(one["wants"])})'] if 'wants' in one else []
        conditions += any_of(target, one)
        if 'only' in one:
            kinds = [f'ExperimentKind::{kind}' for kind in one['only']]
            if len(kinds) < len(KINDS):
                conditions.append('one_of(kind, {' + ', '.join(kinds) + '})')
        if 'applies' in one:
            conditions.append(f"{one['applies']}(experiment)")
        inner = ''
        if 'struct' in one and not one.get('optional'):
            body = fill(table, one, 'map', depth + 1)
            inner = f'{indent}{{\n{indent}  Value& map = map_at({target}, {quoted(key)});\n{body}{indent}}}\n' if body else ''
        elif 'default' in one:
            inner = f'{indent}set_absent({target}, {quoted(key)}, {quoted(literal(one["default"]))});\n'
        for form in table.forms(one):
            if form.get('type') != 'map' or ('struct' in form and not form.get('optional')):
                continue
            body = fill(table, form, 'map', depth + 1)
            if body:
                inner += (f'{indent}if (Value* found = map_in({target}, {quoted(key)})) {{\n'
                          f'{indent}  Value& map = *found;\n{body}{indent}}}\n')
        if inner and conditions:
            inner = f'{indent}if ({" && ".join(conditions)}) {{\n{inner}{indent}}}\n'
        text += inner
    return text


def header(table):
    keys, choices = name_arrays(table)
    text = '''// Generated from options.yaml by generator/generate.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "experiment/option_types.hpp"

namespace pipewright {

/// What an experiment simulates.
enum class ExperimentKind : uint8_t { ''' + ', '.join(KINDS) + ''' };

/// The keys of every map, in the order of the table.
''' + arrays('keys', keys) + '''
/// The names of every choice, in the order of the table.
''' + arrays('choices', choices) + '\n'
    text += '/// What members are where their keys are absent.\nnamespace defaults {\n'
    text += ''.join(f'extern const {kind} {name};\n' for kind, name, _ in constants(table))
    text += '}  // namespace defaults\n\n'
    for entry, path in structs(table):
        text += declare_struct(table, entry, path) + '\n'
    return text + '''/// Reads a resolved document. Throws InputError for the first thing that is wrong.
ExperimentOptions read_options(const config::Value& document);

/// Tells whether experiments of `kind` have the key at `path`, such as "parallel.pipeline". A key
/// that does not say it for itself is of the kinds that the map has in which it stands.
bool has_key(ExperimentKind kind, std::string_view path);

/// Sets every absent key of `document` that `experiment` has, a kind of `kind`, to its default.
void fill_defaults(config::Value& document, ExperimentKind kind, const Experiment& experiment);

}  // namespace pipewright
'''


def kind_rows(table, entry, path=''):
    """The keys, as paths, that say which kinds of experiments have them; at the top all."""
    for key, one in table.keys(entry):
        if not path or 'only' in one:
            yield path + key, one
        yield from kind_rows(table, one, f'{path}{key}.')


def source(table):
    name_arrays(table)
    text = '''// Generated from options.yaml by generator/generate.py.
#include "experiment/options.hpp"

#include <algorithm>

#include "experiment/readers.hpp"

namespace pipewright {
namespace defaults {
CONSTANTS}  // namespace defaults

namespace {

using config::Fields;
using config::Value;

Value given_or(const Value* given, const char* otherwise) {
  return given ? *given : config::scalar(otherwise);
}

Value given_or_empty(const Value* given) { return given ? *given : Value{.kind = Value::Kind::map}; }

bool one_of(ExperimentKind kind, std::initializer_list<ExperimentKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

void set_absent(Value& map, const char* key, const char* text) {
  if (!map.find(key)) map.set(key, config::scalar(text));
}

bool is(const Value& map, const char* key, std::string_view text) {
  const Value* value = map.find(key);
  return value && value->text == text;
}

Value* map_in(Value& map, const char* key) {
  Value* value = map.find(key);
  return value && value->is_map() ? value : nullptr;
}

Value& map_at(Value& map, const char* key) {
  Value* value = map.find(key);
  if (value) return *value;
  Value empty;
  empty.kind = Value::Kind::map;
  return map.set(key, std::move(empty));
}

'''
    values = ''.join(f'const {kind} {name} = {value};\n' for kind, name, value in constants(table))
    text = text.replace('CONSTANTS', values)
    inner = [(entry, path) for entry, path in structs(table) if path != 'experiment']
    for entry, path in inner:
        text += define_reader(table, entry, path) + '\n'
    text += '}  // namespace\n\n'
    text += define_reader(table, table.experiment, 'experiment',
                          'ExperimentOptions read_options(const Value& value) {\n')
    text += '''
bool has_key(ExperimentKind kind, std::string_view path) {
  struct Row {
    std::string_view path;
    unsigned kinds;  // a bit for each
  };
  static constexpr Row rows[] = {
'''
    for path, one in kind_rows(table, table.experiment):
        bits = sum(1 << KINDS.index(kind) for kind in one.get('only', KINDS))
        text += f'      {{{quoted(path)}, {bits}}},\n'
    text += '''  };
  for (const Row& row : rows)
    if (row.path == path) return (row.kinds >> static_cast<unsigned>(kind) & 1) != 0;
  const size_t last = path.rfind('.');
  return last != std::string_view::npos && has_key(kind, path.substr(0, last));
}

void fill_defaults(Value& document, ExperimentKind kind, const Experiment& experiment) {
'''
    return text + fill(table, table.experiment, 'document', 1) + '}\n\n}  // namespace pipewright\n'
