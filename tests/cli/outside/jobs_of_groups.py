"""Diagnoses of jobs whose ranks wait for each other: groups of data ranks, messages that stop both sides, replicas that
stand once. usage: jobs_of_groups.py PROGRAM. Prints TAP.

As in model_faults.py what a fault costs is the difference of two runs, and the trace of the faulty one alone is
diagnosed."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from simulated_jobs import causes, diagnose, file, job, run, simulate
from tap import done, ok


def slow(devices):
    return [{'device': device, 'slowdown': slowdown} for device, slowdown in devices.items()]


def lost_to(experiment, faults, *options):
    """The seconds that the faults cost, the healthy step, and the diagnosis of the faulty trace."""
    healthy = simulate(experiment, 'healthy.json', *options)
    faulty = simulate(experiment | {'stragglers': faults}, 'faulty.json', *options)
    return faulty - healthy, healthy, diagnose(file('faulty.json'))


def is_first(found, kind, who, lost, name):
    first = found['causes'][0]
    ok(first['cause'] == kind and who in first['who'], f'{name}: it comes first', found['causes'][:3])
    ok(abs(first['recovered_s'] - lost) <= 0.05 * lost, f'{name}: with what it costs', (first, lost))


def attributed(found, *kinds):
    return sum(cause['attributed_s'] for cause in found['causes'] if cause['cause'] in kinds)


# No host of a simulated job is late, whatever ranks wait for.
rendezvous = {'overlap': {'p2p': 'rendezvous'}}
interleaved = {'schedule': {'name': 'interleaved-1f1b', 'virtual': 2}}
for name, experiment in [('1f1b with rendezvous', job(**rendezvous)), ('interleaved with rendezvous', job(**rendezvous, **interleaved)),
                         ('interleaved, the sender waits', job(**interleaved, overlap={'p2p': 'sender'})),
                         ('parts of the replicas', job(parallel={'data': 8, 'zero': 3, 'shard': 4})),
                         ('parts of the replicas in a pipeline', job(parallel={'pipeline': 2, 'data': 4, 'zero': 3, 'shard': 2})),
                         ('experts in a pipeline', job(True, parallel={'pipeline': 2, 'data': 4, 'expert': 2, 'zero': 1}))]:
    lost, _, found = lost_to(experiment, slow({5: 1.5}))
    stage, data = divmod(5, experiment['parallel']['data'])
    is_first(found, 'worker', f'data rank {data}, stage {stage}', lost, name)
    ok(not causes(found, 'host'), f'{name}: no host is late', found['causes'][:4])
    ok(found['explained_fraction'] > 0.998, f'{name}: the step is explained', found['explained_fraction'])
    ok(found['causes'][0]['devices'] == [5], f'{name}: its device is named', found['causes'][0])

# The accounts are of the measured step, also where it lies between two of an even number.
found = diagnose(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../workloads/traces/straggler_st.csv.gz'))
parts = found['breakdown']
total = sum(parts['compute_s'].values()) + sum(parts['exposed_s'].values()) + parts['host_s'] + parts['bubble_s']
ok(abs(total - found['measured_s']) <= 1e-9 * total, 'the accounts of a published job add up to its step', (total, found['measured_s']))

# Degrees are those of the job, also where a pipeline holds its stages twice.
for schedule in ('1f1b', 'zb-v', {'name': 'interleaved-1f1b', 'virtual': 2}, 'dualpipe', 'dualpipe-v', 'chimera'):
    experiment = job(parallel={'tensor': 2, 'pipeline': 2, 'data': 2, 'zero': 1}, schedule=schedule)
    simulate(experiment, 'degrees.json')
    found = diagnose(file('degrees.json'))['parallel']
    ok([found[degree] for degree in ('tensor', 'pipeline', 'data')] == [2, 2, 2], f'{schedule}: its degrees are told', found)

# Ranks of one group that are slow by unequal parts: with the slowest cured it waits for the next.
for name, experiment in [('weights in parts', job(parallel={'data': 8, 'zero': 3})), ('experts of two', job(True, parallel={'pipeline': 2, 'data': 4, 'expert': 2, 'zero': 1})),
                         ('experts of four', job(True, parallel={'pipeline': 2, 'data': 4, 'expert': 4, 'zero': 1}))]:
    for devices in ({4: 1.2, 5: 1.8}, {0: 1.3, 3: 1.5, 5: 1.4}):
        lost, _, found = lost_to(experiment, slow(devices), '--no-fold')
        told = attributed(found, 'worker')
        ok(abs(told - lost) <= 0.05 * lost, f'{name}, {devices}: told with what they cost', (told, lost, found['causes'][:4]))
        ok(not causes(found, 'host'), f'{name}, {devices}: no host is late', found['causes'][:4])

# A slow link between data ranks of a stage is that stage's, whether its collectives stand within passes or behind them.
for zero, bandwidth in [(0, 0.02), (1, 0.02), (2, 0.1), (3, 0.1), (3, 0.03)]:
    name = f'a slow link, ZeRO {zero}, {bandwidth} of its bandwidth'
    lost, _, found = lost_to(job(parallel={'pipeline': 2, 'data': 4, 'zero': zero}), [{'link': '1>2', 'bandwidth': bandwidth}], '--no-fold')
    first = found['causes'][0]
    ok(first['cause'] == 'communication' and first['who'].endswith('stage 0'), f'{name}: its stage comes first', found['causes'][:3])
    told = sum(one['attributed_s'] for one in causes(found, 'communication') if not one['who'].endswith('all of it'))
    ok(abs(told - lost) <= 0.05 * lost, f'{name}: with what it costs', (told, lost, found['causes'][:4]))

# A trace of one of several replicas tells what a trace of all does.
two_nodes = {'cluster': {'node': 'dgx-h100', 'nodes': 2}, 'batch': {'global': 64, 'micro': 1, 'sequence': 2048}}
for name, experiment, faults in [('a slow device', job(**two_nodes, parallel={'pipeline': 2, 'data': 8, 'zero': 1}), slow({5: 1.5})),
                                 ('a slow node', job(**two_nodes, parallel={'data': 16, 'zero': 1}), [{'node': 1, 'slowdown': 1.4}]),
                                 ('a healthy job', job(**two_nodes, parallel={'pipeline': 4, 'data': 4, 'zero': 2}), [])]:
    traces = {}
    for which, options in (('one', []), ('all', ['--no-fold'])):
        simulate(experiment | {'stragglers': faults}, f'{which}.json', *options)
        traces[which] = diagnose(file(f'{which}.json'))
    one, every = traces['one'], traces['all']
    ok(one['parallel'] == every['parallel'], f'{name}: the degrees are those of all', (one['parallel'], every['parallel']))
    for part in ('compute_s', 'exposed_s'):
        sums = [sum(trace['breakdown'][part].values()) for trace in (one, every)]
        ok(abs(sums[0] - sums[1]) < 1e-6 * one['measured_s'], f'{name}: accounts are those of all: {part}', sums)
    ok(abs(one['breakdown']['bubble_s'] - every['breakdown']['bubble_s']) < 1e-6 * one['measured_s'], f'{name}: so is the bubble',
       (one['breakdown']['bubble_s'], every['breakdown']['bubble_s']))
    ok(sum(rank['replicas'] for rank in one['ranks']) == len(every['ranks']), f'{name}: replicas are counted', one['ranks'][:4])
    change = diagnose(file('all.json'), file('one.json'))['change']
    ok(all(abs(part['change_s']) < 1e-6 * one['measured_s'] for part in change['breakdown']), f'{name}: nothing changed between them', change['breakdown'])
    if faults:
        is_first(one, 'worker', 'data rank', every['causes'][0]['recovered_s'], f'{name}, of replicas that stand once')
ok(diagnose(file('all.json'))['ranks'] and not causes(every, 'host'), 'a healthy job has no late hosts')

# A node that is a whole stage: its updates are slow, too, and no layout of layers cures it. More layers have more gradients.
four_nodes = job(cluster={'node': 'dgx-h100', 'nodes': 4}, parallel={'pipeline': 4, 'data': 8, 'zero': 1}, batch={'global': 64, 'micro': 1, 'sequence': 2048})
lost, _, found = lost_to(four_nodes, [{'node': 2, 'slowdown': 1.4}])
is_first(found, 'stage', 'stage 2', lost, 'a node that is a stage')
first = found['causes'][0]
ok('devices of stage 2' in first['remedy'] and 'fewer layers' not in first['remedy'] and 'remedied_s' not in first, 'a node that is a stage: its devices are looked at', first)
found = diagnose(file('faulty.json'), '--layers', '16')
ok('remedied_s' not in found['causes'][0] and any('--layers changes nothing' in note for note in found['notes']), 'a node that is a stage: no layout is advised', found['notes'])
simulate(four_nodes | {'partition': [3, 4, 6, 3]}, 'uneven.json')
found = diagnose(file('uneven.json'))
first = found['causes'][0]
ok(first['cause'] == 'stage' and first['who'] == 'stage 2' and 'fewer layers' in first['remedy'], 'a stage of more layers gives some of them away', first)

# Two experiments are two runs.
for name, experiment in (('healthy', job()), ('faulty', job(stragglers=slow({5: 1.5})))):
    with open(file(f'{name}.yaml'), 'w') as out:
        json.dump(experiment, out)
found = diagnose(file('healthy.yaml'), file('faulty.yaml'))
lengths = [simulate(job(), 'a.json'), simulate(job(stragglers=slow({5: 1.5})), 'b.json')]
ok(abs(found['change']['measured']['change_s'] - (lengths[1] - lengths[0])) < 1e-6, 'two experiments: what changed is told', found['change']['measured'])
for words, told in [([file('healthy.yaml'), file('a.json')], 'is an experiment and not a trace'), ([file('healthy.yaml')] * 3, 'is a third experiment')]:
    finished = run('diagnose', *words)
    ok(finished.returncode == 2 and told in finished.stderr and finished.stderr.count('\n') == 1, f'{told}: one line', finished.stderr)
ok(run('diagnose', file('b.json'), '--format', 'csv').stdout == run('diagnose', file('b.json'), '--csv', '-').stdout, '--format csv prints what --csv writes')
ok(run('diagnose', file('b.json'), '--format', 'json').stdout == run('diagnose', file('b.json'), '--json', '-').stdout, '--format json prints what --json writes')
done()
