"""Faults in jobs of models, whose ranks sum gradients beside their passes. usage: model_faults.py PROGRAM. Prints TAP.

As in faults.py what a fault costs is the difference of two runs, and the trace of the faulty one alone is
diagnosed. Then traces are spoilt: parts are taken out, ranks of another job put in, clocks moved."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from simulated_jobs import causes, diagnose, file, job, run, simulate
from tap import done, ok


def events_of(name):
    with open(file(name)) as one:
        return json.load(one)


def spoil(name, new, change):
    """Writes another trace: what `change` makes of the events of one. Returns its name."""
    trace = events_of(name)
    trace['traceEvents'] = change(trace['traceEvents'])
    with open(file(new), 'w') as out:
        # The head says what the trace is.
        out.write(json.dumps({key: trace[key] for key in ('displayTimeUnit', 'otherData')}, separators=(',', ':'))[:-1])
        out.write(',"traceEvents":[\n' + ',\n'.join(json.dumps(event, separators=(',', ':')) for event in trace['traceEvents']) + '\n]}\n')
    return file(new)


# A slow device comes first, with its seconds, and no host is late that is none.
for parallel, overlap in [({'pipeline': 4, 'data': 2, 'zero': zero}, {}) for zero in (0, 1, 2)] + [
        ({'pipeline': 2, 'data': 4, 'zero': 1}, {}), ({'pipeline': 4, 'data': 2, 'zero': 1}, {'data': False}),
        ({'data': 8, 'zero': 2}, {}), ({'data': 8, 'zero': 3}, {}), ({'pipeline': 2, 'data': 4, 'zero': 3}, {}),
        ({'pipeline': 4, 'data': 2, 'zero': 3}, {}), ({'tensor': 2, 'pipeline': 4, 'data': 1}, {}), ({'data': 8, 'expert': 8, 'zero': 1}, {}), ({'pipeline': 2, 'data': 4, 'expert': 2, 'zero': 1}, {})]:
    experiment = job(parallel=parallel) | ({'overlap': overlap} if overlap else {})
    if 'expert' in parallel:
        experiment['model']['transformer']['experts'] = {'count': 8, 'active': 2, 'ffn': 4096}
    healthy = simulate(experiment)
    for device, slowdown in [(2, 1.1 if 'tensor' in parallel else 1.02), (5, 1.5)]:
        name = f'{parallel}{overlap or ""}, device {device} by {slowdown}'
        lost = simulate(experiment | {'stragglers': [{'device': device, 'slowdown': slowdown}]}, 'slow.json') - healthy
        found = diagnose(file('slow.json'))
        data = parallel['data']
        within = parallel.get('context', 1) * parallel.get('tensor', 1)  # a replica of a stage
        who = f'data rank {device // within % data}, stage {device // within // data}'
        ok(found['causes'][0]['cause'] == 'worker' and found['causes'][0]['who'].startswith(who), f'{name}: it comes first', found['causes'][:3])
        ok(abs(found['causes'][0]['recovered_s'] - lost) <= max(0.05 * lost, 1e-3 * healthy), f'{name}: with what it costs', (found['causes'][:2], lost))
        ok(not causes(found, 'host'), f'{name}: no host is late', found['causes'][:4])

# Several slow devices that wait for each other within passes come first together, also where a replica has two micro-batches.
for batch in (16, 32):
    experiment = job(parallel={'data': 8, 'zero': 3}, batch={'global': batch, 'micro': 1, 'sequence': 2048})
    healthy = simulate(experiment)
    for slow, who in (({3: 1.4}, 'data rank 3, stage 0'), ({3: 1.4, 6: 1.6}, 'data ranks 3 and 6, stage 0'),
                      ({4: 1.3, 5: 1.3, 6: 1.3, 7: 1.3}, 'data ranks 4-7, stage 0')):
        faults = [{'device': device, 'slowdown': slowdown} for device, slowdown in slow.items()]
        lost = simulate(experiment | {'stragglers': faults}, 'slow.json', '--no-fold') - healthy
        first = diagnose(file('slow.json'))['causes'][0]
        name = f'{batch} sequences, slow devices {slow}'
        ok((first['cause'], first['who']) == ('worker', who), f'{name}: they come first', first)
        ok(abs(first['recovered_s'] - lost) <= 0.05 * lost, f'{name}: with what they cost', (first, lost))

# Context ranks hide exchanges behind what they compute, and shards two collectives: less of it hides less,
# and seconds are less sure.
for parallel, whose in [({'context': 2, 'data': 4, 'zero': 1}, ('data rank 1, stage 0, context rank 0', 'data rank 2, stage 0, context rank 1')),
                        ({'data': 8, 'zero': 3, 'shard': 4}, ('data rank 2, stage 0', 'data rank 5, stage 0')),
                        ({'context': 2, 'pipeline': 4, 'data': 1}, ('data rank 0, stage 1, context rank 0', 'data rank 0, stage 2, context rank 1'))]:
    healthy = simulate(job(parallel=parallel))
    for device, slowdown, who in [(2, 1.3, whose[0]), (5, 1.5, whose[1])]:
        name = f'{parallel}, device {device} by {slowdown}'
        lost = simulate(job(parallel=parallel, stragglers=[{'device': device, 'slowdown': slowdown}]), 'slow.json') - healthy
        found = diagnose(file('slow.json'))
        ok((found['causes'][0]['cause'], found['causes'][0]['who']) == ('worker', who), f'{name}: it comes first', found['causes'][:3])
        ok(abs(found['causes'][0]['recovered_s'] - lost) <= 0.1 * lost, f'{name}: with what it costs', (found['causes'][:2], lost))

# The experiment of a faulty job is the healthy one where its stragglers are taken out.
for device, slowdown in [(5, 3.0), (1, 1.3)]:
    healthy = simulate(job())
    faulty = simulate(job(stragglers=[{'device': device, 'slowdown': slowdown}]), 'slow.json')
    run('diagnose', file('slow.json'), '-o', file('slow.yaml'), '-q')
    name = f'device {device} by {slowdown}, as an experiment'
    finished = run('simulate', file('slow.yaml'), '--json', '-', '-q')
    with_fault = json.loads(finished.stdout)
    ok([one['device'] for one in with_fault['experiment']['stragglers']] == [device], f'{name}: it is the one straggler', with_fault['experiment'].get('stragglers'))
    ok(abs(with_fault['experiment']['stragglers'][0]['slowdown'] - slowdown) < 0.01 * slowdown, f'{name}: by as much', with_fault['experiment']['stragglers'])
    ok(abs(with_fault['makespan_s'] - faulty) < 0.02 * faulty, f'{name}: takes as long', (with_fault['makespan_s'], faulty))
    cured = json.loads(run('simulate', file('slow.yaml'), '--set', 'stragglers=[]', '--json', '-', '-q').stdout)['makespan_s']
    ok(abs(cured - healthy) < 0.02 * healthy, f'{name}: without it is the healthy job', (cured, healthy))

# A slow link between stages slows what their data ranks sum.
healthy = simulate(job())
lost = simulate(job(stragglers=[{'link': '2>4', 'bandwidth': 0.02}]), 'link.json') - healthy
found = diagnose(file('link.json'))
first = found['causes'][0]
ok(first['cause'] == 'communication' and 'stages 1-2' in first['who'] and 'stages 1-2' in first['remedy'], 'a slow link: its stages come first', found['causes'][:3])
told = sum(one['attributed_s'] for one in causes(found, 'communication'))
ok(abs(told - lost) < 0.05 * lost, 'a slow link: with what it costs', (told, lost, found['causes'][:4]))

# Parts of a trace.
length = simulate(job(stragglers=[{'device': 7, 'slowdown': 1.0001}]), 'whole.json')
whole = diagnose(file('whole.json'))
ok(not whole['notes'] and not causes(whole, 'host'), 'of a whole trace there is nothing to tell', whole['notes'])


def only(*processes):
    return lambda events: [event for event in events if event.get('pid') in processes]


def without(category):
    return lambda events: [event for event in events if event.get('cat') != category]


def first_half(events):
    return [event for event in events if event['ph'] == 'M' or event.get('ts', 0) < length * 1e6 / 2]


for name, change, words in [('rank 0 alone', only(1), 'lacks rank'), ('without the last stage', only(1, 2, 3, 4, 5, 6), 'lacks ranks 6, 7'),
                            ('stage 1 alone', only(3, 4), 'pipeline rank 0'), ('without backward passes', without('backward'), 'no backward pass'),
                            ('the first half', first_half, 'have no backward pass')]:
    found = diagnose(spoil('whole.json', 'part.json', change))
    ok(any(words in note for note in found['notes']), f'{name}: what is missing is told', found['notes'])
    ok(not causes(found, 'host'), f'{name}: no host is late', found['causes'][:3])


# Ranks of two jobs.
def shifted(processes, by_s):
    return lambda events: [event | {'ts': event['ts'] + by_s * 1e6} if event.get('pid') in processes and 'ts' in event else event for event in events]


simulate(job(model={'transformer': job()['model']['transformer'] | {'layers': 20}}, stragglers=[{'device': 7, 'slowdown': 1.0001}]), 'other.json')
others = events_of('other.json')['traceEvents']
mixed = spoil('whole.json', 'mixed.json', lambda events: only(1, 2, 3, 4)(events) + only(5, 6, 7, 8)(others))
found = diagnose(mixed)
ok(isinstance(found, str) and 'two jobs' in found and found.count('\n') == 1, 'ranks of two jobs are told', found)
mixed = spoil('whole.json', 'mixed.json', lambda events: events + others)
found = diagnose(mixed)
ok(isinstance(found, str) and 'two jobs' in found, 'two jobs in one file are told', found)

# A clock that is off.
for process, by_s in [(3, 5), (5, 0.2), (8, 5), (1, 5)]:
    found = diagnose(spoil('whole.json', 'clock.json', shifted([process], by_s)))
    name = f'the clock of process {process}, off by {by_s} s'
    ok(isinstance(found, dict) and any('clock' in note for note in found['notes']), f'{name}: is told', found if isinstance(found, str) else found['notes'])
    if isinstance(found, dict):
        ok(not causes(found, 'host') and abs(found['measured_s'] - whole['measured_s']) < 1e-3 * whole['measured_s'], f'{name}: is aligned',
           (found['measured_s'], whole['measured_s'], found['causes'][:2]))

# Tensor ranks exchange within passes, which is no compute; the degrees are those of the job, whatever is folded.
tensor = job(parallel={'pipeline': 2, 'tensor': 2, 'data': 2, 'zero': 1})
simulate(tensor, 'tensor.json')
with open(file('tensor.yaml'), 'w') as out:
    json.dump(tensor, out)
found = diagnose(file('tensor.json'), '--experiment', file('tensor.yaml'))
ok([found['parallel'][one] for one in ('pipeline', 'tensor', 'data')] == [2, 2, 2], 'folded ranks have the degrees of the job', found['parallel'])
for one in ('compute_s', 'exposed_s'):
    measured, predicted = (sum(where['breakdown'][one].values()) for where in (found, found['prediction']))
    ok(abs(measured - predicted) < 0.01 * found['measured_s'], f'against its own experiment nothing differs: {one}', (measured, predicted))
ok(not [note for note in found['notes'] if 'experiment has' in note], 'its own experiment has its degrees', found['notes'])
for parallel in ({'pipeline': 2, 'tensor': 1, 'data': 4, 'zero': 1}, {'pipeline': 2, 'tensor': 1, 'data': 2, 'zero': 1}):
    other = dict(tensor, parallel=parallel)
    with open(file('other.yaml'), 'w') as out:
        json.dump(other, out)
    found = diagnose(file('tensor.json'), '--experiment', file('other.yaml'), '--anchor', file('anchor.yaml'))
    ok(isinstance(found, str) and 'no anchor is made of another job' in found, f'no anchor is made of {parallel}', found)
simulate(job(parallel={'pipeline': 4, 'data': 2, 'zero': 1}), 'small.json')
for parallel in ({'pipeline': 4, 'data': 1, 'zero': 0, 'tensor': 2}, {'pipeline': 2, 'data': 2, 'tensor': 2}):
    with open(file('other.yaml'), 'w') as out:
        json.dump(job(parallel=parallel), out)
    found = diagnose(file('small.json'), '--experiment', file('other.yaml'))
    ok(any('experiment has' in note for note in found['notes']), f'another job is told: {parallel}', found['notes'])

# A healthy trace has one of several replicas, a faulty one has all: the job is the same.
simulate(job(), 'folded.json')
found = diagnose(file('folded.json'), file('whole.json'))
ok(not found['change']['notes'], 'a trace of one replica for all is of the same job', found['change'])
done()
