"""A campaign: random faults, one to three at once, in random jobs. usage: random_faults.py PROGRAM [ROUNDS [SEED]]. Prints TAP.

As in traced_faults.py a healthy trace is run again with and without what is put in, and 'diagnose' knows the
second alone. Here the number of stages, replicas and micro-batches is drawn too, and there are 27 kinds. Over
all kinds 95 % must come first, with their seconds within 5 %."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from retimed import Run
from tap import done, ok

program = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3  # jobs of each kind
SEED = sys.argv[3] if len(sys.argv) > 3 else 'campaign'
ONLY = sys.argv[4].split(',') if len(sys.argv) > 4 else []
trace = os.path.join(tempfile.mkdtemp(), 'run.json')
ITERATIONS, SPREAD = 8, 0.005
COMPUTE = ('forward', 'backward', 'input_gradient', 'weight_gradient')
WHOLE = ['gpipe', '1f1b', 'eager-1f1b', 'bpipe', 'zb-h1', 'zb-h2', 'terapipe']
CHUNKED = ['interleaved-1f1b', 'looped-bfs', 'zb-v', 'v-half', 'v-min', 'hanayo']


class Job:
    """A run that is healthy until faults are put in."""
    def __init__(self, seed, schedules, least_data=1, least_stages=2):
        self.seed, dice = seed, random.Random(seed)
        while True:
            self.schedule = dice.choice(schedules)
            self.stages, self.data = dice.randint(least_stages, 8), dice.randint(least_data, 4)
            if self.stages * self.data == 1 or not self.simulate(dice):
                continue
            self.run = Run(trace, sum_us=1000)
            if len({(work.rank, work.data) for work in self.run.works}) == self.stages * self.data:
                break
        for work in self.run.works:
            work.length *= dice.gauss(1, SPREAD)
        self.usual_ps = dict(self.run.message_ps)
        self.even = 1  # sequences cannot be shorter, only alike
        self.between = False  # whether the fault is between steps
        self.passes = [work for work in self.run.works if work.kind in COMPUTE]
        self.updates = list({(work.rank, work.data, work.iteration): work for work in self.run.works if work.kind == 'step'}.values())
        self.end = max(work.start for work in self.run.works)
        self.forward = sum(work.length for work in self.passes if work.kind == 'forward') / sum(work.kind == 'forward' for work in self.passes)

    def simulate(self, dice):
        devices = self.stages * self.data
        experiment = {'model': {'synthetic': {'devices': self.stages, 'microbatches': self.stages * dice.randint(1, 4), 'forward': f'{dice.randint(10, 30)} ms',
                                              'backward': f'{dice.randint(20, 60)} ms', 'update': '2 ms', 'activation': '1 MiB', 'boundary': '1 MB'}},
                      'cluster': {'devices': devices, 'link': {'latency': '10 us', 'bandwidth': '250 GB/s'}},
                      'parallel': {'data': self.data}, 'schedule': self.schedule, 'iterations': ITERATIONS,
                      # Replicas that are alike would be one in the trace.
                      'stragglers': [{'device': device, 'slowdown': 1 + 1e-6 * device} for device in range(devices)]}
        return subprocess.run([program, 'simulate', '-', '--trace', trace, '-q'], input=json.dumps(experiment), text=True, stderr=subprocess.DEVNULL).returncode == 0

    def passes_of(self, rank=None, data=None, kinds=COMPUTE):
        return [work for work in self.passes if (rank is None or work.rank == rank) and (data is None or work.data == data) and work.kind in kinds]

    def messages(self, keeps):
        """The messages of which keeps(from rank, to rank, data rank) holds."""
        found = []
        for work in self.passes:
            for source, message in work.inputs:
                if message is not None and keeps(source.rank, work.rank, work.data):
                    found.append(message)
        return found

    def links(self):
        return sorted({(source.rank, work.rank, work.data) for work in self.passes for source, message in work.inputs if message is not None})

    def step(self):
        """All steps, which may run into each other, over their number; of what is between them, over one less."""
        return self.run.retime() * 1e-12 / (ITERATIONS - self.between)

    def heal(self):
        for work in self.run.works:
            work.factor, work.late, work.extra, work.pause, work.sum_factor = self.even if work.kind in COMPUTE else 1, 0, 0, 0, 1
        self.run.message_ps = dict(self.usual_ps)

    def sick_step(self, faults):
        """A step with faults, and what each is called. Faults have dice of their own: without one of them others stay as they are."""
        names = [fault(self, random.Random(f'{self.seed} {fault.__name__}')) for fault in faults]
        return self.step(), names

    def try_faults(self, faults):
        """The seconds of a step that they cost, the healthy step, what each is called, and the diagnosis."""
        usual = self.step()
        sick, names = self.sick_step(faults)
        self.run.write(trace)
        finished = subprocess.run([program, 'diagnose', trace, '--json', '-', '-q'], text=True, stdout=subprocess.PIPE, check=True)
        self.heal()
        return sick - self.step(), usual, names, json.loads(finished.stdout)

    def gains(self, faults):
        """By fault, what a step gains where that one is not there."""
        sick, _ = self.sick_step(faults)
        self.heal()
        gained = []
        for fault in faults:
            gained.append(sick - self.sick_step([one for one in faults if one is not fault])[0])
            self.heal()
        return gained


def device_of(job, dice):
    return dice.randrange(job.stages), dice.randrange(job.data)


def called(rank, data):
    return f'data rank {data}, stage {rank}'


def slow(works, factor):
    for work in works:
        work.factor *= factor


def worker(job, rank, data):
    """A device without replicas is a stage."""
    return ('worker', [called(rank, data)]) if job.data > 1 else ('stage', [f'stage {rank}'])


def slow_device(job, dice):
    rank, data = device_of(job, dice)
    slow(job.passes_of(rank, data), dice.uniform(1.2, 2))
    return worker(job, rank, data)


def slow_forward(job, dice):
    rank, data = device_of(job, dice)
    slow(job.passes_of(rank, data, ('forward',)), dice.uniform(1.3, 2))
    return worker(job, rank, data)


def slow_backward(job, dice):
    rank, data = device_of(job, dice)
    slow(job.passes_of(rank, data, COMPUTE[1:]), dice.uniform(1.3, 2))
    return worker(job, rank, data)


def slow_from_then_on(job, dice):
    """From one step on a device is slow."""
    rank, data = device_of(job, dice)
    first = dice.randint(2, 5)
    slow([work for work in job.passes_of(rank, data) if work.iteration >= first], dice.uniform(1.4, 2))
    return 'worker', [called(rank, data)]


def slow_replica(job, dice):
    """A node that has all stages of a replica."""
    data = dice.randrange(job.data)
    slow(job.passes_of(data=data), dice.uniform(1.2, 2))
    return 'worker', [f'data rank {data}']


def two_slow_devices(job, dice):
    """Of two replicas: each alone is hidden by the other."""
    factor = dice.uniform(1.3, 2)
    rank, data = device_of(job, dice)
    other = dice.choice([one for one in range(job.data) if one != data])
    other_rank = dice.choice([one for one in range(job.stages) if one != rank])
    slow(job.passes_of(rank, data), factor)
    slow(job.passes_of(other_rank, other), factor)
    return 'worker', [called(rank, data), called(other_rank, other)]


def slow_update(job, dice):
    """One device updates its weights slowly."""
    rank, data = device_of(job, dice)
    for work in job.updates:
        if (work.rank, work.data) == (rank, data):
            work.extra += dice.uniform(2, 6) * job.forward
    return 'worker', [called(rank, data)]


def falling_clock(job, dice):
    rank, data = device_of(job, dice)
    rise = dice.uniform(0.2, 0.6)
    for work in job.passes_of(rank, data):
        work.factor *= 1 + rise * work.start / job.end
    return 'worker', ['clock of ' + called(rank, data)]


def falling_clocks(job, dice):
    rise = dice.uniform(0.2, 0.6)
    for work in job.passes:
        work.factor *= 1 + rise * work.start / job.end
    return 'worker', ['clocks of']


def slow_stage(job, dice):
    rank = dice.randrange(job.stages)
    slow(job.passes_of(rank), dice.uniform(1.2, 2))
    return 'stage', [f'stage {rank}']


def two_slow_stages(job, dice):
    ranks = dice.sample(range(job.stages), 2)
    factor = dice.uniform(1.3, 2)
    for rank in ranks:
        slow(job.passes_of(rank), factor)
    return 'stage', [f'stage {rank}' for rank in ranks]


def slow_layers(job, dice):
    """One chunk of a rank has more to do."""
    stage = dice.choice(sorted({work.stage for work in job.passes}))
    works = [work for work in job.passes if work.stage == stage]
    slow(works, dice.uniform(1.4, 2.5))
    return 'stage', [f'stage {works[0].rank}']


def uneven(job, dice):
    factors = {}
    for work in job.passes:
        work.factor *= factors.setdefault((work.data, work.iteration, work.micro_batch[0]), dice.uniform(0.6, 1.4))
    job.even = sum(factors.values()) / len(factors)
    return 'sequence_lengths', ['micro-batches']


def long_document(job, dice):
    """Of every replica's micro-batches of a step one is longer."""
    batches = sorted({(work.data, work.iteration, work.micro_batch[0]) for work in job.passes})
    longest = {(data, iteration): dice.choice([one for one in batches if one[:2] == (data, iteration)]) for data, iteration, _ in batches}
    factor = dice.uniform(1.6, 3)
    for work in job.passes:
        if longest[work.data, work.iteration] == (work.data, work.iteration, work.micro_batch[0]):
            work.factor *= factor
    job.even = 1 + (factor - 1) * len(longest) / len(batches)
    return 'sequence_lengths', ['micro-batches']


