"""Faults that no experiment can have are put into traces, alone and in twos. usage: traced_faults.py PROGRAM [ROUNDS]. Prints TAP.

A healthy trace of 'simulate --trace' is run again by 'retimed.py' with passes that vary, once healthy and
once with the fault; the difference is what it costs. 'diagnose' knows the second trace alone. Of each kind
of fault 95 % must come first, with their seconds within 5 %."""
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
trace = os.path.join(tempfile.mkdtemp(), 'run.json')
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 14  # traces of each kind
ITERATIONS, SPREAD = 8, 0.005
COMPUTE = ('forward', 'backward', 'input_gradient', 'weight_gradient')
# Of other schedules iterations run into each other, or passes run beside each other.
SCHEDULES = ['gpipe', '1f1b', 'eager-1f1b', 'interleaved-1f1b', 'looped-bfs', 'zb-h1', 'zb-v', 'v-half', 'v-min', 'hanayo', 'bpipe', 'terapipe']


def healthy(schedule, dice):
    data, devices = dice.choice([2, 3]), 4
    experiment = {'model': {'synthetic': {'devices': devices, 'microbatches': dice.choice([8, 16]), 'forward': f'{dice.randint(10, 30)} ms',
                                          'backward': f'{dice.randint(20, 60)} ms', 'update': '2 ms', 'activation': '1 MiB', 'boundary': '1 MB'}},
                  'cluster': {'devices': devices * data, 'link': {'latency': '10 us', 'bandwidth': '250 GB/s'}},
                  'parallel': {'data': data}, 'schedule': schedule, 'iterations': ITERATIONS,
                  # Replicas that are all alike would be one in the trace.
                  'stragglers': [{'device': device, 'slowdown': 1 + 1e-6 * device} for device in range(devices * data)]}
    subprocess.run([program, 'simulate', '-', '--trace', trace, '-q'], input=json.dumps(experiment), text=True, check=True)
    run = Run(trace, sum_us=1000)
    run.even, run.counted = 1, 0  # sequences cannot be shorter, only alike; times between steps that are at fault
    for work in run.works:
        work.length *= dice.gauss(1, SPREAD)
    return run


def compute(run):
    return [work for work in run.works if work.kind in COMPUTE]


def of_device(run, dice):
    """The passes of one device, and how it is called."""
    one = dice.choice(compute(run))
    return [work for work in compute(run) if (work.rank, work.data) == (one.rank, one.data)], f'data rank {one.data}, stage {one.rank}'


def slow_device(run, dice):
    works, name = of_device(run, dice)
    factor = dice.uniform(1.2, 2)
    for work in works:
        work.factor *= factor
    return 'worker', name


def slow_stage(run, dice):
    rank, factor = dice.randrange(4), dice.uniform(1.2, 2)
    for work in compute(run):
        if work.rank == rank:
            work.factor *= factor
    return 'stage', f'stage {rank}'


def pause(run, dice):
    """A collection of garbage: in every second iteration one pass of one device takes much longer."""
    works, name = of_device(run, dice)
    passes = [work for work in works if work.kind == 'forward' and work.iteration % 2 == 0]
    for iteration in range(0, ITERATIONS, 2):
        one = dice.choice([work for work in passes if work.iteration == iteration])
        one.extra += dice.uniform(5, 10) * one.length
    return 'host', name


def pauses(run, dice):
    """Every device collects its garbage when it wants to."""
    for device in sorted({(work.rank, work.data) for work in compute(run)}):
        works = [work for work in compute(run) if (work.rank, work.data) == device and work.kind == 'forward']
        for iteration in range(ITERATIONS):
            one = dice.choice([work for work in works if work.iteration == iteration])
            one.extra += 4 * one.length
    return 'host', 'pauses on'


def uneven(run, dice):
    """Documents of unequal lengths: micro-batches take longer on all stages."""
    factors = {}
    for work in compute(run):
        factor = factors.setdefault((work.data, work.iteration, work.micro_batch[0]), dice.uniform(0.6, 1.4))
        work.factor *= factor
    run.even = sum(factors.values()) / len(factors)
    return 'sequence_lengths', 'micro-batches'


def falling_clock(run, dice, works=None):
    name = 'clocks of'
    if works is None:
        works, name = of_device(run, dice)
        name = 'clock of ' + name
    end, rise = max(work.start for work in run.works), dice.uniform(0.2, 0.6)
    for work in works:
        work.factor *= 1 + rise * work.start / end
    return 'worker', name


def falling_clocks(run, dice):
    return falling_clock(run, dice, compute(run))


def late_host(run, dice):
    works, _ = of_device(run, dice)
    for work in works:
        work.late += 0.3 * work.length
    return 'host', 'launch gaps'


