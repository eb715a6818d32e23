"""Traces of torch.distributed.pipelining are read by what it notes of its actions. usage: pipelining_traces.py PROGRAM. Prints TAP.

'pipelining_job.py' writes them. Chunks go around the ranks or back and forth, backward passes are whole or halves,
ranks are slow or missing: the schedule is told without a deviation, and a slow rank comes first with its seconds."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from pipelining_job import PipeliningJob, gpipe, interleaved, zb_v
from tap import done, ok

program = sys.argv[1]
scratch = tempfile.mkdtemp()


def diagnose(job, without=()):
    folder = job.write(tempfile.mkdtemp(dir=scratch))
    for rank in without:
        os.remove(os.path.join(folder, f'rank{rank}.json.gz'))
    finished = subprocess.run([program, 'diagnose', folder, '--json', '-', '-q'], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(finished.stdout) if finished.returncode == 0 else finished.stderr


JOBS = {'interleaved-1f1b': (interleaved(8, 2, 16), 2), 'interleaved-1f1b of three chunks': (interleaved(4, 3, 8), 3), 'gpipe': (gpipe(4, 8), 1), 'zb-v': (zb_v(program, 4, 8), 2)}
for name, ((orders, rank_of), chunks) in JOBS.items():
    ranks, schedule = len(orders), name.split()[0]
    healthy = PipeliningJob(orders, rank_of, gpipe=schedule == 'gpipe').run()
    found = diagnose(healthy)
    if isinstance(found, str):
        ok(False, f'{name}: is diagnosed', found)
        continue
    ok(not any('cannot be joined' in note for note in found['notes']), f'{name}: ranks are joined', found['notes'])
    ok(schedule in found['schedule'] and found['schedule_detail']['nearest_distance'] == 0, f'{name}: is told', (found['schedule'], found['schedule_detail']))
    parallel = found['parallel']
    ok((parallel['pipeline'], parallel.get('virtual', 1), found['micro_batches']) == (ranks, chunks, 8 if ranks == 4 else 16), f'{name}: so are its degrees', (parallel, found['micro_batches']))
    truth = healthy.step_s()
    ok(abs(found['measured_s'] - truth) < 0.01 * truth, f'{name}: a step is as long as its mark', (found['measured_s'], truth))
    ok(abs(found['simulated_s'] - truth) < 0.03 * truth, f'{name}: and runs again as it ran', (found['simulated_s'], truth))
    large = [cause for cause in found['causes'] if cause['cause'] not in ('bubble', 'communication') and cause['recovered_s'] > 0.02 * truth]
    ok(not large, f'{name}: nothing is at fault', large)
    faulty = PipeliningJob(orders, rank_of, gpipe=schedule == 'gpipe')
    faulty.slow = lambda rank: 1.4 if rank == 2 else 1
    cost, found = faulty.run().step_s() - truth, diagnose(faulty)
    first = found['causes'][0]
    ok((first['cause'], first['who']) == ('stage', 'stage 2'), f'{name}: a slow rank comes first', found['causes'][:3])
    ok(abs(first['recovered_s'] - cost) < 0.05 * cost, f'{name}: with what it costs', (first['recovered_s'], cost))

# An order that no list has is joined all the same.
orders, rank_of = interleaved(4, 2, 8, more=3)
healthy, faulty = PipeliningJob(orders, rank_of).run(), PipeliningJob(orders, rank_of)
faulty.slow = lambda rank: 1.4 if rank == 1 else 1
cost, found = faulty.run().step_s() - healthy.step_s(), diagnose(faulty)
ok(found['parallel'].get('virtual', 1) == 2, 'an order of its own has its chunks', (found['parallel'], found['notes']))
first = found['causes'][0]
ok(first['who'] == 'stage 1' and abs(first['recovered_s'] - cost) < 0.05 * cost, 'and its slow rank comes first with what it costs', (found['causes'][:2], cost))

# Ranges say what passes are of: of the same job without them the kernels alone do not.
orders, rank_of = zb_v(program, 4, 8)
with_ranges = diagnose(PipeliningJob(orders, rank_of).run())
without = diagnose(PipeliningJob(orders, rank_of, ranges=False).run())
ok('zb-v' in with_ranges['schedule'] and (isinstance(without, str) or 'zb-v' not in without['schedule']), 'halves of passes are told by ranges', (with_ranges['schedule'], without if isinstance(without, str) else without['schedule']))

# One rank tells the way that chunks go.
found = diagnose(PipeliningJob(orders, rank_of).run(), without=(0, 2, 3))
ok('zb-v' in found['schedule'], 'one rank has the order of its stage', (found['schedule'], found['notes']))
done()
