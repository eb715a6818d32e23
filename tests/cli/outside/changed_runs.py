"""What changed between two runs of a job. usage: changed_runs.py PROGRAM [SCHEDULES]. Prints TAP.

The runs are those of traced_faults.py: the later one has a fault, and passes that vary otherwise than those
of the earlier one. 'diagnose' is given both. Laws: nothing changed from a run to itself; the way back is the
negative; the fault is the cause that changed most, by as much as it costs within 5 %."""
import json
import os
import random
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from tap import done, ok
from traced_faults import COMPUTE, SCHEDULES, SPREAD, checkpoint, falling_clock, falling_clocks, healthy, late_host, loading, pause, pauses, program, slow_device, slow_stage, step_of, trace, uneven

schedules = int(sys.argv[2]) if len(sys.argv) > 2 else 4  # of each fault
earlier, later = trace + '.earlier', trace + '.later'


def vary(run, dice):
    for work in run.works:
        work.length *= dice.gauss(1, SPREAD)


def change(before, after):
    finished = subprocess.run([program, 'diagnose', after, '--against', before, '--json', '-', '-q'], text=True, stdout=subprocess.PIPE, check=True)
    return json.loads(finished.stdout)['change']


def changes(found):
    """Every quantity of a change by its name."""
    named = {name: found[name] for name in ('measured', 'simulated', 'ideal')}
    named.update({('part', one['part']): one for one in found['breakdown']})
    named.update({(one['cause'], one['who']): one for one in found['causes']})
    return {name: one['change_s'] for name, one in named.items()}


def write_runs(schedule, seed, fault):
    """The earlier run and the later one, which has the fault. The seconds that it costs, and what it is called."""
    dice = random.Random(f'change {schedule} {seed}')
    run = healthy(schedule, dice)
    run.retime()
    run.write(trace)
    shutil.move(trace, earlier)
    usual = run.mean_step()
    vary(run, dice)
    kind, name = fault(run, dice)
    sick = step_of(run)
    run.write(trace)
    shutil.move(trace, later)
    for work in run.works:
        work.factor, work.late, work.extra, work.pause = run.even if work.kind in COMPUTE else 1, 0, 0, 0
    return (sick - step_of(run)) * 1e-12, usual * 1e-12, kind, name


all_here = all_close = 0


def try_fault(fault, number):
    global all_here, all_close
    here, first, close, missed = 0, 0, 0, []
    for seed in range(schedules):
        schedule = SCHEDULES[(number + seed * 5) % len(SCHEDULES)]
        lost, usual, kind, name = write_runs(schedule, seed, fault)
        there, back = change(earlier, later), change(later, earlier)
        of_there, of_back = changes(there), changes(back)
        ok(of_there.keys() == of_back.keys() and all(abs(of_there[one] + of_back[one]) < 1e-9 for one in of_there),
           f'{fault.__name__}, {schedule}: the way back is the negative', (of_there, of_back))
        if lost < 0.03 * usual:  # hidden by the schedule's own waiting
            continue
        causes = [one for one in there['causes'] if one['cause'] != 'bubble']
        told = sum(one['change_s'] for one in causes if one['cause'] == kind and name in one['who'])
        here += 1
        first += bool(causes) and causes[0]['cause'] == kind and name in causes[0]['who']
        close += abs(told - lost) <= 0.05 * lost
        missed.append((schedule, name, lost, told, [(one['cause'], one['who'], one['change_s']) for one in there['causes'][:4]]))
    ok(first == here, f'{fault.__name__}: it changed most', (first, here, missed))
    ok(close >= here - 1, f'{fault.__name__}: by what it costs', (close, here, missed))
    all_here, all_close = all_here + here, all_close + close


def try_same(schedule):
    run = healthy(schedule, random.Random(schedule))
    run.retime()
    run.write(trace)
    found = changes(change(trace, trace))
    ok(all(one == 0 for one in found.values()), f'{schedule}: from a run to itself nothing changed', found)


for schedule in SCHEDULES:
    try_same(schedule)
for number, fault in enumerate([slow_device, slow_stage, pause, pauses, uneven, falling_clock, falling_clocks, late_host, loading, checkpoint]):
    try_fault(fault, number)
ok(all_close >= 0.95 * all_here, 'of all faults together 95 % cost what is said', (all_close, all_here))
print(f'# {all_close} of {all_here} with their seconds within 5 %')
done()