def loading(run, dice):
    """All devices wait for data before each iteration."""
    pause = dice.uniform(2, 6) * compute(run)[0].length
    for work in updates(run):
        work.pause += pause
    run.counted = ITERATIONS - 1
    return 'host', 'between steps'


def checkpoint(run, dice):
    pause = dice.uniform(20, 40) * compute(run)[0].length
    for work in updates(run):
        work.pause += pause if work.iteration in (2, 5) else 0
    run.counted = ITERATIONS - 1
    return 'host', 'pauses after steps 2, 5'


def updates(run):
    """The last update of every rank in every iteration."""
    last = {(work.rank, work.data, work.iteration): work for work in run.works if work.kind == 'step'}
    return last.values()


def diagnose():
    finished = subprocess.run([program, 'diagnose', trace, '--json', '-', '-q'], text=True, stdout=subprocess.PIPE, check=True)
    return json.loads(finished.stdout)


def told(causes, kind, name):
    return [cause for cause in causes if cause['cause'] == kind and name in cause['who']]


def put(schedule, seed, faults):
    """The seconds of a step that all faults cost, what each is called, and the diagnosis."""
    dice = random.Random(f'{schedule} {seed}')
    run = healthy(schedule, dice)
    run.retime()
    usual = run.mean_step()
    names = [fault(run, dice) for fault in faults]
    sick = step_of(run)
    run.write(trace)
    found = diagnose()
    for work in run.works:
        work.factor, work.late, work.extra, work.pause = run.even if work.kind in COMPUTE else 1, 0, 0, 0
    return (sick - step_of(run)) * 1e-12, usual * 1e-12, names, found


def step_of(run):
    """All steps, which may run into each other, over their number; of what is between them, over one less."""
    return run.retime() / (run.counted or ITERATIONS)


tried = named = counted = 0


def try_alone(fault):
    global tried, named, counted
    here, first_here, close_here, missed = 0, 0, 0, []
    for seed, schedule in enumerate((SCHEDULES * 2)[:ROUNDS]):
        lost, usual, [(kind, name)], found = put(schedule, seed, [fault])
        if lost < 0.03 * usual:  # hidden by the schedule's own waiting
            continue
        causes = found['causes']
        first = bool(causes) and causes[0]['cause'] == kind and name in causes[0]['who']
        seconds = sum(cause['attributed_s'] or cause['recovered_s'] for cause in told(causes, kind, name))
        close = abs(seconds - lost) <= 0.05 * lost
        here, first_here, close_here = here + 1, first_here + first, close_here + close
        if not (first and close):
            missed.append((schedule, seed, name, lost, seconds, [(c['cause'], c['who'], c['recovered_s']) for c in causes[:3]]))
    tried, named, counted = tried + here, named + first_here, counted + close_here
    ok(here >= 8, f'{fault.__name__}: traces carry it', here)
    ok(first_here >= 0.95 * here, f'{fault.__name__}: it comes first', (first_here, here, missed))
    ok(close_here >= 0.9 * here, f'{fault.__name__}: with what it costs', (close_here, here, missed))


def try_together(*faults):
    """Both are named, the sum of what is attributed is what they cost together."""
    words = ' and '.join(fault.__name__ for fault in faults)
    here, both, summed, missed = 0, 0, 0, []
    for seed, schedule in enumerate(SCHEDULES):
        parts = [put(schedule, seed, [fault])[0] for fault in faults]
        lost, usual, names, found = put(schedule, seed, faults)
        if min(parts) < 0.05 * usual or lost < 0.1 * usual:
            continue
        causes = [cause for cause in found['causes'] if cause['cause'] != 'bubble']
        seconds = sum(cause['attributed_s'] for cause in causes)
        here, both = here + 1, both + all(told(causes[:3], kind, name) for kind, name in names)
        summed += abs(seconds - lost) <= 0.1 * lost
        missed.append((schedule, seed, names, lost, seconds, [(c['cause'], c['who'], c['attributed_s']) for c in causes[:4]]))
    ok(here >= 4, f'{words}: traces carry them', here)
    ok(both >= 0.9 * here, f'{words}: both are named', (both, here, missed))
    ok(summed >= 0.9 * here, f'{words}: with what they cost together', (summed, here, missed))


if __name__ == '__main__':
    for fault in [slow_device, slow_stage, pause, pauses, uneven, falling_clock, falling_clocks, late_host, loading, checkpoint]:
        try_alone(fault)
    ok(counted >= 0.95 * tried, 'of all kinds together 95 % cost what is said', (counted, tried))
    for faults in [(slow_device, uneven), (slow_device, pauses), (slow_device, falling_clocks), (slow_stage, late_host)]:
        try_together(*faults)
    print(f'# {named} of {tried} named first, {counted} with their seconds within 5 %')
    done()
