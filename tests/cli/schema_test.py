"""Every shipped file is what its schema says, mistakes are not, and schemas know the very keys that
readers do. usage: schema_test.py PROGRAM ROOT. Prints TAP; 77 without python3-jsonschema."""
import copy, glob, json, os, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

try:
    import jsonschema, yaml
except ImportError:
    sys.exit(77)

program, root = sys.argv[1:]


def schema(kind):
    return json.loads(subprocess.run([program, 'schema', kind], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout)


def read(path):
    with open(path) as file:
        return json.loads(json.dumps(yaml.safe_load(file), default=str))


schemas = {k: schema(k) for k in ['experiment', 'study', 'model', 'cluster', 'node', 'device', 'link',
                                  'profile', 'network', 'measured', 'rules', 'result', 'results',
                                  'validation', 'replay', 'replays', 'plan', 'sensitivity', 'reproduction',
                                  'collective', 'reshard', 'diagnosis']}
validators = {}
for kind, one in schemas.items():
    jsonschema.Draft202012Validator.check_schema(one)
    validators[kind] = jsonschema.Draft202012Validator(one)

shipped = {'topologies/devices': 'device', 'topologies/links': 'link', 'topologies/nodes': 'node',
           'topologies/clusters': 'cluster', 'workloads/models': 'model',
           'workloads/experiments': 'experiment', 'workloads/studies': 'study',
           'workloads/schedules': 'rules', 'workloads/validation': 'measured',
           'calibrate/profiles': 'profile'}
for folder, kind in shipped.items():
    for path in sorted(glob.glob(f'{root}/{folder}/*.yaml')):
        document = read(path)
        errors = list(validators[kind].iter_errors(document))
        ok(not errors, f'{os.path.relpath(path, root)} is a {kind}', errors and errors[0])
        if not isinstance(document, dict) or 'base' in document:
            continue
        ok(not validators[kind].is_valid({**document, 'no_such_key': 1}),
           f'{os.path.relpath(path, root)} with an unknown key is none')

good = {'model': {'transformer': {'layers': 2, 'hidden': 64, 'heads': 2, 'vocabulary': 100}},
        'cluster': {'node': 'dgx-a100-80g', 'nodes': 2, 'fabric': {'kind': 'star', 'link': 'hdr'}},
        'parallel': {'tensor': 2}, 'schedule': {'name': 'interleaved-1f1b', 'virtual': 4},
        'variation': {'compute_spread': '3%'}, 'stragglers': [{'device': 1, 'slowdown': 2}]}
ok(validators['experiment'].is_valid(good), 'an experiment with a bit of everything is one')
for path, value in [(['schedule'], '1f1bb'), (['schedule'], {'name': 'gpip'}), (['parallel', 'tensor'], 0),
                    (['parallel', 'tensr'], 2), (['precision'], 'fp12'), (['variation', 'seeds'], 0),
                    (['model', 'transformer', 'hiden'], 3), (['cluster', 'fabric', 'kind'], 'ring'),
                    (['stragglers'], [{'device': 1}]), (['iterations'], 'many')]:
    bad = copy.deepcopy(good)
    *way, last = path
    place = bad
    for key in way:
        place = place[key]
    place[last] = value
    ok(not validators['experiment'].is_valid(bad), f"{'.'.join(path)}: {value} is refused")

for tensor, right in [('domino', True), ({'domino': 4}, True), ({'chunked': 8}, True),
                      ({'domino': 1, 'columns': 4}, True), ({'domino': 2, 'intra_layer': True}, True),
                      ({'columns': 4}, False), ({'chunked': 8, 'columns': 2}, False), ({}, False)]:
    ok(validators['experiment'].is_valid({**good, 'overlap': {'tensor': tensor}}) == right,
       f"overlap.tensor: {tensor} is {'taken' if right else 'refused'}")

# As 'calibrate' writes them.
norms = {'kernel': 'norm', 'pass': 'forward', 'latency': '3.2 us', 'bandwidth': '39.07 GB/s', 'largest': '16777216 B',
         'held_out': [{'points': 'some', 'count': 5, 'median': 0.03, 'p90': 0.1, 'p95': 0.1}]}
cached = {**norms, 'pass': 'gradient', 'cached': '80 GB/s', 'cache': '1048576 B'}
measured = {'schema': 'pipewright.profile/1', 'origin': 'measured', 'device': 'h100-sxm', 'streams': [norms, cached]}
ok(validators['profile'].is_valid(measured), 'a profile with kernels that stream is one')
for key, value in [('kernel', 'gemm'), ('pass', 'both'), ('bandwith', '3 GB/s'), ('cache', '1 MB')]:
    ok(not validators['profile'].is_valid({**measured, 'streams': [{**norms, key: value}]}),
       f'streams.{key}: {value} is refused')

# As 'import nccl-tests' writes them, of a path and within a cluster.
time = {'bytes': 1048576, 'time': '300 us', 'p5': '210 us', 'p95': '390 us', 'count': 2}
curve = {'operation': 'all_reduce', 'ranks_per_node': 8, 'nodes': 2, 'times': [time]}
network = {'schema': 'pipewright.network/1', 'software': 'NCCL 2.28.7', 'transport': 'IB',
           'held_out': {'points': 3, 'median_abs_error': 0.0312, 'p95_abs_error': 0.1}, 'measured': [curve]}
ok(validators['network'].is_valid(network), 'a network profile is one')
for path, value in [('schema', 'pipewright.network/2'), ('measured', []), ('measured', [{**curve, 'operation': 'all_redice'}]),
                    ('measured', [{**curve, 'times': [{**time, 'p96': '390 us'}]}])]:
    ok(not validators['network'].is_valid({**network, path: value}), f'a network profile whose {path} is {value} is none')
for measured, right in [('net.yaml', True), (network, True), ({**network, 'measured': 3}, False)]:
    cluster = {'node': 'dgx-h100', 'nodes': 2, 'fabric': {'kind': 'star', 'link': 'ndr', 'measured': measured}}
    ok(validators['cluster'].is_valid(cluster) == right, f"a fabric's measured profile is {'taken' if right else 'refused'}")

# Readers name what they read: Fields(value, "batch", {"global", ...}). A definition whose title is
# that name and '!' has the same keys; where several readers bear one name, those of one of them.
readers = {}
for path in glob.glob(f'{root}/sim/**/*.cpp', recursive=True):
    with open(path) as file:
        text = file.read()
    for what, keys in re.findall(r'(?:Fields(?:\s+\w+)?|fields_of)\(\s*(?:[\w.*]|\([^()]*\))+,\s*"([^"]+)",'
                                 r'\s*\{((?:\s*"[^"]*",?)+)\s*\}\)', text):
        readers.setdefault(what, []).append(set(re.findall(r'"([^"]*)"', keys)))


def titled(node):
    if isinstance(node, dict):
        if str(node.get('title', '')).endswith('!'):
            yield node
        for child in node.values():
            yield from titled(child)
    elif isinstance(node, list):
        for child in node:
            yield from titled(child)


definitions = schemas['experiment']['$defs']
data = set(definitions['data']['properties']) - {'base'}
for definition in titled(definitions):
    what = definition['title'].rstrip('!')
    keys = set(definition['properties']) | (data if '$ref' in definition else set())
    ok(keys in readers.get(what, []), f'the reader of {what} knows the keys of its schema',
       f'readers {[sorted(known) for known in readers.get(what, [])]}\nschema {sorted(keys)}')


def list_in(path, name):
    with open(f'{root}/{path}') as file:
        text = re.sub(r'//.*', '', file.read())
    found = re.search(name + r'[^=;]*=\s*\{+((?:\s*"[^"]*",?)+)', text)
    return set(re.findall(r'"([^"]*)"', found.group(1)))


ok(readers['a profile'][0] | {'base'} == set(definitions['profile']['properties']),
   'the reader of a profile knows the keys of its schema')
ok(list_in('sim/workload/transformer/transformer_shape.cpp', ' keys') ==
   set(definitions['transformer_keys']['properties']),
   'the reader of a transformer knows the keys of its schema')

with open(f'{root}/sim/workload/model/constants.cpp') as file:
    text = file.read()
constants = set(re.findall(r'\{"(\w+)", Constant::', text)) | set(
    re.findall(r'"(\w+)"', re.search(r'scalings\[\] = \{([^}]*)\}', text).group(1)))
ok(constants == set(definitions['constants']['properties']),
   'the reader of constants of a model knows the keys of its schema', sorted(constants))

with open(f'{root}/sim/topology/link.cpp') as file:
    sharing = re.search(r'as_choice\(\*sharing, \{([^}]*)\}', file.read()).group(1)
for key, names in [('kind', list_in('sim/topology/link.cpp', 'kind_names')),
                   ('sharing', set(re.findall(r'"([^"]*)"', sharing)))]:
    ok(names == set(definitions['link']['properties'][key]['enum']),
       f"the reader of a link knows each '{key}' of its schema")
shapes = set()
for path in glob.glob(f'{root}/sim/topology/shapes/*.cpp'):
    with open(path) as file:
        shapes.update(re.findall(r'const NodeShape shape::\w+\{\s*"([^"]*)"', file.read()))
ok(shapes == set(definitions['interconnect']['properties']['kind']['enum']),
   'interconnects have the kinds of their schema', sorted(shapes))


# Every key says what it means, what holds without it and in which unit it counts.
def nodes(node):
    """All schemas that apply at the place of `node`: itself and its alternatives, and items."""
    yield node
    for word in ('anyOf', 'allOf', 'oneOf'):
        for child in node.get(word, []):
            yield from nodes(child)
    for word in ('items', 'additionalProperties'):
        if isinstance(node.get(word), dict):
            yield from nodes(node[word])


def objects(node):
    """All schemas with properties in `node`, those of its properties included."""
    for one in nodes(node):
        if 'properties' in one:
            yield one
        for child in one.get('properties', {}).values():
            yield from objects(child)


def is_quantity(node):
    """Whether a value at `node` is a quantity, or a list or table of them."""
    names = [one['$ref'].removeprefix('#/$defs/') for one in nodes(node) if '$ref' in one]
    return any(name == 'quantity' or is_quantity(definitions[name]) for name in names)


def choices(node):
    if isinstance(node, dict):
        if 'enum' in node and ('x-choices' in node or len(node['enum']) > 1):
            yield node
        for key, child in node.items():
            if key not in ('x-choices', 'default'):
                yield from choices(child)
    elif isinstance(node, list):
        for child in node:
            yield from choices(child)


keys = 0
for name in sorted(definitions):
    wrong = []
    for one in objects(definitions[name]):
        for key, value in one['properties'].items():
            keys += 1
            if not value.get('description', '').rstrip().endswith(('.', '?')):
                wrong.append(f'{key} has no description that is a sentence')
            if key not in one.get('required', []) and 'const' not in value:
                if ('default' in value) == ('x-default' in value):
                    wrong.append(f'{key} is optional and has not one of default and x-default')
            if is_quantity(value) and not value.get('x-unit'):
                wrong.append(f'{key} is a quantity without x-unit')
    for one in choices(definitions[name]):
        if set(map(str, one['enum'])) != set(one.get('x-choices', {})):
            wrong.append(f"x-choices are not the choices {one['enum']}")
    ok(not wrong, f'{name}: every key is described', '\n'.join(wrong))
print(f'# {keys} keys')

# A default stands in the form that a file may give it.
for name in sorted(definitions):
    for one in objects(definitions[name]):
        for key, value in one['properties'].items():
            if 'default' in value and value['default'] != '':
                part = {'$ref': f'#/$defs/{name}', '$defs': {**definitions, name: value}}
                ok(jsonschema.Draft202012Validator(part).is_valid(value['default']),
                   f"{name}: the default of {key} is one of its values", value['default'])


def result_of(experiment, *options):
    run = subprocess.run([program, 'simulate', '-', '--json', '-', '--quiet', *options], text=True,
                         input=json.dumps(experiment), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(run.stdout) if run.returncode == 0 else run.stderr


# Results of all kinds are as their schema says, and between them have all of its keys.
of_model = {'model': 'gpt2-small', 'cluster': {'node': 'dgx-h100', 'nodes': 2, 'fabric': {'kind': 'star', 'link': 'ndr'}},
            'parallel': {'tensor': 2, 'pipeline': 4}, 'batch': {'global': 16, 'micro': 1, 'sequence': 1024},
            'schedule': '1f1b'}
switch = {'devices': 4, 'link': {'latency': '1 us', 'bandwidth': '10 GB/s'}}
flows = {'cluster': {**of_model['cluster'], 'fabric': {'kind': 'fat-tree', 'link': 'ndr'}},
         'traffic': [{'from': 0, 'to': 8, 'bytes': '1 MiB'}, {'from': 1, 'to': 9, 'bytes': '2 MiB'}]}
runs = {
    'model': {**of_model, 'training': {'tokens': '300B'}, 'variation': {'compute_spread': '3%', 'seeds': 2},
              'failures': {'device_mtbf': '50000 h', 'checkpoint_time': '60 s'}},
    'tight': {'model': 'llama-2-7b', 'cluster': 'dgx-h100-32', 'parallel': {'data': 32},
              'batch': {'global': 256, 'micro': 4}, 'schedule': '1f1b'},
    'offload': {**of_model, 'offload': 'activations'},
    'sites': {**of_model, 'outer': {'sites': 2, 'every': 10},
              'failures': {'device_mtbf': '50000 h', 'checkpoint_time': '60 s', 'events': {'seeds': 10}}},
    'copies': {**of_model,
               'failures': {'device_mtbf': '50000 h', 'checkpoint_time': '60 s',
                            'events': {'seeds': 10, 'memory_interval': '10 min', 'memory_time': '1 s'}}},
    'synthetic': {'model': {'synthetic': {'devices': 4, 'microbatches': 8, 'forward': '1 ms', 'backward': '2 ms'}},
                  'cluster': switch, 'schedule': 'pipedream', 'iterations': 12, 'precision': 'bf16'},
    'traffic': {**flows, 'network': {'flow': {'routing': 'ecmp', 'seeds': 2}}},
    'packets': {**flows, 'network': 'packet'},
    'peers': {**of_model, 'parallel': {'pipeline': 4}, 'schedule': None, 'peers': 'swarm'},
}
validator = jsonschema.Draft202012Validator(schemas['result'])
seen = set()


def keys_of(value, at=''):
    if isinstance(value, dict):
        for key, child in value.items():
            if at != 'experiment.':
                seen.add(at + key)
                keys_of(child, f'{at}{key}.')
    elif isinstance(value, list):
        for child in value:
            keys_of(child, at)


for name, experiment in runs.items():
    options = ['--if-free'] if name == 'offload' else []
    result = result_of({key: value for key, value in experiment.items() if value is not None}, *options)
    errors = list(validator.iter_errors(result))
    ok(isinstance(result, dict) and not errors, f'the result of {name} is a result', errors and errors[0])
    keys_of(result)


def keys_in(name, at=''):
    for one in nodes(definitions[name]):
        if '$ref' in one:
            yield from keys_in(one['$ref'].removeprefix('#/$defs/'), at)
        for key, value in one.get('properties', {}).items():
            yield at + key
            for part in nodes(value):
                if '$ref' in part and key != 'experiment':
                    yield from keys_in(part['$ref'].removeprefix('#/$defs/'), f'{at}{key}.')


missing = set(keys_in('result')) - seen
ok(not missing, 'the results have all keys of their schema', sorted(missing))


# So are the documents of the other commands, and what is not of them is refused.
def answer(*words, experiment=None):
    run = subprocess.run([program, *words, '--json', '-', '--quiet'], text=True, stdout=subprocess.PIPE,
                         input=json.dumps(experiment) if experiment else '')
    return json.loads(run.stdout)


small = {**of_model, 'batch': {**of_model['batch'], 'global': 2}}
answers = {
    'results': answer('compare', '-', '--schedules', '1f1b,dualpipe', experiment=small),
    'validation': answer('validate', 'published-runs', '--group', 'sc21_table1'),
    'plan': answer('plan', '-', '--planner', 'megatron', experiment=of_model),
    'sensitivity': answer('sensitivity', '-', experiment=of_model),
    'reproduction': answer('reproduce', 'bpipe'),
    'collective': answer('collective', 'dgx-a100-80g', '-b', '1M', '-e', '4M', '-f', '2'),
    'reshard': answer('collective', 'dgx-a100-80g', '--reshard', 'RS0@(2,2) -> S0R@(1,4)', '--bytes', '1MiB'),
    'diagnosis': answer('diagnose', *[f'{root}/workloads/traces/straggler_st.csv.gz'] * 2),
}
for kind, document in answers.items():
    errors = list(validators[kind].iter_errors(document))
    ok(not errors, f"what --json writes is '{kind}', as its schema says", errors and errors[0])
    ok(not validators[kind].is_valid({**document, 'no_such_key': 1}), f'{kind} with an unknown key is none')
ok(any('reason' in row for row in answers['results']['results']), 'a comparison is of results and refusals')
done()
