"""What a call from Python costs beside the simulation, and a study beside the command.
usage: python_cost.py PROGRAM FOLDER_OF_THE_PACKAGE. Prints TAP."""
import json, os, resource, statistics, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

program, package = sys.argv[1:]
sys.path.insert(0, os.path.dirname(package))
import pipewright as pw

JOB = {'model': {'synthetic': {'devices': 4, 'microbatches': 8, 'forward': '1 ms', 'backward': '2 ms'}},
       'cluster': {'devices': 4, 'link': {'latency': '0 s'}}, 'schedule': '1f1b'}


def seconds_of(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def median_of(call, times=300, who=resource.RUSAGE_SELF):
    """Processor time, which other work on the machine does not lengthen as it does the clock's."""
    taken = []
    for _ in range(times):
        begin = seconds_of(who)
        call()
        taken.append(seconds_of(who) - begin)
    return statistics.median(taken)


# A command that does next to nothing, with all that a call has to do before and after one.
cost = median_of(lambda: pw._core.ask('list', ['networks'], JOB, 'dict', None).json())
print(f'# a call costs {cost * 1e3:.3f} ms')
ok(cost < 0.2e-3, 'a call costs less than 0.2 ms beside its simulation', cost)

STUDY = {'experiment': JOB, 'vary': {'model.synthetic.forward': [f'{1000 + i} us' for i in range(2000)]}}
with tempfile.TemporaryDirectory() as folder:
    study = os.path.join(folder, 'study.json')
    with open(study, 'w') as file:
        json.dump(STUDY, file)
    by_command = median_of(lambda: subprocess.run([program, 'sweep', study, '--quiet', '--jobs', '1'], check=True), 3,
                           resource.RUSAGE_CHILDREN)
by_module = median_of(lambda: pw.sweep(STUDY, jobs=1), 3)
print(f'# 2000 runs: {by_module:.3f} s in Python, {by_command:.3f} s by the command')
ok(by_module - by_command < 2000 * 0.2e-3, 'a run of a study costs less than 0.2 ms more than by the command',
   f'{by_module} {by_command}')

# Ctrl-C within a long run: fifteen million ops, which take seconds.
interrupted = [subprocess.run([sys.executable, '-c', f'''
import os, signal, sys, threading, time
sys.path.insert(0, {os.path.dirname(package)!r})
import pipewright as pw
begin = time.perf_counter()
asked = []
def ask():
    time.sleep(float(sys.argv[1]))
    asked.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=ask, daemon=True).start()
try:
    pw.simulate("gpt3-175b-selene", set={{"batch.global": 49152}}, every_micro_batch=True)
except KeyboardInterrupt:
    print(time.perf_counter() - asked[0])
''', str(wait)], text=True, stdout=subprocess.PIPE).stdout for wait in (0.5, 1, 1.5, 2)]
print(f'# Ctrl-C ends a run after {interrupted} s')
ok(interrupted and all(0 < float(took or 9) < 1 for took in interrupted), 'Ctrl-C ends a long run within a second', interrupted)

done()
