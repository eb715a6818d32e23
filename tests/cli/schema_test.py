"""Every shipped file is what its schema says, mistakes are not, and schemas know the very keys that
readers do. usage: schema_test.py PROGRAM ROOT. Prints TAP; 77 without python3-jsonschema."""
import copy, glob, json, os, re, subprocess, sys

try:
    import jsonschema, yaml
except ImportError:
    sys.exit(77)

program, root = sys.argv[1:]
count = 0


def ok(condition, name, why=''):
    global count
    count += 1
    print(f"{'ok' if condition else 'not ok'} {count} - {name}")
    if not condition:
        print('#', str(why).replace('\n', '\n# ')[:1500])


def schema(kind):
    return json.loads(subprocess.run([program, 'schema', kind], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout)


def read(path):
    with open(path) as file:
        return json.loads(json.dumps(yaml.safe_load(file), default=str))


schemas = {k: schema(k) for k in ['experiment', 'study', 'model', 'cluster', 'node', 'device', 'link',
                                  'profile', 'measured', 'rules']}
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

# Readers name what they read: Fields(value, "batch", {"global", ...}). A definition whose title is
# that name and '!' has the same keys.
readers = {}
for path in glob.glob(f'{root}/sim/**/*.cpp', recursive=True):
    with open(path) as file:
        text = file.read()
    for what, keys in re.findall(r'Fields(?:\s+\w+)?\(\s*[\w.]+,\s*"([^"]+)",\s*\{((?:\s*"[^"]*",?)+)\s*\}\)', text):
        readers[what] = set(re.findall(r'"([^"]*)"', keys))


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
    ok(readers.get(what) == keys, f'the reader of {what} knows the keys of its schema',
       f'reader {sorted(readers.get(what, []))}\nschema {sorted(keys)}')


def list_in(path, name):
    with open(f'{root}/{path}') as file:
        found = re.search(name + r'[^=;]*=\s*\{+((?:\s*"[^"]*",?)+)', file.read())
    return set(re.findall(r'"([^"]*)"', found.group(1)))


ok(readers['a profile'] | {'base'} == set(definitions['profile']['properties']),
   'the reader of a profile knows the keys of its schema')
ok(list_in('sim/study/experiment.cpp', 'known_keys') == set(definitions['experiment']['properties']),
   'the reader of an experiment knows the keys of its schema')
ok(list_in('sim/workload/transformer_shape.cpp', ' keys') ==
   set(definitions['transformer_keys']['properties']),
   'the reader of a transformer knows the keys of its schema')
print(f'1..{count}')