def pause(job, dice):
    rank, data = device_of(job, dice)
    for iteration in range(0, ITERATIONS, 2):
        one = dice.choice([work for work in job.passes_of(rank, data, ('forward',)) if work.iteration == iteration])
        one.extra += dice.uniform(5, 10) * one.length
    return 'host', [called(rank, data)]


def pauses(job, dice):
    for rank in range(job.stages):
        for data in range(job.data):
            for iteration in range(ITERATIONS):
                one = dice.choice([work for work in job.passes_of(rank, data, ('forward',)) if work.iteration == iteration])
                one.extra += 4 * one.length
    return 'host', ['pauses on']


def late_host(job, dice):
    for work in job.passes_of(*device_of(job, dice)):
        work.late += 0.3 * work.length
    return 'host', ['launch gaps']


def late_hosts(job, dice):
    part = dice.uniform(0.05, 0.3)
    for work in job.passes:
        work.late += part * work.length
    return 'host', ['launch gaps']


def late_begin(job, dice):
    """One replica waits for its data in every step."""
    data = dice.randrange(job.data)
    for iteration in range(ITERATIONS):
        works = [work for work in job.passes_of(data=data) if work.iteration == iteration]
        min(works, key=lambda work: work.start).late += dice.uniform(2, 6) * job.forward
    return 'host', [BEGIN, 'launch gaps']


