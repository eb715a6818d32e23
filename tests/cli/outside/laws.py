"""Laws that any right answer obeys, read off results alone. usage: laws.py PROGRAM. Prints TAP."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from tap import done, ok

program = sys.argv[1]


def run(experiment, *options):
    """The result of an experiment, a map or a name, or what the program says against it."""
    named = isinstance(experiment, str)
    done = subprocess.run([program, 'simulate', experiment if named else '-', '--json', '-', '--quiet', *options],
                          input='' if named else json.dumps(experiment), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def names(what):
    listed = subprocess.run([program, 'list', what], text=True, stdout=subprocess.PIPE).stdout
    return [line.split()[0] for line in listed.splitlines() if line.startswith('  ')]


def close(a, b, most):
    return abs(a - b) <= most * max(abs(a), abs(b))


def total(breakdown):
    return sum(breakdown['compute_s'].values()) + sum(breakdown['exposed_s'].values()) + breakdown['host_s'] + breakdown['bubble_s']


# Accounts: parts add up, of the mean and of every rank; the same numbers stand under communication.
def accounts(name, result):
    if isinstance(result, str):
        return ok(False, f'{name} runs', result)
    time = result['iteration_time_s']
    wrong = [rank['rank'] for rank in result['ranks'] if not close(total(rank['breakdown']), time, 1e-9)]
    ok(close(total(result['breakdown']), time, 1e-9) and not wrong, f'{name}: the accounts add up to an iteration', wrong)
    unlike = [kind for kind, use in result['communication'].items() if use['exposed_s'] != result['breakdown']['exposed_s'][kind]]
    ok(not unlike, f'{name}: communication says what the accounts say', unlike)
    ok(close(result['bubble_fraction'] * time, result['breakdown']['bubble_s'], 1e-9), f'{name}: the bubble is that of the accounts')
    busiest = max((sum(rank['breakdown']['compute_s'].values()) for rank in result['ranks']), default=0)
    if result['layers']:
        ok(close(sum(one['forward_s'] + one['backward_s'] for one in result['layers']), busiest, 1e-9), f'{name}: layers add up')
        ok(close(sum(one['time_s'] for one in result['kernels']), busiest, 1e-9), f'{name}: kernels add up')


for name in names('experiments'):
    accounts(name, run(name))

MODEL = {'transformer': {'layers': 2, 'hidden': 4096, 'heads': 32, 'ffn': 16384, 'vocabulary': 1024}}
BYTES = 3264 * 4096 * 2


def nodes(name, link):
    return {'node': name, 'nodes': 2, 'fabric': {'kind': 'star', 'link': link}}


def training(cluster, **more):
    return {'model': MODEL, 'cluster': cluster, 'batch': {'global': 1, 'micro': 1, 'sequence': 3264},
            'schedule': 'gpipe', 'precision': 'fp16', 'attention': 'unfused', **more}


def devices_of(name):
    """The devices of a node: two of it have twice as many."""
    for devices in (1, 2, 4, 8, 16, 72):
        if isinstance(run({'cluster': nodes(name, 'hdr'), 'traffic': [{'from': 0, 'to': 2 * devices - 1, 'bytes': 1}]}), dict) \
                and isinstance(run({'cluster': nodes(name, 'hdr'), 'traffic': [{'from': 0, 'to': 2 * devices, 'bytes': 1}]}), str):
            return devices
    return 0


# A pipeline's message that is alone takes what the same flow takes; several at once share.
for name in names('nodes'):
    devices = devices_of(name)
    alone = [{'layers': '0', 'devices': '0-0', 'mesh': [1, 1]}, {'layers': '1', 'devices': f'{devices}-{devices}', 'mesh': [1, 1]}]
    trained = run(training(nodes(name, 'eth-10'), strategy=alone))
    if isinstance(trained, str):  # a board, or a device without fp16
        continue
    flow = run({'cluster': nodes(name, 'eth-10'), 'traffic': [{'from': 0, 'to': devices, 'bytes': BYTES}]})
    hop = trained['communication']['pipeline']['time_s']  # two messages, the mean of two ranks
    ok(close(hop, flow['makespan_s'], 0.15), f'{name}: a lone message takes what the flow takes', (hop, flow['makespan_s']))
    if devices < 8 or MODEL['transformer']['heads'] % devices:
        continue
    many = run(training(nodes(name, 'eth-10'), parallel={'tensor': devices, 'pipeline': 2, 'data': 1}))
    flows = run({'cluster': nodes(name, 'eth-10'), 'traffic': [{'from': k, 'to': devices + k, 'bytes': BYTES} for k in range(devices)]})
    hop = many['communication']['pipeline']['time_s']
    ok(close(hop, flows['makespan_s'], 0.15), f'{name}: {devices} messages at once share as flows do', (hop, flows['makespan_s']))

# A job of one stage has no bubble, whoever is slow.
one_stage = training(nodes('dgx-a100-80g', 'hdr'), parallel={'tensor': 4, 'pipeline': 1, 'data': 4}, batch={'global': 8, 'micro': 1, 'sequence': 1024})
for slow in ([], [{'device': 3, 'slowdown': 1.5}]):
    result = run({**one_stage, 'stragglers': slow})
    ok(result['breakdown']['bubble_s'] == 0, f'one stage has no bubble, with {len(slow)} slow devices', result['breakdown'])
    accounts(f'one stage with {len(slow)} slow devices', result)

# Half of a link never helps, a faster one never hurts, and a cost that is gone gains no more than the iteration.
base = training(nodes('dgx-a100-80g', 'hdr'), parallel={'tensor': 2, 'pipeline': 2, 'data': 4}, batch={'global': 32, 'micro': 1, 'sequence': 1024})
times = [run({**base, 'cluster': nodes('dgx-a100-80g', link)})['iteration_time_s'] for link in ('eth-10', 'eth-25', 'hdr', 'ndr')]
ok(times == sorted(times, reverse=True), 'faster links never take longer', times)
halved = run({**base, 'stragglers': [{'link': '0>8', 'bandwidth': '50%'}]})['iteration_time_s']
ok(halved >= run(base)['iteration_time_s'], 'half of a link never helps', halved)
free = run(base, '--if-free')
ok(all(0 <= gain <= free['iteration_time_s'] for gain in free['if_free'].values()), 'no cost is longer than the iteration', free['if_free'])
done()
