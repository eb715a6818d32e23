"""Laws that any right answer obeys, read off results alone. usage: laws.py PROGRAM. Prints TAP."""
import json
import os
import re
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
    if result['makespan_s'] == time:  # one iteration
        computes = [(rank['compute_s'], sum(rank['breakdown']['compute_s'].values())) for rank in result['ranks']]
        ok(all(close(*both, 1e-6) for both in computes), f'{name}: ranks compute as long as their accounts say', computes)
    busiest = max((sum(rank['breakdown']['compute_s'].values()) for rank in result['ranks']), default=0)
    if result['layers']:
        ok(close(sum(one['forward_s'] + one['backward_s'] for one in result['layers']), busiest, 1e-9), f'{name}: layers add up')
        ok(close(sum(one['time_s'] for one in result['kernels']), busiest, 1e-9), f'{name}: kernels add up')


for name in names('experiments'):
    accounts(name, run(name))
bound_by_host = {'model': 'resnet-50', 'cluster': {'node': 'dgx-a100-80g', 'nodes': 1}, 'parallel': {'pipeline': 2},
                 'batch': {'micro': 16, 'global': 512}, 'schedule': '1f1b'}
accounts('a job bound by its hosts', run(bound_by_host))

MODEL = {'transformer': {'layers': 2, 'hidden': 4096, 'heads': 32, 'ffn': 16384, 'vocabulary': 1024}}
BYTES = 3264 * 4096 * 2


def nodes(name, link):
    return {'node': name, 'nodes': 2, 'fabric': {'kind': 'star', 'link': link}}


def training(cluster, **more):
    return {'model': MODEL, 'cluster': cluster, 'batch': {'global': 1, 'micro': 1, 'sequence': 3264},
            'schedule': 'gpipe', 'precision': 'fp16', 'attention': 'unfused', **more}


def devices_of(name):
    """The devices of a node: two of it have twice as many, which a message to one that is not there is told."""
    refused = run({'cluster': nodes(name, 'hdr'), 'traffic': [{'from': 0, 'to': 99999, 'bytes': 1}]})
    return int(re.search('the cluster has ([0-9]+)', refused)[1]) // 2


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
    # Inside the node it is never faster than its route, and takes it all where NCCL's own pairs are faster.
    if devices > 1:
        neighbours = [{'layers': '0', 'devices': '0-0', 'mesh': [1, 1]}, {'layers': '1', 'devices': '1-1', 'mesh': [1, 1]}]
        hop = run(training(nodes(name, 'eth-10'), strategy=neighbours))['communication']['pipeline']['time_s']
        flow = run({'cluster': nodes(name, 'eth-10'), 'traffic': [{'from': 0, 'to': 1, 'bytes': BYTES}]})['makespan_s']
        ok(hop >= 0.999 * flow, f'{name}: a message inside the node is no faster than its route', (hop, flow))
        if BYTES / flow < 60e9:
            ok(close(hop, flow, 0.15), f'{name}: a lone message inside the node takes what the flow takes', (hop, flow))
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

# An iteration of several takes what one takes.
for more in [{'parallel': {'tensor': 2, 'pipeline': 2, 'data': 4, 'zero': zero}} for zero in (0, 1, 2, 3)] + \
        [{'parallel': {'tensor': 4, 'pipeline': 2, 'data': 2}, 'offload': 'optimizer'}, {'parallel': {'pipeline': 1, 'data': 16}, 'offload': 'optimizer'},
         {'parallel': {'tensor': 2, 'pipeline': 2, 'data': 4, 'zero': 1}, 'schedule': {'name': '1f1b'}}]:
    job = training(nodes('dgx-a100-80g', 'hdr'), **{'batch': {'global': 32, 'micro': 1, 'sequence': 1024}, **more})
    one, three = run(job), run({**job, 'iterations': 3})
    if isinstance(one, str) or isinstance(three, str):
        ok(False, f'{more} runs', (one, three))
        continue
    ok(close(one['iteration_time_s'], three['iteration_time_s'], 0.01) and three['makespan_s'] > 2.9 * one['iteration_time_s'],
       f'{more}: an iteration of three takes what one takes', (one['iteration_time_s'], three['iteration_time_s'], three['makespan_s']))

# Nor does an iteration count what of the next one runs beside its end.
for schedule in ('zb-h2', 'zb-v', '1f1b', 'gpipe'):
    job = {'model': {'synthetic': {'devices': 4, 'microbatches': 8, 'forward': '1 ms', 'backward': '2 ms'}},
           'cluster': {'devices': 4, 'link': {'latency': '0 s'}}, 'schedule': schedule}
    one, three = run(job), run({**job, 'iterations': 3})
    if isinstance(one, str) or isinstance(three, str):
        ok(False, f'{schedule} runs three iterations', (one, three))
        continue
    accounts(f'{schedule}, three iterations', three)
    ok(one['breakdown'] == three['breakdown'], f'{schedule}: the account of an iteration is the same whether others follow',
       (one['breakdown'], three['breakdown']))

