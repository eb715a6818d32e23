"""Laws of schedules, read off results alone. usage: schedules.py PROGRAM. Prints TAP."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from tap import done, ok

program = sys.argv[1]
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../..')
MODES = ['async', 'sender', 'rendezvous', {'buffered': '64 MiB'}]
# What these do besides their order no CSV says: how they send, a second server, evictions.
BEYOND_ORDER = {'1f1b-as', 'fbp-as', '1f1b-sno', 'bpipe'}


def call(*words, given=''):
    return subprocess.run([program, *words], input=given, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def pipeline(schedule, devices=4, microbatches=8, boundary='64 MiB', weights='10 GiB', **more):
    return {'model': {'synthetic': {'devices': devices, 'microbatches': microbatches, 'forward': '10 ms', 'backward': '23 ms',
                                    'weight_gradient': '9 ms', 'boundary': boundary, 'weights': weights}},
            'cluster': {'devices': devices, 'link': {'latency': '5 us', 'bandwidth': '25 GB/s'}}, 'schedule': schedule, **more}


def run(experiment):
    """The result, or what the program says against it."""
    shown = call('simulate', '-', '--json', '-', '--quiet', given=json.dumps(experiment))
    return json.loads(shown.stdout) if shown.returncode == 0 else shown.stderr


def time(schedule, mode, **more):
    result = run(pipeline(schedule, overlap={'p2p': mode}, **more))
    return result if isinstance(result, str) else result['iteration_time_s']


schedules = [line.split()[0] for line in call('list', 'schedules').stdout.splitlines() if line.startswith('  ')]
flushed = [name for name in schedules if isinstance(result := run(pipeline(name)), dict) and all(rank['staleness'] == 0 for rank in result['ranks'])]
ok(len(flushed) > 15, 'most schedules flush', flushed)

# The same order takes the same time, whoever gives it.
with tempfile.TemporaryDirectory() as folder:
    own = os.path.join(folder, 'own.csv')
    for name in flushed:
        exported = call('export', 'torch-csv', '-', '-o', own, given=json.dumps(pipeline(name)))
        if exported.returncode != 0 or name in BEYOND_ORDER:
            continue
        times = {str(mode): (time(name, mode), time(f'torch-csv:{own}', mode)) for mode in MODES}
        ok(all(ours == csv for ours, csv in times.values()), f'{name}: its own CSV takes its time', times)
for path in sorted(glob.glob(os.path.join(root, 'workloads/schedules/*.yaml'))):
    name = os.path.basename(path)[:-len('.yaml')]
    options = {'slices': 4} if name == 'terapipe' else {}
    times = {str(mode): (time({'name': name, **options}, mode), time({'rules': path, **options}, mode)) for mode in MODES}
    ok(isinstance(times['async'][0], float) and all(ours == rules for ours, rules in times.values()), f'{name}: its rules take its time', times)

# A micro-batch that is alone is a chain: no order of unsplit passes is better than all of them, one after the other.
WHOLE = [{'name': 'hanayo'}, {'name': '1f1b'}, {'name': 'interleaved-1f1b', 'grouping': 'torch'}, {'name': 'gpipe'}, {'name': 'looped-bfs'}] + \
    [{'rules': {'placement': placement, 'virtual': 2, 'priority': {'F': 1, 'B': 0}}} for placement in ('linear', 'v-shape', 'interleaved')]
for schedule in WHOLE:
    result = run(pipeline(schedule, microbatches=1, boundary=0, cluster={'devices': 4, 'link': {'latency': '0 us', 'bandwidth': '25 GB/s'}}))
    what = list(schedule.values())[0]
    ok(isinstance(result, dict) and abs(result['bounds']['longest_chain_s'] - 4 * 0.033) < 1e-9 and abs(result['iteration_time_s'] - 4 * 0.033) < 1e-9,
       f'{what}: one micro-batch is a chain', result if isinstance(result, str) else result['bounds'])
trained = {'model': 'gpt2-small', 'cluster': {'node': 'dgx-a100-80g', 'nodes': 1}, 'batch': {'micro': 1, 'sequence': 1024}, 'schedule': '1f1b'}
alone, both = [run({**trained, 'parallel': {'pipeline': 4, 'data': data}, 'batch': {**trained['batch'], 'global': data}}) for data in (1, 2)]
ok(alone['bounds']['longest_chain_s'] >= 0.999 * alone['iteration_time_s'], 'one micro-batch of a model is a chain', alone['bounds'])
ok(0.99 * alone['bounds']['longest_chain_s'] <= both['bounds']['longest_chain_s'] <= both['iteration_time_s'] * (1 + 1e-12),
   'a second replica takes nothing off the chain', (alone['bounds'], both['bounds']))
for name in flushed:
    result = run(pipeline(name))
    ok(result['bounds']['longest_chain_s'] <= result['iteration_time_s'] * (1 + 1e-12), f'{name}: no chain is longer than the iteration')

# Every copy of a stage has weights of its own.
for schedule, copies in (('1f1b', 1), ('zb-v', 1), ({'name': 'interleaved-1f1b', 'virtual': 2}, 1), ('dualpipe', 2), ('chimera', 2),
                         ({'name': 'chimera', 'pipelines': 4}, 4),
                         ({'rules': {'placement': 'bidirectional', 'priority': {'F': 1, 'B': 0}}}, 2)):
    result = run(pipeline(schedule))
    held = [rank['memory']['weights'] for rank in result['ranks']] if isinstance(result, dict) else result
    ok(held == [copies * 10 * 2**30] * 4, f'{schedule}: {copies} copies of the weights', held)

given = run(pipeline('1f1b'))['kernels']
ok(given and all(kernel['origin'] == 'given' for kernel in given), 'times of a synthetic model are given', given)

# Options are those that are listed: each takes its default and its choices, and there are no others.
for name in schedules:
    shown = call('list', 'schedules', name).stdout
    ok(shown == call('help', f'schedule.{name}').stdout, f'{name}: help and list say the same', shown)
    plain = run(pipeline(name))
    for option, kind, default in re.findall(r'\n  (\w+)\n    .*\n    type     (.*)\n    default  (.*)', shown):
        choices = kind[len('one of '):].split(', ') if kind.startswith('one of ') else []
        for value in choices or [default]:
            if not choices and not re.fullmatch(r'[\d.]+|true|false', value):
                continue
            word = {'true': True, 'false': False}.get(value, float(value) if re.fullmatch(r'[\d.]+', value) else value)
            result = run(pipeline({'name': name, option: int(word) if isinstance(word, float) and word == int(word) else word}))
            fits = isinstance(result, dict) or 'cannot be' in result or 'needs' in result or 'groups of' in result
            ok(fits, f'{name}: {option}: {value} is taken', result)
            if value == default and isinstance(plain, dict) and isinstance(result, dict):
                ok(result['iteration_time_s'] == plain['iteration_time_s'], f'{name}: {option}: {value} is the default')
    refused = run(pipeline({'name': name, 'no_such_option': 1}))
    ok(isinstance(refused, str) and "unknown key 'no_such_option'" in refused, f'{name}: no other option is taken', refused)
# A balanced cut takes about as long as the best of all cuts, where devices wait for their hosts too.
for model, layers in (('alexnet', 11), ('vgg-16', 21)):
    cut = {'model': model, 'cluster': {'node': 'dgx-a100-80g', 'nodes': 1}, 'parallel': {'pipeline': 2},
           'batch': {'micro': 16, 'global': 512}, 'schedule': '1f1b'}
    best = min(run({**cut, 'partition': [first, layers - first]})['iteration_time_s'] for first in range(1, layers))
    balanced = run({**cut, 'partition': 'balanced'})['iteration_time_s']
    ok(balanced <= 1.02 * best, f'{model}: no cut is much better than the balanced one', (balanced, best))

done()