def loading(job, dice):
    wait = dice.uniform(2, 6) * job.forward
    for work in job.updates:
        work.pause += wait
    job.between = True
    return 'host', ['between steps', BEGIN]


def checkpoint(job, dice):
    wait = dice.uniform(20, 40) * job.forward
    for work in job.updates:
        work.pause += wait if work.iteration in (2, 5) else 0
    job.between = True
    return 'host', ['pauses after steps 2, 5']


def lengthen(job, messages, length):
    for message in messages:
        job.run.message_ps[id(message)] += round(length)


def link_names(one, other, data):
    low, high = (one, other) if abs(one - other) == 1 and one < other else (other, one)
    return [f'stages {low} and {high}, data rank {data}', f'stages {high} and {low}, data rank {data}',
            f'messages of stage {one}, data rank {data}', f'messages of stage {other}, data rank {data}']


def slow_link(job, dice):
    """Both ways."""
    one, other, data = dice.choice(job.links())
    lengthen(job, job.messages(lambda a, b, c: {a, b} == {one, other} and c == data), dice.uniform(0.3, 1) * job.forward)
    return 'communication', link_names(one, other, data)


def slow_direction(job, dice):
    one, other, data = dice.choice(job.links())
    lengthen(job, job.messages(lambda a, b, c: (a, b, c) == (one, other, data)), dice.uniform(0.3, 1) * job.forward)
    return 'communication', link_names(one, other, data)


