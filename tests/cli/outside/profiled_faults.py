"""Folders of PyTorch traces with faults whose cost is known. usage: profiled_faults.py PROGRAM. Prints TAP.

Each job runs by the rules of 'profiled_job.py', once healthy and once with the fault; the difference is what
it costs. 'diagnose' knows the second folder alone. The fault comes first, with its seconds within 10 %."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from profiled_job import Job
from tap import done, ok

program = sys.argv[1]
scratch = tempfile.mkdtemp()


def pipeline(**rules):
    return made(Job(pipeline=4, data=2, micro_batches=8), rules)


def replicas(**rules):
    return made(Job(data=8), rules)


def batched(**rules):
    return pipeline(batched=True, **rules)


def sharded(**rules):
    return replicas(sharded=True, **rules)


def made(job, rules):
    dice = random.Random(1)
    job.jitter = lambda rank: dice.uniform(0.995, 1.005)
    for name, rule in rules.items():
        setattr(job, name, rule)
    return job.run()


def diagnose(job, *options, without=()):
    folder = job.write(tempfile.mkdtemp(dir=scratch))
    for rank in without:
        os.remove(os.path.join(folder, f'rank{rank}.json.gz'))
    finished = subprocess.run([program, 'diagnose', folder, '--json', '-', '-q', *options], text=True, stdout=subprocess.PIPE, check=True)
    return json.loads(finished.stdout)


def close(a, b, most):
    return abs(a - b) <= most * abs(b)


def told(found):
    return found['measured_s'], found['simulated_s'], found['ideal_s'], [(c['cause'], c['who'], c['recovered_s'], c['attributed_s'], c.get('share')) for c in found['causes'][:4]]


def simulated(experiment):
    finished = subprocess.run([program, 'simulate', experiment, '--json', '-', '-q'], text=True, stdout=subprocess.PIPE, check=True)
    return json.loads(finished.stdout)['iteration_time_s']


def is_healthy(name, job):
    experiment = os.path.join(scratch, f'{name}.yaml')
    found = diagnose(job, '-o', experiment)
    truth = job.step_s()
    ok(close(found['measured_s'], truth, 0.005), f'{name}: the marks are what a step is', (truth, told(found)))
    ok(close(found['simulated_s'], truth, 0.02), f'{name}: a simulation takes as long', (truth, told(found)))
    ok(found['ideal_s'] <= 1.005 * found['simulated_s'], f'{name}: the ideal is no slower', told(found))
    ok(close(simulated(experiment), found['simulated_s'], 0.02), f'{name}: its experiment takes as long', (simulated(experiment), found['simulated_s']))
    host = [rank['breakdown']['host_s'] for rank in found['ranks']]
    ok(max(host) < 0.01 * truth, f'{name}: no device waits for its host', host)
    costly = [cause for cause in found['causes'] if cause['cause'] not in ('bubble', 'communication') and cause['recovered_s'] > 0.02 * truth]
    ok(not costly, f'{name}: nothing is at fault', costly)


def lacks_ranks(name, job, missing, words):
    """What is slow is not in the traces: nothing else is blamed for it, and the ranks are named."""
    found = diagnose(job, without=missing)
    ok(any(words in note for note in found['notes']), f'{name}: the missing ranks are named', found['notes'])
    blamed = [c for c in found['causes'] if c['cause'] != 'bubble' and 'the trace lacks' not in c['who'] and 'all of it' not in c['who'] and c['recovered_s'] > 0.02 * found['measured_s']]
    ok(not blamed, f'{name}: nothing that is there is blamed', (told(found), found['notes']))


def has_fault(name, make, rules, kind, who, known=None):
    job = make(**rules)
    cost = known if known is not None else job.step_s() - make().step_s()
    found = diagnose(job)
    causes = [cause for cause in found['causes'] if cause['cause'] != 'bubble']
    first = causes[0] if causes else {'cause': 'none', 'who': '', 'recovered_s': 0, 'attributed_s': 0}
    ok(close(found['measured_s'], job.step_s(), 0.02), f'{name}: the marks are what a step is', (job.step_s(), told(found)))
    ok(close(found['simulated_s'], job.step_s(), 0.03), f'{name}: a simulation takes as long', (job.step_s(), told(found)))
    ok(first['cause'] == kind and who in first['who'], f'{name}: it comes first', told(found))
    ok(close(first['recovered_s'], cost, 0.1), f'{name}: with what it costs', (cost, told(found)))
    ok(first['attributed_s'] > 0, f'{name}: what is attributed has it', told(found))
    excess = sum(step['simulated_s'] - step['ideal_s'] for step in found['step_times']) / len(found['step_times'])
    wrong = [c for c in found['causes'] if c['cause'] not in ('worker', 'stage') and 'share' in c and not close(c['share'] * excess, c['recovered_s'], 0.02)]
    ok(not wrong, f'{name}: shares are of what the steps take longer than the ideal', (excess, wrong))
    shared = [c for c in found['causes'] if 'share_of_causes' in c]
    together = sum(c['attributed_s'] for c in shared)
    wrong = [c for c in shared if not 0 < c['share_of_causes'] <= 1 or not close(c['share_of_causes'] * together, c['recovered_s'], 0.02)]
    ok(not wrong, f'{name}: shares are of what steps take longer than without all causes', (together, wrong))


is_healthy('replicas', replicas())
is_healthy('pipeline', pipeline())
has_fault('a slow link', pipeline, {'link': lambda a, b: 20 if {a, b} == {1, 2} else 1}, 'communication', 'stages 1 and 2')
has_fault('a link that is slow one way', pipeline, {'link': lambda a, b: 20 if (a, b) == (1, 2) else 1}, 'communication', 'stages 1 and 2')
has_fault('a slow device', replicas, {'slow': lambda rank: 1.3 if rank == 3 else 1}, 'worker', 'data rank 3, stage 0')
has_fault('a slow device of a pipeline', pipeline, {'slow': lambda rank: 1.4 if rank == 5 else 1}, 'worker', 'data rank 1, stage 2')
has_fault('a slow stage', pipeline, {'slow': lambda rank: 1.4 if rank in (4, 5) else 1}, 'stage', 'stage 2')
has_fault('loading on one rank', replicas, {'loading': lambda rank, step: 15000 if rank == 2 else 0}, 'host', 'data rank 2, stage 0')
has_fault('loading on all ranks', replicas, {'loading': lambda rank, step: 15000}, 'host', 'begin of steps')
has_fault('loading of the first stage', pipeline, {'loading': lambda rank, step: 15000 if rank < 2 else 0}, 'host', 'stage 0')
has_fault('a stall of one rank', replicas, {'stall': lambda rank, step, one: 8000 if (rank, one) == (5, 1) else 0}, 'host', 'data rank 5, stage 0')
has_fault('a stall of one rank of a pipeline', pipeline, {'stall': lambda rank, step, one: 8000 if (rank, one) == (5, 4) else 0}, 'host', 'data rank 1, stage 2')
is_healthy('messages in batches', batched())
is_healthy('sharded weights', sharded())
has_fault('a slow link, messages in batches', batched, {'link': lambda a, b: 20 if {a, b} == {1, 2} else 1}, 'communication', 'stages 1 and 2')
has_fault('a slow device, messages in batches', batched, {'slow': lambda rank: 1.4 if rank == 5 else 1}, 'worker', 'data rank 1, stage 2')
has_fault('a slow device, sharded weights', sharded, {'slow': lambda rank: 1.3 if rank == 3 else 1}, 'worker', 'data rank 3, stage 0')
has_fault('a stall of one rank, sharded weights', sharded, {'stall': lambda rank, step, one: 8000 if (rank, one) == (5, 1) else 0}, 'host', 'data rank 5, stage 0')
dice = random.Random(7)
lengths = {(rank, step, one): dice.uniform(0.7, 1.3) for rank in range(8) for step in range(3) for one in range(2)}
mean = sum(lengths.values()) / len(lengths)
uneven = sharded(length=lambda *place: lengths[place])
has_fault('uneven documents, sharded weights', sharded, {'length': lambda *place: lengths[place]}, 'sequence_lengths', 'micro-batches',
          uneven.step_s() - sharded(length=lambda *place: mean).step_s())
lacks_ranks('the slow last stage is missing', pipeline(slow=lambda rank: 1.4 if rank >= 6 else 1), (6, 7), 'without ranks 6 to 7')
lacks_ranks('the slow first stage is missing', pipeline(slow=lambda rank: 1.4 if rank < 2 else 1), (0, 1), 'without ranks 0 to 1')
lacks_ranks('a slow replica is missing', pipeline(slow=lambda rank: 1.4 if rank % 2 else 1), (1, 3, 5, 7), 'without ranks 1, 3, 5, 7')
lacks_ranks('a slow rank is missing', replicas(slow=lambda rank: 1.3 if rank == 3 else 1), (3,), 'without rank 3')
lacks_ranks('a healthy stage is missing', pipeline(), (2, 3), 'without ranks 2 to 3')
slow_sums = replicas(sums=lambda stage: 5)
has_fault('slow sums', replicas, {'sums': lambda stage: 5}, 'communication', 'data communication', slow_sums.step_s() - replicas(summing=0).step_s())
done()
