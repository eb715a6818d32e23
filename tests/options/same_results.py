"""A result's `experiment` gives the same result where defaults are others.
usage: same_results.py PROGRAM OTHER. OTHER was built with other defaults. Prints TAP."""
import json, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

program, other = sys.argv[1:]


def result(who, *words):
    done = subprocess.run([who, 'simulate', *words, '--json', '-', '--quiet'], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        return done.stderr
    found = json.loads(done.stdout)
    found.pop('simulation')
    return found


def names():
    listed = subprocess.run([program, 'list', 'experiments'], text=True, stdout=subprocess.PIPE).stdout
    return [line.split()[0] for line in listed.splitlines() if line.startswith('  ')]


def differs(one, two, path=''):
    """The paths at which two results differ."""
    if isinstance(one, dict) and isinstance(two, dict):
        return [d for key in one.keys() | two.keys() for d in differs(one.get(key), two.get(key), f'{path}.{key}')]
    return [] if one == two else [f'{path}: {one} and {two}']


BASE = 'gpt3-175b-selene'
CASES = [
    ['schedule=gpipe', 'parallel.zero=1'],
    ['schedule=zb-h1', 'offload=optimizer'],
    ['schedule={name: interleaved-1f1b, virtual: 2}', 'boundary=scatter-gather'],
    ['parallel.pipeline=1', 'parallel.zero=3', 'batch.global=768', 'schedule=gpipe'],
    ['parallel.context=2', 'parallel.data=4', 'kernels=eager'],
    ['overlap.tensor=domino', 'batch.micro=2'],
    ['cluster=dgx-h100-32', 'parallel.pipeline=8', 'parallel.data=4', 'precision={fp8: delayed}'],
    ['framework=nanotron', 'parallel.zero=1'],
    ['model=mixtral-8x7b', 'parallel.pipeline=8', 'parallel.data=12', 'parallel.expert=4'],
]


def words(settings):
    return [word for setting in settings for word in ('--set', setting)]


changed = 0
with tempfile.TemporaryDirectory() as folder:
    for given in [[name] for name in names()] + [[BASE, *words(case)] for case in CASES]:
        first = result(program, *given)
        plain = result(other, *given)
        name = ' '.join(given).replace('--set ', '')
        changed += first != plain
        path = f'{folder}/resolved.json'
        with open(path, 'w') as file:
            json.dump(first['experiment'] if isinstance(first, dict) else {}, file)
        again = result(other, path)
        ok(isinstance(first, dict) and first == again, f'{name} is the same under other defaults',
           differs(first, again)[:5] if isinstance(first, dict) else first)
ok(changed > 5, 'the other defaults change results where nothing is said', changed)
done()