# Half of a link never helps, a faster one never hurts, and a cost that is gone gains no more than the iteration.
base = training(nodes('dgx-a100-80g', 'hdr'), parallel={'tensor': 2, 'pipeline': 2, 'data': 4}, batch={'global': 32, 'micro': 1, 'sequence': 1024})
times = [run({**base, 'cluster': nodes('dgx-a100-80g', link)})['iteration_time_s'] for link in ('eth-10', 'eth-25', 'hdr', 'ndr')]
ok(times == sorted(times, reverse=True), 'faster links never take longer', times)
halved = run({**base, 'stragglers': [{'link': '0>8', 'bandwidth': '50%'}]})['iteration_time_s']
ok(halved >= run(base)['iteration_time_s'], 'half of a link never helps', halved)
# A mixture is what it is made of: its power the sum of its parts', whichever group comes first.
PAIRS = [('dgx-h100', 'dgx-a100-80g'), ('p3.16xlarge', 'dgx-1-v100-32g'), ('dgx-a100-40g', 'p4d.24xlarge'), ('mi300x', 'mi250x')]


def mixture(*nodes, **more):
    groups = [{'node': name, 'nodes': 1} for name in nodes]
    return training({'groups': groups, 'fabric': {'kind': 'star', 'link': 'hdr'}}, **{
        'parallel': {'pipeline': 2}, 'batch': {'global': 64, 'micro': 1, 'sequence': 512}, **more})


def sums(name):
    """What the devices of a node draw, cost and can do together; None where it does not say."""
    alone = run(training({'node': name, 'nodes': 1}, parallel={'pipeline': 2}, batch={'global': 64, 'micro': 1, 'sequence': 512}))
    time, devices = alone['iteration_time_s'], sum(len(rank['devices']) for rank in alone['ranks'])
    peak = devices * alone['model_flops_per_s_per_device'] / alone['mfu'] if alone['mfu'] else None
    return {'watts': alone['energy_j'] and alone['energy_j'] / time, 'usd': alone['cost_usd'] and alone['cost_usd'] / time, 'peak': peak}


for pair in PAIRS:
    parts = [sums(name) for name in pair]
    both = {tuple(order): run(mixture(*order)) for order in (pair, pair[::-1])}
    for order, result in both.items():
        if isinstance(result, str):
            ok(False, f'{order} runs', result)
            continue
        time, devices = result['iteration_time_s'], sum(len(rank['devices']) for rank in result['ranks'])
        is_ = {'watts': result['energy_j'] and result['energy_j'] / time, 'usd': result['cost_usd'] and result['cost_usd'] / time,
               'peak': devices * result['model_flops_per_s_per_device'] / result['mfu'] if result['mfu'] else None}
        for what, value in is_.items():
            if parts[0][what] is None or parts[1][what] is None:
                ok(value is None, f'{order}: no {what} where one part has none', value)
            else:
                ok(close(value, parts[0][what] + parts[1][what], 1e-9), f'{order}: {what} are the sum of the parts', (value, parts))
        accounts(f'{order}', result)

# The same devices under other numbers are the same job.
first, second = PAIRS[0]
forward = run(mixture(first, second))
swapped = run(mixture(second, first, placement=list(range(8, 16)) + list(range(8))))
for key in ('iteration_time_s', 'energy_j', 'mfu', 'feasible'):
    ok(forward[key] == swapped[key], f'renumbered devices: the same {key}', (forward[key], swapped[key]))


# The errors of published runs are those of the same devices, whichever group comes first.
for pair in PAIRS:
    forward, backward = run(mixture(*pair)), run(mixture(*pair[::-1], placement=[*range(8, 16), *range(8)]))
    if isinstance(forward, dict) and isinstance(backward, dict) and len(forward['ranks'][0]['devices']) == 8:
        ok(forward['uncertainty'] == backward['uncertainty'], f'{pair}: the same uncertainty in both orders', forward['uncertainty'])

# Devices that a job does not use change nothing, whatever they are.
OWN = [('dgx-h100', {'parallel': {'tensor': 8, 'data': 2}}), ('dgx-a100-80g', {'parallel': {'tensor': 4, 'pipeline': 2, 'data': 2}}),
       ('p3.16xlarge', {'parallel': {'pipeline': 2, 'data': 8}}), ('mi300x', {'parallel': {'tensor': 8, 'pipeline': 2, 'data': 1}}),
       ('dgx-a100-40g', {'parallel': {'data': 16}, 'offload': 'optimizer'})]