def slow_adapter(job, dice):
    rank, data = device_of(job, dice)
    lengthen(job, job.messages(lambda a, b, c: rank in (a, b) and c == data), dice.uniform(0.3, 1) * job.forward)
    return 'communication', [f'messages of stage {rank}, data rank {data}', f'stages {rank - 1} and {rank}, data rank {data}', f'stages {rank} and {rank + 1}, data rank {data}']


def unsteady_link(job, dice):
    """A tenth of the messages of a link are late."""
    one, other, data = dice.choice(job.links())
    messages = job.messages(lambda a, b, c: {a, b} == {one, other} and c == data)
    lengthen(job, dice.sample(messages, max(2, len(messages) // 10)), dice.uniform(2, 4) * job.forward)
    return 'communication', link_names(one, other, data)


def slow_sum(job, dice):
    rank, factor = dice.randrange(job.stages), dice.uniform(40, 120)
    for work in job.updates:
        if work.rank == rank:
            work.sum_factor = factor
    return 'communication', [f'stage {rank}']


def congested_sums(job, dice):
    """In some steps the sums of all stages take longer."""
    factor = dice.uniform(60, 200)
    for work in job.updates:
        if work.iteration in (1, 4, 6):
            work.sum_factor = factor
    return 'communication', ['data collectives']


ANY = WHOLE + CHUNKED
FAULTS = {  # by kind: the schedules, and the least data ranks and stages that can have it
    slow_device: (ANY, 1, 3), slow_forward: (ANY, 1, 3), slow_backward: (ANY, 1, 3), slow_from_then_on: (ANY, 2, 2), slow_replica: (ANY, 3, 2),
    two_slow_devices: (ANY, 4, 2), slow_update: (ANY, 2, 2), falling_clock: (ANY, 1, 2), falling_clocks: (ANY, 1, 2), slow_stage: (ANY, 2, 3),
    two_slow_stages: (ANY, 2, 5), slow_layers: (CHUNKED, 2, 3), uneven: (ANY, 1, 2), long_document: (ANY, 1, 2), pause: (ANY, 1, 2), pauses: (ANY, 1, 2),
    late_host: (ANY, 1, 2), late_hosts: (ANY, 1, 2), late_begin: (ANY, 2, 2), loading: (ANY, 1, 2), checkpoint: (ANY, 1, 2), slow_link: (ANY, 2, 3),
    slow_direction: (ANY, 2, 3), slow_adapter: (ANY, 2, 4), unsteady_link: (ANY, 2, 3), slow_sum: (ANY, 2, 3), congested_sums: (ANY, 2, 2)}
# What is put together: causes of which none is another name of another.
TOGETHER = [slow_device, slow_stage, uneven, pauses, falling_clocks, late_host, slow_link, slow_sum, congested_sums]


BEGIN = 'begin of steps'  # where steps run into each other, no time is between them


def is_told(cause, kind, names):
    return cause['cause'] == kind and any(name in cause['who'] for name in names)


def seconds_of(causes, kind, names):
    return sum(cause['attributed_s'] or cause['recovered_s'] for cause in causes if is_told(cause, kind, names))


def try_alone(fault):
    """How many jobs carried it, in how many it came first, and with its seconds."""
    here = first = close = 0
    missed = []
    for seed in range(ROUNDS):
        job = Job(f'{SEED} {fault.__name__} {seed}', *FAULTS[fault])
        lost, usual, [(kind, names)], found = job.try_faults([fault])
        if lost < 0.03 * usual:  # hidden by the schedule's own waiting
            continue
        causes = found['causes']
        is_first = bool(causes) and is_told(causes[0], kind, names)
        told = seconds_of(causes, kind, names)
        if job.between and is_first and causes[0]['who'] == BEGIN:
            told *= ITERATIONS / (ITERATIONS - 1)  # it is said of all steps
        is_close = abs(told - lost) <= 0.05 * lost
        here, first, close = here + 1, first + is_first, close + is_close
        if not (is_first and is_close):
            missed.append((seed, job.schedule, job.stages, job.data, kind, names[0], round(lost, 4), round(told, 4),
                           [(c['cause'], c['who'], round(c['recovered_s'], 4), round(c['attributed_s'] or 0, 4)) for c in causes[:4]]))
    return here, first, close, missed


def try_together(seed):
    """All are named, the largest first, and what is attributed is what they cost together."""
    dice = random.Random(f'{SEED} together {seed}')
    faults = dice.sample(TOGETHER, dice.choice([2, 2, 3]))
    job = Job(f'{SEED} together {seed}', ANY, 2, 4)
    lost, usual, names, found = job.try_faults(faults)
    gained = job.gains(faults)
    if min(gained) < 0.03 * usual or lost < 0.1 * usual:  # hidden by the others
        return None
    causes = [cause for cause in found['causes'] if cause['cause'] != 'bubble']
    told = sum(cause['attributed_s'] or 0 for cause in causes)
    largest = [name for name, one in zip(names, gained) if one > 0.9 * max(gained)]
    is_first = any(is_told(causes[0], *name) for name in largest)
    all_named = all(any(is_told(cause, *name) for cause in causes[:4]) for name in names)
    is_close = abs(told - lost) <= 0.1 * lost
    what = (seed, job.schedule, job.stages, job.data, [(fault.__name__, name, round(one, 4)) for fault, name, one in zip(faults, names, gained)], round(lost, 4), round(told, 4),
            [(c['cause'], c['who'], round(c['recovered_s'], 4), round(c['attributed_s'] or 0, 4)) for c in causes[:5]])
    return is_first, all_named, is_close, what


if __name__ == '__main__':
    tried = named = counted = 0
    for fault in FAULTS:
        if ONLY and fault.__name__ not in ONLY:
            continue
        here, first, close, missed = try_alone(fault)
        tried, named, counted = tried + here, named + first, counted + close
        print(f'# {fault.__name__}: {first} of {here} first, {close} with their seconds', flush=True)
        for one in missed:
            print('#   ', one, flush=True)
    ok(named >= 0.95 * tried, 'of all kinds together 95 % come first', (named, tried))
    ok(counted >= 0.95 * tried, 'of all kinds together 95 % have their seconds within 5 %', (counted, tried))
    if not ONLY or 'together' in ONLY:
        results = [one for one in map(try_together, range(4 * ROUNDS)) if one]
        for number, words in enumerate(['the largest first', 'all named', 'with what they cost together']):
            good = sum(one[number] for one in results)
            print(f'# together, {words}: {good} of {len(results)}')
            ok(good >= min(0.9 * len(results), len(results) - 1), f'several at once: {words}', (good, len(results)))
        for one in results:
            if not all(one[:3]):
                print('#   ', one)
    done()
