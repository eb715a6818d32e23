"""JSON Schema definitions of experiments."""
from table import literal

QUANTITIES = {'time', 'seconds', 'bytes', 'bandwidth', 'fraction'}


def number(value):
    return value if isinstance(value, (int, float)) else None


def scalar(entry):
    kind = entry['type']
    if kind == 'bool':
        return {'type': 'boolean'}
    if kind in QUANTITIES:
        return {'$ref': '#/$defs/quantity'}
    if kind == 'count':
        return {'$ref': '#/$defs/count'}
    if kind == 'any':
        return {}
    if kind == 'choice':
        return {'enum': [str(name) for name in entry['choices']],
                'x-choices': {str(name): doc for name, doc in entry['choices'].items()}}
    if kind == 'name':
        return {'$ref': '#/$defs/' + {'model': 'model_choice', 'cluster': 'cluster_choice',
                                      'schedule': 'schedule', 'profile': 'profile_choice'}[entry['of']]}
    schema = {'type': {'int': 'integer', 'number': 'number'}.get(kind, 'string')}
    if kind in ('text', 'path') and entry.get('numeric'):
        schema = {'type': ['string', 'integer']}
    for word, name in (('least', 'minimum'), ('most', 'maximum'), ('above', 'exclusiveMinimum'),
                       ('pattern', 'pattern')):
        if word in entry:
            schema[name] = entry[word]
    return schema


def form(table, entry):
    if entry.get('times'):
        return {'$ref': '#/$defs/times'}
    if entry['type'] == 'map':
        return mapping(table, entry)
    if entry['type'] != 'list':
        return scalar(entry)
    schema = {'type': 'array', 'items': value(table, table.resolved(entry['items']))}
    for word, name in (('least', 'minItems'), ('most', 'maxItems')):
        if word in entry:
            schema[name] = entry[word]
    return schema


def mapping(table, entry):
    keys = table.keys(entry)
    schema = {'type': 'object', 'properties': {key: value(table, one) for key, one in keys}}
    if not entry.get('loose'):
        schema['additionalProperties'] = False
    required = [key for key, one in keys if one.get('required') or one.get('required_if_given')]
    if required:
        schema['required'] = required
    either = [key for key, one in keys if one.get('derived') in ('one of the two', 'one of the three')]
    if either:
        schema['anyOf'] = [{'required': [key]} for key in either]
    banned = [{'not': {'required': [key, other]}} for key, one in keys for other in one.get('excludes', [])]
    wanted = {key: [one['wants']] for key, one in keys if 'wants' in one}
    if wanted:
        schema['dependentRequired'] = wanted
    if banned:
        schema['allOf'] = banned
    return schema


def value(table, entry):
    """The schema of what stands at a key, whatever its form, with what people read."""
    forms = [form(table, one) for one in table.forms(entry)]
    schema = forms[0] if len(forms) == 1 else {'anyOf': forms}
    if '$ref' in schema:
        schema = {'allOf': [schema]}
    schema['description'] = entry['doc']
    if 'default' in entry:
        schema['default'] = entry['default']
    elif not entry.get('required'):
        schema['x-default'] = entry.get('derived', 'the defaults of its keys' if 'keys' in entry else 'none')
    if entry['type'] == 'fraction':
        schema['x-unit'] = 'fraction'
    for word in ('unit', 'source'):
        if word in entry:
            schema['x-' + word] = entry[word]
    return schema


def schedule():
    """A schedule; its names are filled in where the registry is."""
    own = {'type': 'string', 'pattern': '^torch-csv:'}
    text = {'type': 'string'}
    return {'anyOf': [
        {'enum': []}, own,
        {'type': 'object', 'required': ['name'], 'properties': {'name': {
            'anyOf': [{'enum': []}, own],
            'description': "The schedule's name. Its options stand beside it.", 'x-default': 'required'}}},
        {'type': 'object', 'required': ['rules'], 'properties': {'rules': {
            'anyOf': [text, {'$ref': '#/$defs/rules'}], 'description': 'A rules file, or the rules themselves.'}}},
        {'type': 'object', 'required': ['command'], 'additionalProperties': True, 'properties': {'command': {
            **text, 'description': 'A program that prints the order of every rank. It needs --allow-commands.'}}}]}


def definitions(table):
    experiment = mapping(table, table.experiment)
    experiment['description'] = table.experiment['doc']
    experiment['title'] = 'an experiment'
    experiment['anyOf'] = [{'required': list(keys)} for keys in
                           (('model', 'schedule'), ('model', 'peers'), ('traffic',), ('trace',))]
    synthetic = mapping(table, table.synthetic)
    synthetic['description'] = table.synthetic['doc']
    quantity = {'$ref': '#/$defs/quantity'}
    times = {'anyOf': [quantity, {'type': 'array', 'minItems': 1, 'items': quantity},
                       {'type': 'object', 'required': ['slices'], 'additionalProperties': False,
                        'properties': {'slices': {'type': 'array', 'minItems': 1, 'items': quantity,
                                                  'description': 'One time for each token slice.', 'x-unit': 's'}}}]}
    return {'definitions': {'experiment': experiment, 'synthetic': synthetic, 'times': times,
                            'schedule': schedule(), 'profile_choice': {'anyOf': [{'type': 'string'}, {'$ref': '#/$defs/profile'}]}}}