fabric = {'fabric': {'kind': 'star', 'link': 'hdr'}}
jobs = [(own, {'batch': {'global': 32, 'micro': 1, 'sequence': 512}, **job}) for own, job in OWN]
alone = {own: run(training({'groups': [{'node': own, 'nodes': 2}], **fabric}, **job)) for own, job in jobs}
for number, idle in enumerate(names('nodes')):  # each beside one of the jobs
    own, job = jobs[number % len(jobs)]
    beside = run(training({'groups': [{'node': own, 'nodes': 2}, {'node': idle, 'nodes': 1}], **fabric}, **job))
    same = isinstance(beside, dict) and all(beside[key] == alone[own][key] for key in ('iteration_time_s', 'breakdown', 'feasible', 'uncertainty', 'links'))
    ok(same, f'{own}: an idle {idle} changes nothing', beside if isinstance(beside, str) else (alone[own]['iteration_time_s'], beside['iteration_time_s']))

# What offloading costs is gone where it is free.
for what in ('optimizer', 'activations'):
    result = run(training(nodes('dgx-a100-80g', 'hdr'), parallel={'data': 16}, batch={'global': 32, 'micro': 1, 'sequence': 512}, offload=what), '--if-free')
    exposed, gain = result['breakdown']['exposed_s']['offload'], result['if_free']['offload_s']
    ok(gain >= 0.99 * exposed, f'offload {what}: an iteration is shorter by what is exposed of it', (exposed, gain))


def best(cluster, **more):
    """The time of the best plan on a cluster."""
    asked = {'model': MODEL, 'cluster': cluster, 'batch': {'global': 32, 'sequence': 512}, 'schedule': '1f1b', 'precision': 'fp16', **more}
    found = subprocess.run([program, 'plan', '-', '--json', '-', '--quiet'], input=json.dumps(asked), text=True, stdout=subprocess.PIPE)
    result = json.loads(found.stdout)
    return result['best']['iteration_time_s'] if result['best'] else float('inf')


def groups(*parts):
    return {'groups': [{'node': name, 'nodes': nodes} for name, nodes in parts], 'fabric': {'kind': 'star', 'link': 'eth-10'}}


# What a planner answers does not depend on the order of groups, and is never worse for more devices.
quick, slow = ('dgx-h100', 1), ('p3.8xlarge', 1)
ok(best(groups(quick, slow)) == best(groups(slow, quick)), 'the order of groups changes no answer')
ladder = [best(groups(*parts)) for parts in ((slow,), (slow, quick), (('p3.8xlarge', 2), quick), (('p3.8xlarge', 2), ('dgx-h100', 2)))]
ok(ladder == sorted(ladder, reverse=True), 'more devices never make the answer worse', ladder)
ladder = [best(nodes('dgx-a100-80g', 'eth-10') | {'nodes': count}) for count in (1, 2, 3)]
ok(ladder == sorted(ladder, reverse=True), 'nor do more nodes behind slow links', ladder)

# What is asked for besides never makes the answer better. Plans within 1.2 % are as fast.
pair = {'node': 'dgx-h100', 'nodes': 2, 'fabric': {'kind': 'fat-tree', 'link': 'ndr'}}
work = {'model': 'llama-3-8b', 'precision': 'bf16', 'batch': {'global': 256, 'sequence': 4096}}
free_choice = best(pair, **work)
for name, more in (('one stage', {'parallel': {'pipeline': 1}, 'pinned': ['parallel.pipeline']}),
                   ('two tensor ranks', {'parallel': {'tensor': 2}, 'pinned': ['parallel.tensor']}),
                   ('chunked tensor overlap', {'overlap': {'tensor': 'chunked'}, 'pinned': ['overlap.tensor']}),
                   ('balanced stages', {'partition': 'balanced', 'pinned': ['partition']})):
    asked_for = best(pair, **work, **more)
    ok(free_choice <= 1.012 * asked_for, f'a plan is no slower than one that is asked for {name}', (free_choice, asked_for))

# Every planner answers for a mixture, and what it proposes runs.
asked = {'model': 'llama-2-7b', 'cluster': groups(('dgx-h100', 1), ('p3.8xlarge', 2)), 'batch': {'global': 32, 'sequence': 2048}, 'precision': 'fp16', 'schedule': '1f1b'}
found = subprocess.run([program, 'plan', '-', '--planner', 'all', '--json', '-', '--quiet'], input=json.dumps(asked), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
for one in json.loads(found.stdout)['proposals'] if found.returncode == 0 else [{'planner': 'all', 'error': found.stderr}]:
    ok(one.get('iteration_time_s') or one.get('reason'), f"{one['planner']} answers for a mixture", one)

free = run(base, '--if-free')
ok(all(0 <= gain <= free['iteration_time_s'] for gain in free['if_free'].values()), 'no cost is longer than the iteration', free['if_free'])
done()
