"""Faults put into runs are named by diagnose, with their seconds. usage: faults.py PROGRAM. Prints TAP.

Every schedule runs twice: healthy, and with one slow device or one slow link. What the fault costs is
the difference of the two; the trace of the second is diagnosed, which knows nothing of the first."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from tap import done, ok

program = sys.argv[1]
trace = os.path.join(tempfile.mkdtemp(), 'run.json')
# Orders that differ from another schedule's only in what happens between iterations, in when messages
# are sent or in where activations are kept: one iteration shows the order alone.
SAME_ORDER = {'pipedream': '1f1b', 'pipedream-2bw': '1f1b', 'spectrain': '1f1b', 'pipeoptim': '1f1b', 'xpipe': '1f1b',
              'pipelined-backprop': '1f1b', 'bpipe': '1f1b', '1f1b-as': '1f1b', '1f1b-sno': '1f1b', 'zb-auto': 'zb-'}
# Passes of two directions run beside each other, and so do their messages.
SIDE_BY_SIDE = {'1f1b-as', 'fbp-as', 'dualpipe', 'dualpipe-v'}


def names(what):
    listed = subprocess.run([program, 'list', what], text=True, stdout=subprocess.PIPE).stdout
    return [line.split()[0] for line in listed.splitlines() if line.startswith('  ')]


def simulate(experiment, *options):
    done = subprocess.run([program, 'simulate', '-', '--json', '-', '-q', *options], input=json.dumps(experiment), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def diagnose():
    done = subprocess.run([program, 'diagnose', trace, '--json', '-', '-q'], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def job(schedule, dice):
    """A pipeline of four, which every schedule takes; one replica or three."""
    data = dice.choice([1, 3])
    return data, {'model': {'synthetic': {'devices': 4, 'microbatches': dice.choice([16, 24]), 'forward': f'{dice.randint(5, 30)} ms',
                                          'backward': f'{dice.randint(20, 60)} ms', 'activation': '1 MiB', 'boundary': '10 MB'}},
                  'cluster': {'devices': 4 * data, 'link': {'latency': '10 us', 'bandwidth': '25 GB/s'}},
                  'parallel': {'data': data}, 'schedule': schedule}


def compare(name, schedule, experiment, fault, who):
    """`who`: the kind of cause, and what must be said of the place."""
    healthy = simulate(experiment)
    faulty = simulate(experiment | {'stragglers': [fault]}, '--trace', trace)
    if isinstance(healthy, str) or isinstance(faulty, str):
        return ok('micro' in str(healthy) or 'replica' in str(healthy), f'{name} runs or says why not', healthy)
    lost = faulty['makespan_s'] - healthy['makespan_s']
    found = diagnose()
    if isinstance(found, str):
        return ok(False, f'{name} is diagnosed', found)
    ok(SAME_ORDER.get(schedule, schedule) in found['schedule'] or schedule == 'fbp-as', f'{name}: its schedule is told', found['schedule'])
    ok(abs(found['simulated_s'] - found['measured_s']) <= 0.02 * found['measured_s'], f'{name}: the trace runs again as it ran',
       (found['simulated_s'], found['measured_s']))
    if lost < 0.03 * healthy['makespan_s'] or schedule == 'zb-auto':  # hidden, or the order is another one
        return
    first = found['causes'][0]
    kind, places = who
    ok(first['cause'] == kind and any(place in first['who'] for place in places), f'{name}: the fault comes first', found['causes'][:3])
    told = sum(cause['attributed_s'] for cause in found['causes'] if cause['cause'] == kind)
    ok(abs(told - lost) <= 0.05 * lost, f'{name}: with what it costs', (told, lost))


for schedule in names('schedules'):
    dice = random.Random(schedule)
    for _ in range(2):
        data, experiment = job(schedule, dice)
        device = dice.randrange(4 * data)
        kind = ('worker', [f'data rank {device % data}, stage {device // data}']) if data > 1 else ('stage', [f'stage {device}'])
        compare(f'{schedule}, device {device} of {4 * data}', schedule, experiment,
                {'device': device, 'slowdown': dice.choice([1.3, 1.5, 2.0])}, kind)
    # A link's two ports belong to two devices, whose other messages they slow too. Three replicas: of
    # as many links of one kind most are healthy.
    while data == 1:
        data, experiment = job(schedule, dice)
    if schedule in SIDE_BY_SIDE:
        continue
    stage, replica = dice.randrange(3), dice.randrange(3)
    ends = f'{stage * 3 + replica}>{stage * 3 + 3 + replica}'
    compare(f'{schedule}, link {ends}', schedule, experiment, {'link': ends, 'bandwidth': '1%'},
            ('communication', ['pipeline messages', f'stages {stage} and {stage + 1}', f'messages of stage {stage}',
                               f'messages of stage {stage + 1}']))
done()
